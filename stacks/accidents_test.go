//go:build linux

package main

import (
	"strings"
	"testing"
)

// TestAccidents is what befalls a lab from outside, one project and one story each.
func TestAccidents(t *testing.T) {
	bin := built(t)
	for name, story := range map[string]func(*testing.T, string){
		"state-lost-restore": stateLostRestore,
		"state-lost-adopt":   stateLostAdopt,
		"ended-by-hand":      endedByHand,
		"second-stack":       secondStack,
		"foreign-change":     foreignChange,
		"unreachable-host":   unreachableHost,
		"host-goes-silent":   hostGoesSilent,
		"two-runs-at-once":   twoRunsAtOnce,
		"disk-full":          diskFull,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			story(t, bin)
		})
	}
}

// The state of a stack is thrown away while its lab stands. The host's ledger has the
// originals, and the agent there puts them back without Pulumi.
func stateLostRestore(t *testing.T, bin string) {
	s := newSite(t, bin, false)
	before := s.snapshot()
	s.loseState(bare + tuned("box", "65535") + server)
	out := s.box("box").run("/var/lib/benchlab/bin/benchlab-agent-* status")
	s.says(out, "unit http-127-0-0-1-8080: urn:pulumi:lab::e2e::", "sysctl/net.core.somaxconn", "777", "65535")
	s.box("box").run("/var/lib/benchlab/bin/benchlab-agent-* restore")
	s.box("peer").run("/var/lib/benchlab/bin/benchlab-agent-* restore")
	s.same(before)
	if out := s.box("box").run("ps -e -o args="); strings.Contains(out, "benchlab-server") {
		t.Errorf("the server still runs:\n%s", out)
	}
}

// Somebody ends the lab on one of its hosts by hand, and the stack does not know. A refresh
// sees it, and an up brings all of it back: values, server, and the host's claim.
func endedByHand(t *testing.T, bin string) {
	s := newSite(t, bin, false)
	before := s.snapshot()
	s.write(bare + tuned("box", "65535") + server)
	s.mustPulumi("up", "--skip-preview")
	standing := s.values()
	s.box("box").run("/var/lib/benchlab/bin/benchlab-agent-* restore")
	s.fails([]string{"sysctl/net.core.somaxconn wanted 65535, found 777"}, "refresh", "--preview-only", "--expect-no-changes")
	s.mustPulumi("up", "--skip-preview", "--refresh")
	if now := s.values(); now != standing {
		t.Errorf("the values are\n%s\nwant\n%s", now, standing)
	}
	s.says(s.box("box").run("/var/lib/benchlab/bin/benchlab-agent-* status"), "host this: urn:pulumi:lab::e2e::", "unit http-127-0-0-1-8080: ", "as wanted")
	s.mustPulumi("up", "--skip-preview", "--refresh", "--expect-no-changes")
	s.mustPulumi("destroy", "--skip-preview")
	s.same(before)
}

// A lab of the same file takes up what the lost one has left, where it says so, and puts
// the true originals back in the end.
func stateLostAdopt(t *testing.T, bin string) {
	s := newSite(t, bin, false)
	before := s.snapshot()
	lab := bare + tuned("box", "65535") + server
	s.loseState(lab)
	s.write(lab)
	s.fails([]string{"sysctl/net.core.somaxconn belongs to urn:pulumi:lab::e2e::", "of lab "}, "up", "--skip-preview")

	s.hosts = strings.ReplaceAll(s.hosts, "  connection {", "  adopt = true\n  connection {")
	s.write(lab)
	s.says(s.mustPulumi("up", "--skip-preview"), "took up what lab ")
	s.mustPulumi("up", "--skip-preview", "--refresh", "--expect-no-changes")
	s.mustPulumi("destroy", "--skip-preview")
	s.same(before)
}

// loseState brings a lab up and forgets it.
func (s *site) loseState(lab string) {
	s.t.Helper()
	s.write(lab)
	s.mustPulumi("up", "--skip-preview")
	s.mustPulumi("stack", "rm", "--force", "--yes", stack)
	s.mustPulumi("stack", "init", stack)
}

// A second checkout, in which all has the same names, wants what the first has.
func secondStack(t *testing.T, bin string) {
	first := newSite(t, bin, false)
	before := first.snapshot()
	first.write(bare + tuned("box", "65535") + server)
	first.mustPulumi("up", "--skip-preview")
	standing := first.values()

	second := newSite(t, bin, true) // its own hosts are never made
	second.hosts = first.hosts
	for lab, message := range map[string]string{
		tuned("box", "3000"): "sysctl/net.core.somaxconn belongs to urn:pulumi:lab::e2e::",
		server:               "unit http-127-0-0-1-8080 belongs to urn:pulumi:lab::e2e::",
		`
tune "nic" {
  host = host.box
  nic "eth1" {
    packet_steering {}
  }
}
`: "nic/eth1/rx-0/rps_cpus belongs to urn:pulumi:lab::e2e::",
	} {
		second.write(bare + lab)
		second.fails([]string{message, "of lab "}, "up", "--skip-preview")
	}
	second.mustPulumi("destroy", "--skip-preview")
	if now := first.values(); now != standing {
		t.Errorf("the first lab's values have changed from\n%s\nto\n%s", standing, now)
	}
	first.mustPulumi("up", "--skip-preview", "--refresh", "--expect-no-changes")
	first.mustPulumi("destroy", "--skip-preview")
	first.same(before)
}

// values are those of box.
func (s *site) values() string { return s.box("box").run(allValues) }

