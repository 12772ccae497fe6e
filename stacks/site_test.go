//go:build linux

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hanzoai/benchlab/hosts/hostspec"
	"golang.org/x/crypto/ssh"
)

// site is a project with an empty stack and two hosts to play on, box and peer, joined by
// eth1: machines that were there before the lab and outlive it, or namespace hosts that
// the lab makes.
type site struct {
	*script
	t     *testing.T
	vars  []string
	hosts string // as the lab file says it
	made  bool   // the lab makes the hosts
	boxes map[string]*box
}

func newSite(t *testing.T, bin string, labMakesHosts bool) *site {
	t.Helper()
	if _, err := exec.LookPath("strace"); err != nil {
		t.Fatalf("%v: traps need it; apt-get install strace", err)
	}
	// Not t.TempDir: a name with the test's in it is longer than a socket's path may be.
	work, err := os.MkdirTemp("", "benchlab-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(work) }) // a file that stays is no news for a test
	s := &site{
		script: &script{bin: bin, work: work, machines: map[string]hostspec.Connection{}},
		t:      t, made: labMakesHosts, boxes: map[string]*box{},
	}
	s.vars = append(append(os.Environ(), s.environment()...), "WORK="+work)
	before := lookAround(t)
	if err := s.initialize(s.pulumi); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, b := range s.boxes {
			_ = b.client.Close() // its host may be gone
		}
		s.end(t, s.pulumi, before)
	})
	if labMakesHosts {
		s.hosts = namespaces
		return s
	}
	s.hosts = s.connections("box", "peer")
	if err := s.wire("box", "peer", "eth1"); err != nil {
		t.Fatal(err)
	}
	// Somebody has tuned them: these are the originals.
	for _, name := range []string{"box", "peer"} {
		s.box(name).run("echo 777 > " + somaxconn + "; echo 4096 100000 6000000 > /proc/sys/net/ipv4/tcp_rmem; echo 1 > /sys/class/net/eth1/queues/rx-1/rps_cpus")
	}
	return s
}

const namespaces = `
host "box" {
  namespace {}
}
host "peer" {
  namespace {}
}
link "data" {
  queues = 3
  end {
    host    = host.box
    nic     = "eth1"
    address = "10.98.0.1/24"
  }
  end {
    host    = host.peer
    nic     = "eth1"
    address = "10.98.0.2/24"
  }
}
`

// connections makes machines and returns the blocks of a lab file for them.
func (s *site) connections(names ...string) string {
	s.t.Helper()
	var text strings.Builder
	for _, name := range names {
		c, err := s.makeMachine(name)
		if err != nil {
			s.t.Fatal(err)
		}
		fmt.Fprintf(&text, `
host %q {
  connection {
    address  = %q
    port     = %d
    identity = %q
    host_key = %q
  }
}
`, name, c.Address, c.Port, c.Identity, c.HostKey)
	}
	return text.String()
}

// write writes the lab file.
func (s *site) write(lab string) {
	s.t.Helper()
	text := strings.ReplaceAll(lab, "$hosts", s.hosts)
	if err := os.WriteFile(s.path(stack+".hcl"), []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// running is a command under way.
type running struct {
	t    *testing.T
	cmd  *exec.Cmd
	out  transcript
	done chan struct{}
}

// transcript is what a command prints, to be read while it runs.
type transcript struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *transcript) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *transcript) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// start begins a pulumi command.
func (s *site) start(args ...string) *running {
	s.t.Helper()
	r := &running{t: s.t, cmd: exec.Command("pulumi", args...), done: make(chan struct{})}
	r.cmd.Dir, r.cmd.Env, r.cmd.Stdout, r.cmd.Stderr = s.work, s.vars, &r.out, &r.out
	// What a killed CLI leaves holds its output for a while.
	r.cmd.WaitDelay = time.Second
	if err := r.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	go func() {
		_ = r.cmd.Wait() // the process state says it
		close(r.done)
	}()
	return r
}

// wait returns what the command has printed once it has ended. No operation may hang.
func (r *running) wait() string {
	r.t.Helper()
	select {
	case <-r.done:
	case <-time.After(2 * time.Minute):
		// Not fatal: whoever cleans up has more to do.
		r.t.Errorf("%s has not ended within two minutes:\n%s", strings.Join(r.cmd.Args, " "), r.out.String())
		_ = r.cmd.Process.Kill() // it may end just now
		<-r.done
	}
	return r.out.String()
}

func (s *site) pulumi(args ...string) (string, error) {
	r := s.start(args...)
	out := r.wait()
	if !r.cmd.ProcessState.Success() {
		return out, errors.New(r.cmd.ProcessState.String())
	}
	return out, nil
}

// fails runs a pulumi command that must fail, and say all of the texts.
func (s *site) fails(texts []string, args ...string) {
	s.t.Helper()
	out, err := s.pulumi(args...)
	if err == nil {
		s.t.Fatalf("pulumi %s has succeeded, want an error with %q:\n%s", strings.Join(args, " "), texts, out)
	}
	s.says(out, texts...)
}

func (s *site) says(out string, texts ...string) {
	s.t.Helper()
	for _, text := range texts {
		if !strings.Contains(out, text) {
			s.t.Errorf("no %q in what it says:\n%s", text, out)
		}
	}
}

