package spec

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

func (n NIC) String() string { return fmt.Sprintf("NIC %q", n.Name) }

func (t Tunables) checkNICs() []error {
	var faults []error
	seen := map[string]bool{}
	for _, n := range t.NICs {
		if seen[n.Name] && n.Name != "" {
			faults = append(faults, fmt.Errorf("%s is there twice; keep one of them", n))
		}
		seen[n.Name] = true
		faults = append(faults, n.check()...)
	}
	return faults
}

// check says all that is wrong with what is wanted of a NIC.
func (n NIC) check() []error {
	var faults []error
	fault := func(what string, err error) {
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %s%w", n, what, err))
		}
	}
	if err := CheckNIC(n.Name); err != nil {
		faults = append(faults, err)
	}
	// The IPv6 settings of a NIC vanish below 1280 bytes, and come back as defaults.
	if n.MTU != 0 && (n.MTU < 1280 || n.MTU > 65535) {
		fault("", fmt.Errorf("mtu is %d; it must be from 1280 to 65535 bytes", n.MTU))
	}
	if c := n.Channels; c != nil {
		fault("channels ", checkCounts([]count{{"rx", c.RX}, {"tx", c.TX}, {"combined", c.Combined}, {"other", c.Other}}))
		if c.Combined != "" && (c.RX != "" || c.TX != "") {
			fault("", errors.New("channels: combined ones are rx and tx at once; give either those or rx and tx"))
		}
	}
	if r := n.Ring; r != nil {
		fault("ring ", checkCounts([]count{{"rx", r.RX}, {"tx", r.TX}, {"rxMini", r.RXMini}, {"rxJumbo", r.RXJumbo}}))
	}
	for _, name := range slices.Sorted(maps.Keys(n.Offloads)) {
		if name == "" {
			fault("", errors.New("an offload has an empty name; see ethtool -k for the names"))
		}
		fault("offloads: ", checkWord("name", name))
	}
	fault("", n.checkCoalescing())
	if k := n.QueueDiscipline; k != "" && !slices.Contains(queueDisciplines, k) {
		fault("", fmt.Errorf("queueDiscipline: %q is none of those that need no parameters: %s", k, strings.Join(queueDisciplines, ", ")))
	}
	if n.IRQAffinity != "" {
		fault("irqAffinity: ", checkCPUs(n.IRQAffinity, All, Auto))
	}
	if s := n.PacketSteering; s != nil {
		fault("packet steering: cpus: ", checkCPUs(s.CPUs, All, Auto, None))
		for _, f := range []struct {
			field string
			value int
		}{{"flowEntries", s.FlowEntries}, {"flowEntriesPerQueue", s.FlowEntriesPerQueue}} {
			if f.value < 0 || f.value > MaxFlowEntries {
				fault("packet steering: ", fmt.Errorf("%s is %d; it must be from 0 to %d", f.field, f.value, MaxFlowEntries))
			}
		}
		if s.CPUs == Auto && (n.Channels != nil || n.IRQAffinity != "") {
			fault("packet steering: ", errors.New(`cpus "auto" decides about channels and interrupts too; leave channels and irqAffinity out, or name the CPUs`))
		}
	}
	return faults
}

func (n NIC) checkCoalescing() error {
	c := n.Coalescing
	if c == nil {
		return nil
	}
	var faults []error
	for _, p := range []struct {
		name  string
		value *int
	}{{"rxUsecs", c.RXUsecs}, {"rxFrames", c.RXFrames}, {"txUsecs", c.TXUsecs}, {"txFrames", c.TXFrames}} {
		if p.value != nil && (*p.value < 0 || *p.value > maxInt32) {
			faults = append(faults, fmt.Errorf("coalescing %s is %d; it must be from 0 to %d", p.name, *p.value, maxInt32))
		}
	}
	for _, direction := range []struct {
		name     string
		adaptive *bool
		given    bool
	}{
		{"Rx", c.AdaptiveRX, c.RXUsecs != nil || c.RXFrames != nil},
		{"Tx", c.AdaptiveTX, c.TXUsecs != nil || c.TXFrames != nil},
	} {
		if direction.given && direction.adaptive != nil && *direction.adaptive {
			faults = append(faults, fmt.Errorf("coalescing: with adaptive%s the driver chooses the times itself; leave them out, or set adaptive%[1]s to false", direction.name))
		}
	}
	return errors.Join(faults...)
}

// queueDisciplines are the kinds that a tx queue can have without saying more of them
// (the man pages tc-*(8)).
var queueDisciplines = []string{"bfifo", "cake", "codel", "fq", "fq_codel", "fq_pie", "noqueue", "pfifo", "pfifo_fast", "pie", "sfq"}

type count struct{ name, text string }

// checkCounts takes decimal numbers, Max, or nothing.
func checkCounts(counts []count) error {
	var faults []error
	for _, c := range counts {
		n, err := strconv.ParseUint(c.text, 10, 31)
		if c.text != "" && c.text != Max && (err != nil || strconv.FormatUint(n, 10) != c.text) {
			faults = append(faults, fmt.Errorf("%s: %q must be a whole number or %q", c.name, c.text, Max))
		}
	}
	return errors.Join(faults...)
}

// What may stand for a list of CPUs.
const (
	// All is every CPU that is online.
	All = "all"
	// Auto leaves the choice to the host's facts.
	Auto = "auto"
	// None switches RPS off.
	None = "none"
)

// checkCPUs takes one of the words, a list, or nothing.
func checkCPUs(text string, words ...string) error {
	if text == "" || slices.Contains(words, text) {
		return nil
	}
	_, err := ParseList(text)
	return err
}

// CheckNIC says whether a name can be that of a network interface: 1 to 15 bytes, no
// slash, no blank, no colon (dev_valid_name in net/core/dev.c).
func CheckNIC(name string) error {
	switch {
	case name == "":
		return errors.New("the name of the NIC is empty; write it as in eth0")
	case len(name) > 15:
		return fmt.Errorf("NIC %q: a name has at most 15 bytes", name)
	case name == "." || name == ".." || strings.ContainsAny(name, "/: \t\n\v\f\r\x00"):
		return fmt.Errorf("NIC %q is no name of an interface; write it as in eth0", name)
	}
	return nil
}