// A value that somebody else has changed is restored all the same.
func foreignChange(t *testing.T, bin string) {
	s := newSite(t, bin, false)
	before := s.snapshot()
	s.write(bare + tuned("box", "65535"))
	s.mustPulumi("up", "--skip-preview")
	s.box("box").run("echo 1234 > " + somaxconn)
	s.says(s.mustPulumi("destroy", "--skip-preview"),
		`warning: sysctl/net.core.somaxconn was set to "65535" by this lab and found as "1234": someone else changed it; the original "777" is put back all the same`)
	s.same(before)
}

// A host that takes connections and then says nothing, as one that hangs or whose packets
// are dropped.
func unreachableHost(t *testing.T, bin string) {
	s := newSite(t, bin, false)
	before := s.snapshot()
	s.write(bare + tuned("box", "65535"))
	s.mustPulumi("up", "--skip-preview")
	s.write(bare + tuned("box", "3000"))
	box := s.box("box")
	signalRoot(t, "STOP", box.pid)
	t.Cleanup(func() { signalRoot(t, "CONT", box.pid) })
	const silent = "no SSH handshake within 10s"
	for _, command := range []string{"up", "refresh", "destroy"} {
		s.fails([]string{"root@127.0.0.1:", silent}, command, "--skip-preview", "--yes")
	}
	signalRoot(t, "CONT", box.pid)
	if got := box.run("cat " + somaxconn); got != "65535" {
		t.Errorf("somaxconn is %s, want 65535", got)
	}
	s.mustPulumi("destroy", "--skip-preview")
	s.same(before)
}

// A host that goes silent in the middle of an apply.
func hostGoesSilent(t *testing.T, bin string) {
	s := newSite(t, bin, false)
	before := s.snapshot()
	s.write(bare)
	s.mustPulumi("up", "--skip-preview")
	s.write(bare + tuned("box", "65535"))
	box := s.box("box")
	hold := atWrite(finTimeout)
	box.arm(hold)
	run := s.start("up", "--skip-preview")
	box.held(hold)
	// The agent stays as it is. Nobody kills it, and nobody waits for it for ever.
	s.says(run.wait(), "connection lost during the call")
	if run.cmd.ProcessState.Success() {
		t.Error("up has succeeded")
	}
	box.release(hold)
	box.quiet()
	s.mustPulumi("destroy", "--skip-preview")
	s.same(before)
}

// Two runs of one stack: Pulumi's lock keeps the second out, and recover leaves it alone.
func twoRunsAtOnce(t *testing.T, bin string) {
	s := newSite(t, bin, false)
	before := s.snapshot()
	s.write(bare + tuned("box", "65535"))
	box := s.box("box")
	hold := atWrite(finTimeout)
	box.arm(hold)
	run := s.start("up", "--skip-preview")
	box.held(hold)
	s.fails([]string{"the stack is currently locked"}, "up", "--skip-preview")
	out, err := s.recover()
	if err == nil {
		t.Errorf("recover has gone ahead:\n%s", out)
	}
	s.says(out, "which is still running")
	box.release(hold)
	if out := run.wait(); !run.cmd.ProcessState.Success() {
		t.Errorf("the first up has failed:\n%s", out)
	}
	s.mustPulumi("up", "--skip-preview", "--refresh", "--expect-no-changes")
	s.mustPulumi("destroy", "--skip-preview")
	s.same(before)
}

// The disk of a host is full, or read-only.
func diskFull(t *testing.T, bin string) {
	s := newSite(t, bin, false)
	before := s.snapshot()
	box := s.box("box")
	const disk = "/var/lib/benchlab"
	const full, free = "dd if=/dev/zero of=" + disk + "/filler bs=4k 2>/dev/null; true", "rm -f " + disk + "/filler"
	const readOnly, writable = "mount -n -o remount,ro " + disk, "mount -n -o remount,rw " + disk
	box.run("mkdir " + disk + " && mount -n -t tmpfs -o size=64m tmpfs " + disk)
	untouched := s.values()

	// The first contact: the program finds no room.
	s.write(bare + tuned("box", "65535"))
	for _, fault := range [][3]string{{full, free, "No space left on device"}, {readOnly, writable, "ead-only file system"}} {
		box.run(fault[0])
		s.fails([]string{"root@127.0.0.1:"}, "up", "--skip-preview")
		box.run(fault[1])
	}
	s.write(bare)
	s.mustPulumi("up", "--skip-preview")

	// The first originals.
	s.write(bare + tuned("box", "65535"))
	for _, fault := range [][2]string{{full, free}, {readOnly, writable}} {
		box.run(fault[0])
		s.fails([]string{"is the disk full or read-only?", "no value was changed"}, "up", "--skip-preview")
		if now := s.values(); now != untouched {
			t.Errorf("with %q values have changed", fault[0])
		}
		box.run(fault[1])
	}
	s.mustPulumi("up", "--skip-preview")
	tunedValues := s.values()

	// More originals.
	s.write(bare + tuned("box", "3000"))
	for _, fault := range [][2]string{{full, free}, {readOnly, writable}} {
		box.run(fault[0])
		s.fails([]string{"is the disk full or read-only?", "no value was changed"}, "up", "--skip-preview")
		if now := s.values(); now != tunedValues {
			t.Errorf("with %q values have changed", fault[0])
		}
		box.run(fault[1])
	}

	// The way back.
	for _, fault := range [][2]string{{full, free}, {readOnly, writable}} {
		box.run(fault[0])
		s.fails([]string{"is the disk full or read-only?"}, "destroy", "--skip-preview")
		box.run(fault[1])
	}
	s.mustPulumi("destroy", "--skip-preview")
	box.run("umount -n " + disk + "; rmdir " + disk)
	s.same(before)
}
