package tuning

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/hanzoai/benchlab/tuning/spec"
)

// Whatever happens between the first apply and the last restore - updates, writes of
// others, failing writes, kills, failing restores, handovers, comparisons - the host ends as it was
// found, and its ledger empty.
func TestAnySequenceEndsAtTheOriginals(t *testing.T) {
	for seed := range uint64(60) {
		tr := pstateTree(t, 2)
		tr.put("proc/sys/fs/nr_open", "1048576\n")
		tr.put(thpDir+"enabled", "always [madvise] never\n")
		tr.put("sys/kernel/mm/ksm/run", "0\n")
		tr.addEth8(4)
		before := tr.snapshot()
		random := rand.New(rand.NewPCG(seed, 0))
		var history []string
		for range 1 + random.IntN(10) {
			history = append(history, tr.disturb(random))
			tr.fault = nil
			tr.everyChangeIsInTheLedger(before, history)
		}
		if _, err := tr.RestoreLab(context.Background(), "lab-1"); err != nil {
			t.Errorf("seed %d, %q: %v", seed, history, err)
		}
		if d := cmp.Diff(before, tr.snapshot()); d != "" {
			t.Errorf("seed %d, %q:\n%s", seed, history, d)
		}
		tr.checkNoFileIs(0)
		if l := tr.ledger(); len(l.Entries) != 0 {
			t.Errorf("seed %d, %q: ledger %+v", seed, history, l.Entries)
		}
	}
}

// disturb does one random thing to a host and says which.
func (tr *tree) disturb(random *rand.Rand) (what string) {
	owner := []spec.Owner{spark, renamed}[random.IntN(2)]
	wanted := spec.Tunables{Sysctls: map[string]string{}}
	for _, s := range [][2]string{{"net.core.somaxconn", "1024"}, {"vm.swappiness", "7"}, {"net.ipv4.tcp_rmem", "1 2 3"}} {
		if random.IntN(2) == 0 {
			wanted.Sysctls[s[0]] = s[1]
		}
	}
	if random.IntN(2) == 0 {
		wanted.NICs = []spec.NIC{{Name: "eth0", PacketSteering: &spec.Steering{CPUs: "0-1", FlowEntries: 64 << random.IntN(3)}}}
	}
	if random.IntN(2) == 0 {
		wanted.CPU = &spec.CPUPower{Governor: []string{"performance", "powersave"}[random.IntN(2)]}
	}
	if random.IntN(2) == 0 {
		wanted.Hugepages = &spec.Hugepages{Enabled: []string{"always", "never"}[random.IntN(2)]}
	}
	if random.IntN(2) == 0 {
		wanted.Sysfs = map[string]string{"/sys/kernel/mm/ksm/run": "1"}
	}
	if random.IntN(2) == 0 {
		wanted.Limits = &spec.ProcessLimits{NoFile: 1024 << random.IntN(3)}
	}
	if random.IntN(2) == 0 {
		steering := []*spec.Steering{nil, {CPUs: "0-1", ExcludeIRQ: true}, {CPUs: spec.Auto}}[random.IntN(3)]
		n := spec.NIC{Name: "eth8", PacketSteering: steering}
		if steering == nil || steering.CPUs != spec.Auto {
			n.IRQAffinity = []string{"auto", "2"}[random.IntN(2)]
		}
		wanted.NICs = append(wanted.NICs, n)
	}
	ctx := context.Background()
	switch n := 1 + random.IntN(8); random.IntN(8) {
	case 0, 1:
		_, err := tr.Apply(ctx, owner, wanted, nil)
		return fmt.Sprintf("apply %v: %v", wanted, err)
	case 2:
		// Of an interrupt EIO is no failure: the kernel manages it.
		tr.failAt(n, []error{unix.EINVAL, unix.EIO}[random.IntN(2)])
		_, err := tr.Apply(ctx, owner, wanted, nil)
		return fmt.Sprintf("apply %v failing at %d: %v", wanted, n, err)
	case 3:
		tr.fault = func(string, []byte) error {
			if n--; n == 0 {
				panic("killed")
			}
			return nil
		}
		defer func() {
			if recover() != nil {
				what = fmt.Sprintf("apply %v killed", wanted)
			}
		}()
		_, err := tr.Apply(ctx, owner, wanted, nil)
		return fmt.Sprintf("apply %v not killed: %v", wanted, err)
	case 4:
		// Someone else writes a value, but only one that is ours to put back.
		for _, e := range tr.ledger().Entries {
			if e.Key == "sysctl/vm.swappiness" {
				tr.put("proc/sys/vm/swappiness", "33\n")
				return "outside write"
			}
		}
		return "nothing"
	case 5:
		if random.IntN(2) == 0 {
			tr.failAt(n, unix.EINVAL)
		}
		_, err := tr.Suspend(ctx, owner.Lab)
		return fmt.Sprintf("suspend with a fault at %d at the most: %v", n, err)
	case 6:
		if random.IntN(2) == 0 {
			tr.failAt(n, unix.EINVAL)
		}
		_, err := tr.Resume(ctx)
		return fmt.Sprintf("resume with a fault at %d at the most: %v", n, err)
	default:
		tr.failAt(n, unix.EIO)
		_, err := tr.Restore(ctx, owner)
		return fmt.Sprintf("restore failing at %d: %v", n, err)
	}
}

// everyChangeIsInTheLedger is the invariant that holds at every moment.
func (tr *tree) everyChangeIsInTheLedger(before map[string]string, history []string) {
	tr.t.Helper()
	known := map[string]string{}
	for _, e := range tr.ledger().Entries {
		k, err := tr.find(e.Key)
		if err != nil {
			tr.t.Fatal(err)
		}
		known[k.String()] = e.Original.Value
		for _, r := range e.Resets {
			if k, err = tr.find(r.Key); err != nil {
				tr.t.Fatal(err)
			}
			if _, ok := known[k.String()]; !ok {
				known[k.String()] = r.Value
			}
		}
	}
	for path, now := range tr.snapshot() {
		was := before[path]
		if chosen, _, ok := parseChoice(was); ok {
			was = chosen
		}
		if original, ok := known[path]; now != before[path] && (!ok || original != was) {
			tr.t.Errorf("%q: %s is %q, was %q, and the ledger knows %q", history, path, now, before[path], original)
		}
	}
}
