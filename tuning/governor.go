package tuning

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/hanzoai/benchlab/tuning/spec"
)

const (
	cpuPrefix    = "cpu/"
	policyPrefix = "policy"
	cpufreqDir   = "sys/devices/system/cpu/cpufreq"
	governor     = "governor"
	preference   = "energy_performance_preference"
	// performance is the governor under which drivers take no preference but this word.
	performance = "performance"
)

// policyFiles are the files of a cpufreq policy by the last part of their keys:
// Documentation/admin-guide/pm/cpufreq.rst.
var policyFiles = map[string]string{governor: "scaling_governor", preference: preference, "boost": "boost"}

// cpuPower is governor, energy/performance preference and boost of the CPUs. What scales
// together, be it one CPU or all, is a policy, and has one of each.
var cpuPower = tunable{expand: (*Host).expandCPUPower, find: (*Host).findCPUPower}

func (h *Host) expandCPUPower(t spec.Tunables) ([]setting, error) {
	if t.CPU == nil {
		return nil, nil
	}
	policies, err := h.policies()
	if err != nil {
		return nil, fmt.Errorf("cpu: %w", err)
	}
	var settings []setting
	var faults []error
	for _, policy := range policies {
		more, err := h.policy(policy, *t.CPU)
		if err != nil {
			faults = append(faults, err)
		}
		settings = append(settings, more...)
	}
	if len(policies) == 0 {
		settings = h.noScaling(*t.CPU)
	}
	if t.CPU.Boost != nil {
		settings = append(settings, h.boost(policies, digit(*t.CPU.Boost))...)
	}
	unsupported, err := h.notOurs()
	if err != nil {
		return nil, fmt.Errorf("cpu: %w", err)
	}
	if unsupported != "" {
		for i := range settings {
			settings[i].unsupported = unsupported
		}
		return settings, nil // nor does it matter what the machine offers
	}
	return settings, errors.Join(faults...)
}

// findCPUPower opens keys such as cpu/policy0/governor and cpu/boost.
func (h *Host) findCPUPower(key string) (knob, bool) {
	name, ok := strings.CutPrefix(key, cpuPrefix)
	if !ok {
		return knob{}, false
	}
	k := knob{key: key, kind: spec.Tokens}
	if name == "boost" {
		k.place, k.resets = h.boostSwitch()
		return k, true
	}
	policy, name, _ := strings.Cut(name, "/")
	_, isPolicy := numberAfter(policyPrefix, policy)
	if !isPolicy || policyFiles[name] == "" {
		return knob{}, false
	}
	k.place = policyFile{file{h.files, h.path(cpufreqDir, policy, policyFiles[name])}}
	if name == governor {
		k.resets = func() ([]knob, error) { return h.resetByGovernor(policy) }
	}
	return k, true
}

// policyFile is the place of a value of a policy.
type policyFile struct{ file }

func (p policyFile) read() ([]byte, error) {
	text, err := p.file.read()
	if errors.Is(err, unix.EBUSY) {
		// Not missing: the kernel keeps what the policy had, for when a CPU comes back.
		return nil, fmt.Errorf("%w: all CPUs of this policy are offline; bring one online (echo 1 > /sys/devices/system/cpu/cpuN/online) and try again", err)
	}
	return text, err
}

// resetByGovernor is what a policy loses with its governor: the preference, which
// governor performance sets itself, the speed of governor userspace, and a governor's own
// settings, of the policy or of all, which begin with defaults when it comes back.
func (h *Host) resetByGovernor(policy string) ([]knob, error) {
	var knobs []knob
	if k, _ := h.findCPUPower(cpuPrefix + policy + "/" + preference); exists(k.String()) {
		knobs = append(knobs, k)
	}
	live, err := h.files.read(h.path(cpufreqDir, policy, policyFiles[governor]))
	if err != nil {
		return nil, err
	}
	name := strings.TrimSpace(string(live))
	for _, pattern := range []string{filepath.Join(policy, name, "*"), filepath.Join(name, "*")} {
		paths, err := filepath.Glob(h.path(cpufreqDir, pattern))
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o600 == 0o600 {
				knobs = append(knobs, h.sysfsBelow(path))
			}
		}
	}
	if name == "userspace" {
		knobs = append(knobs, h.sysfsBelow(h.path(cpufreqDir, policy, "scaling_setspeed")))
	}
	return knobs, nil
}

