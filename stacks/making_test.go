//go:build linux

package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestKillWhileMaking kills a run after its namespace hosts were made and before the
// state could hear of it: what no resource stands for is removed all the same.
func TestKillWhileMaking(t *testing.T) {
	bin := built(t)
	for _, v := range victims {
		if v.name != "provider" && !v.cli {
			continue
		}
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, slowMaker(t, bin), true)
			s.write(bare + tuned("box", "65535"))
			for _, then := range []string{"destroy", "up"} {
				s.killWhileMaking(v, then)
			}
			s.mustPulumi("up", "--skip-preview", "--refresh", "--expect-no-changes")
			s.mustPulumi("destroy", "--skip-preview")
		})
	}
}

func (s *site) killWhileMaking(v victim, then string) {
	s.t.Helper()
	hold := filepath.Join(s.bin, "hold")
	if err := os.WriteFile(hold, nil, 0o600); err != nil {
		s.t.Fatal(err)
	}
	run := s.start("up", "--skip-preview")
	made := func() []string {
		names, err := filepath.Glob(filepath.Join(s.bin, "made-*"))
		if err != nil {
			s.t.Fatal(err)
		}
		return names
	}
	eventually(s.t, "both hosts are made", func() bool { return len(made()) == 2 })
	v.kill(s, nil, point{}, run)
	if err := os.Remove(hold); err != nil {
		s.t.Fatal(err)
	}
	run.wait()
	// The helpers end by themselves, or Pulumi has ended them with the provider.
	eventually(s.t, "the helpers have ended", func() bool { return len(s.own("sh")) == 0 })
	for _, name := range made() {
		if err := os.Remove(name); err != nil {
			s.t.Fatal(err)
		}
	}
	keys, err := filepath.Glob(s.path("keys/benchlab/*"))
	if err != nil || len(keys) != 2 {
		s.t.Fatalf("hosts are known by their keys, found %q %v", keys, err)
	}
	var left int
	for _, key := range keys {
		if s.runs(filepath.Base(key)) {
			left++
		}
	}
	if left == 0 {
		s.t.Fatal("no host has outlived the run: nothing is tested")
	}
	if v.cli {
		s.mustRecover()
	}
	s.mustPulumi(then, "--skip-preview")
	if then != "destroy" {
		return
	}
	for _, key := range keys {
		if s.runs(filepath.Base(key)) {
			s.t.Errorf("host %s still runs", filepath.Base(key))
			if err := s.machine().Delete(context.Background(), filepath.Base(key)); err != nil {
				s.t.Error(err)
			}
		}
	}
}

func (s *site) runs(host string) bool {
	s.t.Helper()
	_, ok, err := s.machine().Inspect(context.Background(), host)
	if err != nil {
		s.t.Fatal(err)
	}
	return ok
}

// slowMaker returns a directory of programs whose helper makes hosts as it should, but
// keeps the answer back while the file hold is there.
func slowMaker(t *testing.T, bin string) string {
	t.Helper()
	dir := t.TempDir()
	// The provider finds the programs beside itself, so it is a copy.
	if out, err := exec.Command("cp", filepath.Join(bin, "pulumi-resource-benchlab"), dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, name := range []string{"program", "linux-amd64", "linux-arm64"} {
		if err := os.Symlink(filepath.Join(bin, name), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	script := `#!/bin/sh
test "$1" = create || exec ` + bin + `/benchlab-netns "$@"
answer=$(` + bin + `/benchlab-netns create) || exit
touch ` + dir + `/made-$$
while test -e ` + dir + `/hold; do sleep 0.02; done
echo "$answer"
`
	if err := os.WriteFile(filepath.Join(dir, "benchlab-netns"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}
