//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hanzoai/benchlab/hosts/namespace"
	"github.com/prometheus/procfs"
)

// surroundings is what a lab of namespace hosts must leave alone on its machine.
type surroundings struct {
	Interfaces []string
	// Files has the paths of what benchlab would leave in /var/lib and /run.
	Files []string
	// Sysctls has every value that can be written, by path.
	Sysctls map[string]string
}

// unsteady are values that the kernel changes by itself: the last PID it gave, and that
// it has warned of something. It does so once where a veth loses queues that its peer
// still sends to, as in tests of channels.
var unsteady = []string{"/proc/sys/kernel/ns_last_pid", "/proc/sys/kernel/tainted"}

func lookAround(t testing.TB) surroundings {
	t.Helper()
	s := surroundings{Sysctls: map[string]string{}}
	interfaces, err := net.Interfaces()
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range interfaces {
		s.Interfaces = append(s.Interfaces, i.Name)
	}
	for _, pattern := range []string{"/var/lib/benchlab", "/var/lib/benchlab/*", "/var/lib/benchlab/*/*", "/run/*benchlab*", "/run/*/*benchlab*", "/run/netns/*"} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		s.Files = append(s.Files, paths...)
	}
	for _, dir := range []string{"net", "vm", "kernel"} {
		// What can't be read is passed over: an interface of somebody else's that goes during
		// the walk takes its files along.
		_ = filepath.WalkDir(filepath.Join("/proc/sys", dir), func(path string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() && !slices.Contains(unsteady, path) {
				if info, err := entry.Info(); err == nil && info.Mode()&0o200 != 0 {
					if text, err := os.ReadFile(path); err == nil {
						s.Sysctls[path] = string(text)
					}
				}
			}
			return nil
		})
	}
	return s
}

func (s surroundings) compare(t testing.TB) {
	t.Helper()
	if diff := cmp.Diff(s, lookAround(t)); diff != "" {
		t.Errorf("the machine itself has changed (-before +after):\n%s", diff)
	}
}

// checkNothingLeft looks for what the lab made on this machine: hosts, processes, mounts
// and keys.
func (s *script) checkNothingLeft(t testing.TB) {
	t.Helper()
	hosts := s.hosts(t)
	// The provider ends a moment after the CLI.
	var left []string
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if left = s.processes(t, hosts); len(left) == 0 {
			break
		}
	}
	if len(left) > 0 {
		t.Errorf("processes left: %q", left)
	}
	for _, host := range hosts {
		if err := s.machine().Delete(context.Background(), host); err != nil {
			t.Errorf("host %s: %v", host, err)
		}
	}
	mounts, err := procfs.GetMounts()
	if err != nil {
		t.Error(err)
	}
	for _, m := range mounts {
		if m.Source == "benchlab-netns" {
			t.Errorf("mount left on the machine: %s", m.MountPoint)
		}
	}
	if keys, err := os.ReadDir(s.path("keys")); err == nil && len(keys) > 0 {
		t.Errorf("files left for SSH keys: %v", keys)
	}
}

func (s *script) machine() *namespace.Machine {
	return namespace.New(filepath.Join(s.bin, "benchlab-netns"))
}

// processes lists what still runs: first processes of the given hosts, and whatever has
// inherited the script's environment (plugins, helpers). A zombie is nothing but an
// entry in a table.
func (s *script) processes(t testing.TB, hosts []string) []string {
	t.Helper()
	all, err := procfs.AllProcs()
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, proc := range all {
		argv, err := proc.CmdLine()
		if err != nil || len(argv) == 0 { // gone, or a zombie, which has none
			continue
		}
		host := len(argv) > 2 && argv[0] == "benchlab-netns" && argv[1] == "init" && slices.Contains(hosts, argv[2])
		environ, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", proc.PID)) // empty of a process that is gone
		ours := bytes.Contains(environ, []byte("WORK="+s.work+"\x00"))
		if ours && strings.Contains(argv[0], "pulumi-language-go") {
			// Pulumi's own: it looks only every few minutes whether its CLI was killed.
			if err := syscall.Kill(proc.PID, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
				t.Error(err)
			}
			continue
		}
		if host || ours {
			left = append(left, strings.Join(argv, " "))
		}
	}
	return left
}

// life matches the identity that a Namespace gives its host.
var life = regexp.MustCompile(`"([a-z0-9-]+-[0-9a-f]{8})/[0-9]+\.[0-9]+"`)

// hosts names every namespace host that was ever in the state of the stack.
func (s *script) hosts(t testing.TB) []string {
	t.Helper()
	checkpoints, err := filepath.Glob(s.path("pulumi/.pulumi/history/" + project + "/" + stack + "/*.checkpoint.json"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, path := range checkpoints {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range life.FindAllSubmatch(text, -1) {
			names = append(names, string(match[1]))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// empty says whether the stack has no resources.
func (s *script) empty(t testing.TB) bool {
	t.Helper()
	text, err := os.ReadFile(s.path("pulumi/.pulumi/stacks/" + project + "/" + stack + ".json"))
	if errors.Is(err, fs.ErrNotExist) {
		return true
	}
	if err != nil {
		t.Fatal(err)
	}
	var state struct {
		Checkpoint struct {
			Latest struct {
				Resources []json.RawMessage `json:"resources"`
			} `json:"latest"`
		} `json:"checkpoint"`
	}
	if err := json.Unmarshal(text, &state); err != nil {
		t.Fatal(err)
	}
	return len(state.Checkpoint.Latest.Resources) == 0
}
