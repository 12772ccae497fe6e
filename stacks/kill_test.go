//go:build linux

package main

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// TestKill is the kill matrix: each part of a run, killed with SIGKILL at each point of
// its work. Afterwards destroy alone brings every original back, byte for byte, and
// leaves nothing; and in a second life of the same lab, which dies the same death, up
// converges first.
//
//	go test ./stacks -run TestKill/provider/between
func TestKill(t *testing.T) {
	bin := built(t)
	for _, v := range victims {
		t.Run(v.name, func(t *testing.T) {
			for _, p := range points {
				if slices.Contains(p.without, v.name) {
					continue
				}
				t.Run(p.name, func(t *testing.T) {
					t.Parallel()
					kill(t, bin, v, p)
				})
			}
		})
	}
}

func kill(t *testing.T, bin string, v victim, p point) {
	s := newSite(t, bin, v.host)
	before := s.snapshot()
	s.strike(v, p)
	if v.cli {
		s.mustPulumi("cancel", "--yes")
	}
	s.mustPulumi("destroy", "--skip-preview")
	s.same(before)

	s.strike(v, p)
	up := []string{"up", "--skip-preview"}
	switch {
	case v.cli:
		s.mustRecover()
	case v.host, p.destroys:
		// What is gone, or was put back, is so behind the state's back.
		up = append(up, "--refresh")
	}
	s.write(p.goal())
	s.mustPulumi(up...)
	s.mustPulumi("up", "--skip-preview", "--refresh", "--expect-no-changes")
	for path, want := range p.live {
		if got := s.box(p.where()).run("cat " + path); got != want {
			t.Errorf("after up %s is %q, want %q", path, got, want)
		}
	}
	s.mustPulumi("destroy", "--skip-preview")
	s.same(before)
}

// strike runs a lab up to the point and kills the victim there.
func (s *site) strike(v victim, p point) {
	s.t.Helper()
	if p.before != "" {
		s.write(p.before)
		s.mustPulumi("up", "--skip-preview")
	}
	box := s.box(p.where())
	box.arm(p.trap)
	if p.then != "" {
		s.write(p.then)
	}
	run := s.start(p.command()...)
	box.held(p.trap)
	v.kill(s, box, p, run)
	if !v.host {
		box.release(p.trap)
	}
	out := run.wait()
	// A namespace host that is gone has nothing left to restore, so a destroy goes on.
	if settled := p.settled && (v.remote || v.host && p.destroys); run.cmd.ProcessState.Success() != settled {
		s.t.Fatalf("%s, whose %s was killed: success %t, want %t:\n%s", strings.Join(run.cmd.Args, " "), v.name, !settled, settled, out)
	}
	if os.Getenv("BENCHLAB_KILL_LOG") != "" {
		s.t.Logf("%s", out)
	}
	if !v.host {
		box.quiet()
	}
}