// sysfsBelow is the knob of a file under /sys given by its path.
func (h *Host) sysfsBelow(path string) knob {
	k, _ := h.findSysfs(sysfsPrefix + strings.TrimPrefix(path, h.path("sys")+"/"))
	return k
}

// policies lists the policies that are in force, in numeric order. Those of CPUs that are
// all offline have no files, or files that answer EBUSY.
func (h *Host) policies() ([]string, error) {
	entries, err := os.ReadDir(h.path(cpufreqDir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var numbers []int
	for _, e := range entries {
		n, ok := numberAfter(policyPrefix, e.Name())
		if !ok {
			continue
		}
		_, err := h.files.read(h.path(cpufreqDir, e.Name(), policyFiles[governor]))
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, unix.EBUSY), errors.Is(err, unix.ENODEV):
		case err != nil:
			return nil, err
		default:
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	var policies []string
	for _, n := range numbers {
		policies = append(policies, policyPrefix+strconv.Itoa(n))
	}
	return policies, nil
}

// policy is what is wanted of one policy. Under governor performance no other preference
// can be written, so that governor comes last, and any other first.
func (h *Host) policy(policy string, wanted spec.CPUPower) ([]setting, error) {
	var settings []setting
	var faults []error
	dir := h.path(cpufreqDir, policy)
	if wanted.Governor != "" {
		k, _ := h.findCPUPower(cpuPrefix + policy + "/" + governor)
		s := setting{knob: k, desired: wanted.Governor}
		faults = append(faults, h.offered(s, filepath.Join(dir, "scaling_available_governors")))
		settings = append(settings, s)
	}
	if wanted.EnergyPerformancePreference != "" {
		k, _ := h.findCPUPower(cpuPrefix + policy + "/" + preference)
		s := setting{knob: k, desired: wanted.EnergyPerformancePreference}
		if exists(k.String()) {
			faults = append(faults, h.offered(s, filepath.Join(dir, "energy_performance_available_preferences")))
			faults = append(faults, h.takesPreference(s, policy, wanted))
		} else {
			s.unsupported = fmt.Sprintf("driver %s has no energy/performance preference: %s is not there", h.driver(policy), k)
		}
		if wanted.Governor == performance {
			settings = slices.Insert(settings, 0, s)
		} else {
			settings = append(settings, s)
		}
	}
	return settings, errors.Join(faults...)
}

// offered is an error where a file of words, which some drivers lack, has not the wanted one.
func (h *Host) offered(s setting, path string) error {
	text, err := h.files.read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", s.key, err)
	}
	words := strings.Fields(string(text))
	if slices.Contains(words, s.desired) {
		return nil
	}
	return fmt.Errorf("%s: there is no %q here; %s has %s", s.key, s.desired, path, strings.Join(words, ", "))
}

// takesPreference is an error where the governor that stays would refuse the preference.
func (h *Host) takesPreference(s setting, policy string, wanted spec.CPUPower) error {
	if wanted.Governor != "" || s.desired == performance {
		return nil
	}
	path := h.path(cpufreqDir, policy, policyFiles[governor])
	live, err := h.files.read(path)
	if err != nil {
		return fmt.Errorf("%s: %w", s.key, err)
	}
	if strings.TrimSpace(string(live)) == performance {
		return fmt.Errorf("%s: %q can't be had under governor performance, which %s has; give another governor beside it", s.key, s.desired, path)
	}
	return nil
}

func (h *Host) driver(policy string) string {
	text, err := h.files.read(h.path(cpufreqDir, policy, "scaling_driver"))
	if err != nil {
		return "(unknown)"
	}
	return strings.TrimSpace(string(text))
}

// noScaling is what is wanted of a host without policies, which can't have it.
func (h *Host) noScaling(wanted spec.CPUPower) []setting {
	var settings []setting
	for _, w := range []struct{ name, word string }{{governor, wanted.Governor}, {preference, wanted.EnergyPerformancePreference}} {
		if w.word == "" {
			continue
		}
		k, _ := h.findCPUPower(cpuPrefix + policyPrefix + "0/" + w.name)
		settings = append(settings, setting{knob: k, desired: w.word, unsupported: fmt.Sprintf(
			"no frequency scaling here: %s has no policies, as on virtual machines and where the firmware keeps the clock to itself", h.path(cpufreqDir))})
	}
	return settings
}