func (s *site) mustPulumi(args ...string) string {
	s.t.Helper()
	out, err := s.pulumi(args...)
	if err != nil {
		s.t.Fatalf("pulumi %s: %v:\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

// recover is `make recover`.
func (s *site) recover() (string, error) {
	s.t.Helper()
	program, err := filepath.Abs("../tools/recover")
	if err != nil {
		s.t.Fatal(err)
	}
	cmd := exec.Command(program, stack)
	cmd.Dir, cmd.Env = s.work, s.vars
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (s *site) mustRecover() {
	s.t.Helper()
	out, err := s.recover()
	if err != nil {
		s.t.Fatalf("recover: %v:\n%s", err, out)
	}
	s.says(out, "found: the lock of process", "recovered")
	if state := s.mustPulumi("stack", "export"); strings.Contains(state, "pending_operations") {
		s.t.Errorf("operations are pending after a recover:\n%s", state)
	}
}

// ownFiles are the paths of all that is only in the host, and of all that has our name.
// The host shows the machine's files too, which others may change meanwhile.
const ownFiles = "find /home /root /run /tmp | sort; find /etc /opt /srv /usr/local /var -name '*benchlab*' | sort"

// snapshot is what the machines hold that a lab could change: every value, and the path
// of every file. Of hosts that the lab makes there is none: they go with it.
func (s *site) snapshot() map[string]string {
	s.t.Helper()
	all := map[string]string{}
	for name := range s.machines {
		all[name] = s.box(name).run(allValues + "; " + ownFiles)
	}
	return all
}

// same holds the machines against a snapshot, and sees that nothing of the lab runs there.
func (s *site) same(before map[string]string) {
	s.t.Helper()
	for name := range s.machines {
		s.box(name).wait("no agent, server or loader runs", pids("benchlab-[als]")+`test -z "$pids"`)
	}
	for name, now := range s.snapshot() {
		if diff := cmp.Diff(strings.Split(before[name], "\n"), strings.Split(now, "\n")); diff != "" {
			s.t.Fatalf("host %s is not as it was (-before +after):\n%s", name, diff)
		}
	}
}

// box is a host, with a login of the test's own.
type box struct {
	t      *testing.T
	name   string
	pid    int // of its first process
	client *ssh.Client
}

// box returns a host, ready for traps. One that the lab has made anew is another.
func (s *site) box(name string) *box {
	s.t.Helper()
	instance, identity := s.machines[name].Namespace, s.machines[name].Identity
	if s.made {
		keys, err := filepath.Glob(s.path("keys/benchlab/" + name + "-????????"))
		if err != nil || len(keys) != 1 {
			s.t.Fatalf("the lab has not one host %s: %q %v", name, keys, err)
		}
		instance, identity = filepath.Base(keys[0]), filepath.Join(keys[0], "identity")
	}
	found, ok, err := s.machine().Inspect(context.Background(), instance)
	if err != nil || !ok {
		s.t.Fatalf("host %s does not run: %v", instance, err)
	}
	if b := s.boxes[name]; b != nil {
		if b.pid == found.PID {
			return b
		}
		_ = b.client.Close() // its host is gone
	}
	b := &box{t: s.t, name: name, pid: found.PID}
	c := hostspec.Connection{Address: "127.0.0.1", Port: found.Port, Identity: identity, HostKey: found.HostKey}
	if b.client, err = dial(c); err != nil {
		s.t.Fatalf("host %s: %v", name, err)
	}
	s.boxes[name] = b
	b.installTrap()
	return b
}

func dial(c hostspec.Connection) (*ssh.Client, error) {
	pem, err := os.ReadFile(c.Identity)
	if err != nil {
		return nil, err
	}
	signer, err := ssh.ParsePrivateKey(pem)
	if err != nil {
		return nil, err
	}
	key, _, _, _, err := ssh.ParseAuthorizedKey([]byte(c.HostKey))
	if err != nil {
		return nil, err
	}
	return ssh.Dial("tcp", c.Endpoint(), &ssh.ClientConfig{
		User: "root", Auth: []ssh.AuthMethod{ssh.PublicKeys(signer)},
		HostKeyCallback: ssh.FixedHostKey(key), Timeout: 20 * time.Second,
	})
}

// run runs a shell command in the host and returns what it prints.
func (b *box) run(command string) string {
	b.t.Helper()
	out, err := b.try(command)
	if err != nil {
		b.t.Fatalf("host %s: %s: %v: %s", b.name, command, err, out)
	}
	return out
}

func (b *box) try(command string) (string, error) {
	session, err := b.client.NewSession()
	if err != nil {
		return "", err
	}
	defer func() { _ = session.Close() }() // EOF: it ended with the command
	out, err := session.CombinedOutput(command)
	return strings.TrimSpace(string(out)), err
}

// locks are the files of Pulumi's lock on the stack.
func (s *site) locks() []string {
	s.t.Helper()
	locks, err := filepath.Glob(s.path("pulumi/.pulumi/locks/organization/" + project + "/" + stack + "/*.json"))
	if err != nil {
		s.t.Fatal(err)
	}
	return locks
}

// signal sends the command a signal, unless it has ended meanwhile.
func (r *running) signal(signal os.Signal) {
	r.t.Helper()
	if err := r.cmd.Process.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
		r.t.Fatal(err)
	}
}
