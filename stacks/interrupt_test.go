//go:build linux

package main

import (
	"os"
	"strings"
	"testing"
)

// TestInterrupt is Ctrl-C, once and twice, in each phase of a run. The first lets what is
// under way finish or take itself back, the second leaves at once. After either, destroy
// brings every original back.
func TestInterrupt(t *testing.T) {
	bin := built(t)
	phases := []point{
		{name: "connect", then: bare, trap: trap{when: `true`}},
		{name: "benchmark", before: bare + tuned("box", "65535") + server, then: bare + tuned("box", "65535") + server + load("60s"), trap: underLoad},
	}
	for _, p := range points {
		switch p.name {
		case "between", "start", "suspending", "suspended", "destroy":
			phases = append(phases, p)
		}
	}
	for _, times := range []string{"once", "twice"} {
		t.Run(times, func(t *testing.T) {
			for _, p := range phases {
				t.Run(p.name, func(t *testing.T) {
					t.Parallel()
					interrupt(t, bin, p, times == "twice")
				})
			}
		})
	}
}

func interrupt(t *testing.T, bin string, p point, twice bool) {
	s := newSite(t, bin, false)
	before := s.snapshot()
	host := s.box("box")
	if p.name == "connect" {
		// The host takes the connection and says nothing.
		signalRoot(t, "STOP", host.pid)
		t.Cleanup(func() { signalRoot(t, "CONT", host.pid) })
	}
	s.strike(victim{name: "CLI interrupted", kill: func(_ *site, _ *box, p point, run *running) {
		if p.name == "connect" {
			eventually(t, "the provider connects", func() bool { return strings.Contains(run.out.String(), "connecting to") })
		}
		run.signal(os.Interrupt)
		eventually(t, "Pulumi has heard it", func() bool { return strings.Contains(run.out.String(), "^C received") })
		if twice {
			run.signal(os.Interrupt)
			run.wait()
		}
	}}, p)
	if p.name == "connect" {
		signalRoot(t, "CONT", host.pid)
	}
	if locks := s.locks(); len(locks) > 0 {
		if !twice {
			t.Errorf("one Ctrl-C has left a lock: %q", locks)
		}
		s.mustRecover()
	}
	s.mustPulumi("destroy", "--skip-preview")
	s.same(before)
}
