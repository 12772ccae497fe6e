//go:build linux

package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/hanzoai/benchlab/hosts/hostspec"
	"github.com/hanzoai/benchlab/hosts/namespace"
	"github.com/rogpeppe/go-internal/testscript"
)

// inHost runs a shell command in a host, over the SSH login that the lab gives for it:
//
//	inhost spark cat /proc/sys/net/core/somaxconn
func inHost(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: [!] inhost NAME COMMAND...")
	}
	err := ts.Exec("sh", "-c", login(ts, args[0])+` "$0"`, strings.Join(args[1:], " "))
	if (err != nil) != neg {
		ts.Fatalf("inhost: error %v", err)
	}
}

// login is the command that logs in to a host.
func login(ts *testscript.TestScript, host string) string {
	if c, ok := of(ts).machines[host]; ok {
		return c.Command()
	}
	// The stack's output `ssh` says the same, but a failed update may not get that far.
	command, _ := step(resourceOutputs(ts, "hosts:Host", host), "login")
	text, ok := command.(string)
	if !ok {
		ts.Fatalf("host %s has no login", host)
	}
	return text
}

// values writes every value of a host that tuning could change into a file: what can be
// written under /proc/sys/net, and the queues of the NICs.
//
//	values box before.values
func values(ts *testscript.TestScript, neg bool, args []string) {
	capture(ts, neg, args, allValues)
}

// files writes the path of every file of a host, in the places where programs keep
// state, into a file.
//
//	files box before.files
func files(ts *testscript.TestScript, neg bool, args []string) {
	capture(ts, neg, args, allFiles)
}

const (
	// A few files can be written but not read, or have no value; grep says so on stderr.
	allValues = `find /proc/sys/net /sys/class/net/*/queues/ -type f -perm -u+w | sort | xargs grep -sH "" || true`
	allFiles  = "find /etc /home /opt /root /run /tmp /usr/local /var | sort"
)

func capture(ts *testscript.TestScript, neg bool, args []string, command string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: values|files HOST FILE")
	}
	out, err := exec.Command("sh", "-c", login(ts, args[0])+` "$0"`, command).Output()
	ts.Check(err)
	if len(out) == 0 {
		ts.Fatalf("host %s has shown nothing", args[0])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), out, 0o600))
}

// makeMachine makes a host that is no resource of the stack, like a real box that was
// there before, and sets variables for a connection block to it:
//
//	machine box
//	… box_port, box_identity, box_host_key
func makeMachine(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: machine NAME")
	}
	s := of(ts)
	made, err := s.makeMachine(args[0])
	ts.Check(err)
	ts.Setenv(args[0]+"_port", strconv.Itoa(made.Port))
	ts.Setenv(args[0]+"_identity", made.Identity)
	ts.Setenv(args[0]+"_host_key", made.HostKey)
}

func (s *script) makeMachine(hostname string) (hostspec.Connection, error) {
	suffix := make([]byte, 4)
	if _, err := rand.Read(suffix); err != nil {
		return hostspec.Connection{}, err
	}
	name := hostname + "-" + hex.EncodeToString(suffix)
	identity := s.path(hostname + ".key")
	key, err := namespace.NewIdentity(identity)
	if err != nil {
		return hostspec.Connection{}, err
	}
	made, err := s.machine().Create(context.Background(), namespace.Spec{Name: name, Hostname: hostname, AuthorizedKey: key})
	if err != nil {
		return hostspec.Connection{}, err
	}
	s.machines[hostname] = hostspec.Connection{
		Address: "127.0.0.1", Port: made.Port, Identity: identity, HostKey: made.HostKey, Namespace: name,
	}
	return s.machines[hostname], nil
}

// wire joins two machines by a cable, 10.98.0.1 to 10.98.0.2, with three queues:
//
//	wire box peer eth1
func wire(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: wire MACHINE MACHINE NIC")
	}
	ts.Check(of(ts).wire(args[0], args[1], args[2]))
}

func (s *script) wire(one, other, nic string) error {
	link := namespace.LinkSpec{Queues: 3}
	for i, name := range []string{one, other} {
		link.Ends[i] = namespace.LinkEnd{Host: s.machines[name].Namespace, NIC: nic, Address: "10.98.0." + strconv.Itoa(i+1) + "/24"}
	}
	_, err := s.machine().CreateLink(context.Background(), link)
	return err
}

func (s *script) endMachines(t testing.TB) {
	for _, c := range s.machines {
		if err := s.machine().Delete(context.Background(), c.Namespace); err != nil {
			t.Error(err)
		}
	}
}

// killHost kills the first process of a namespace host of the lab:
//
//	killhost spark
func killHost(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: killhost NAME")
	}
	s := of(ts)
	keys := glob(ts, s.path("keys/benchlab/"+args[0]+"-????????"))
	if len(keys) != 1 {
		ts.Fatalf("want one namespace host %s in the lab, found %q", args[0], keys)
	}
	found, ok, err := s.machine().Inspect(context.Background(), filepath.Base(keys[0]))
	ts.Check(err)
	if !ok {
		ts.Fatalf("host %s does not run", args[0])
	}
	kill := []string{"kill", "-9", strconv.Itoa(found.PID)}
	if os.Geteuid() != 0 {
		kill = append([]string{"sudo", "-n", "--"}, kill...)
	}
	ts.Check(exec.Command(kill[0], kill[1:]...).Run())
}

func glob(ts *testscript.TestScript, pattern string) []string {
	paths, err := filepath.Glob(pattern)
	ts.Check(err)
	return paths
}

// walk calls visit with every file below dir.
func walk(dir string, visit func(path string, text []byte)) error {
	return filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if err == nil {
			visit(path, text)
		}
		return err
	})
}
