package tuning

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/hanzoai/benchlab/tuning/ethtool"
	"github.com/hanzoai/benchlab/tuning/spec"
)

// Whatever happens to a NIC between the first apply and the last restore - updates by two
// resources of a lab and by another lab, comparisons, restores, reboots, each also killed or
// failing at any write, and writes of others - it ends as it was found, and the ledger
// empty. What nobody disturbs succeeds, and changes nothing when it is done again.
func kernelAnySequenceOnNIC(t *testing.T) {
	b := &breaking{}
	b.into(t)
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 1))
		s := &sequence{t: t, h: kernelHost(t), b: b, Rand: r, seed: seed, nic: "any" + strconv.FormatUint(seed, 10), queues: 1 + r.IntN(8)}
		s.h.files = rebooted{boots: &s.boots}
		s.found()
		before := s.state()
		for range 1 + r.IntN(8) {
			s.disturb()
		}
		*b = breaking{}
		for _, lab := range []string{spark.Lab, other.Lab} {
			if _, err := s.h.RestoreLab(context.Background(), lab); err != nil {
				s.fail("restore: %v", err)
			}
		}
		if d := cmp.Diff(before, s.state()); d != "" {
			s.fail("%s", d)
		}
		if l := s.h.ledger(); len(l.Entries) != 0 {
			s.fail("ledger %+v", l.Entries)
		}
		s.gone()
	}
}

// breaking lets one of the next writes fail, or be the last of the process.
type breaking struct {
	// in is the number of that write, 1 for the next one; 0 breaks none.
	in int
	// after: it has its effect all the same.
	after bool
	// err is what it fails with; nil is a kill.
	err error
}

// killed is what a panic says that stands for a SIGKILL.
type killed struct{}

func (b *breaking) write(do func() error) error {
	b.in--
	if b.in != 0 {
		return do()
	}
	if b.after {
		if err := do(); err != nil {
			return err
		}
	}
	if b.err == nil {
		panic(killed{})
	}
	return b.err
}

// into puts b between every knob and the kernel.
func (b *breaking) into(t *testing.T) {
	whole := tunables
	t.Cleanup(func() { tunables = whole })
	tunables = nil
	for _, one := range whole {
		tunables = append(tunables, tunable{
			expand: func(h *Host, t spec.Tunables) ([]setting, error) {
				settings, err := one.expand(h, t)
				for i := range settings {
					settings[i].knob = b.knob(settings[i].knob)
				}
				return settings, err
			},
			find: func(h *Host, key string) (knob, bool) {
				k, ok := one.find(h, key)
				return b.knob(k), ok
			},
		})
	}
}

func (b *breaking) knob(k knob) knob {
	if _, ok := k.place.(removable); ok {
		k.place = brittleRemovable{brittle{k.place, b}}
	} else {
		k.place = brittle{k.place, b}
	}
	if resets := k.resets; resets != nil {
		k.resets = func() ([]knob, error) {
			knobs, err := resets()
			for i := range knobs {
				knobs[i] = b.knob(knobs[i])
			}
			return knobs, err
		}
	}
	return k
}

type brittle struct {
	place
	b *breaking
}

func (p brittle) write(text []byte) error {
	return p.b.write(func() error { return p.place.write(text) })
}

type brittleRemovable struct{ brittle }

func (p brittleRemovable) remove() error { return p.b.write(p.place.(removable).remove) }

// sequence is what happens to one NIC.
type sequence struct {
	*rand.Rand
	t       *testing.T
	h       *tree
	b       *breaking
	seed    uint64
	nic     string
	queues  int
	boots   int
	history []string
}

// rebooted are the kernel's files with a boot id of its own for each boot.
type rebooted struct {
	system
	boots *int
}

func (f rebooted) read(path string) ([]byte, error) {
	if strings.HasSuffix(path, "/boot_id") {
		return []byte(strconv.Itoa(*f.boots)), nil
	}
	return f.system.read(path)
}

func (s *sequence) fail(format string, arguments ...any) {
	s.t.Errorf("%s: %s\n%s", s.nic, strings.Join(s.history, "\n"), fmt.Sprintf(format, arguments...))
}

func (s *sequence) of(all ...string) string { return all[s.IntN(len(all))] }
func (s *sequence) count() string           { return strconv.Itoa(1 + s.IntN(s.queues)) }

// found makes the NIC, as someone has set it up before, and sets up again at each boot.
func (s *sequence) found() {
	after := s.Rand
	s.Rand = rand.New(rand.NewPCG(s.seed, 2))
	defer func() { s.Rand = after }()
	addVeth(s.t, s.nic, s.nic+"p", s.queues)
	link, err := netlink.LinkByName(s.nic)
	if err != nil {
		s.t.Fatal(err)
	}
	if err := netlink.LinkSetUp(link); err != nil {
		s.t.Fatal(err)
	}
	for i := range s.queues {
		s.h.put(queueFile(s.nic, "rx", i, "rps_cpus"), s.of("0", "1", "2", "3"))
		s.h.put(queueFile(s.nic, "rx", i, "rps_flow_cnt"), s.of("0", "64"))
		if s.queues > 1 {
			s.h.put(queueFile(s.nic, "tx", i, "xps_cpus"), s.of("0", "1", "2", "3"))
		}
	}
	for _, feature := range []string{"tx-scatter-gather", "rx-gro", "tx-checksum-ip-generic"} {
		if s.IntN(4) == 0 {
			s.write("offload/"+feature, s.of("on", "off"))
		}
	}
	if s.IntN(2) == 0 {
		s.write("qdisc", s.explicitQdisc())
		s.write("channels/rx", s.count())
		s.write("channels/tx", s.count())
	}
}

func (s *sequence) gone() {
	link, err := netlink.LinkByName(s.nic)
	if err == nil {
		err = netlink.LinkDel(link)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// reboot makes everything as the machine's boot does.
func (s *sequence) reboot() {
	s.gone()
	breaks := *s.b
	*s.b = breaking{}
	s.found()
	s.h.put("proc/sys/net/core/somaxconn", somaxconnAtBoot)
	s.boots++
	*s.b = breaks
}

const somaxconnAtBoot = "4096"

func (s *sequence) explicitQdisc() string {
	if s.queues == 1 {
		return "pfifo_fast"
	}
	return "mq pfifo_fast"
}

// write is what someone else does to a value of the NIC.
func (s *sequence) write(name, value string) {
	k, err := s.h.find(nicPrefix + s.nic + "/" + name)
	if err != nil {
		s.t.Fatal(err)
	}
	s.history = append(s.history, fmt.Sprintf("someone else writes %s to %s: %v", value, k, k.write(line(value))))
}

// state is all of the NIC that may be tuned, and what is tuned with it here.
func (s *sequence) state() map[string]string {
	all := map[string]string{}
	for _, pattern := range []string{"mtu", "queues/*/*_c*"} {
		paths, err := filepath.Glob("/sys/class/net/" + s.nic + "/" + pattern)
		if err != nil {
			s.t.Fatal(err)
		}
		for _, p := range paths {
			text, err := os.ReadFile(p) // xps_cpus of a NIC that was made with one tx queue can't be
			all[p] = fmt.Sprint(string(text), err)
		}
	}
	for name, value := range offloadValues(s.t, s.h, s.nic) {
		all[name] = value
	}
	link, err := netlink.LinkByName(s.nic)
	if err != nil {
		s.t.Fatal(err)
	}
	all["qdisc"] = strings.Join(qdiscs(s.t, link), ", ")
	channels, _, err := s.h.parameters(s.nic, ethtool.Channels)
	if err != nil {
		s.t.Fatal(err)
	}
	all["channels"] = fmt.Sprint(channels)
	all["somaxconn"] = s.h.get("proc/sys/net/core/somaxconn")
	return all
}

// disturb does one random thing.
func (s *sequence) disturb() {
	owner := []spec.Owner{spark, renamed, other}[s.IntN(3)]
	*s.b = breaking{}
	if s.IntN(2) == 0 {
		*s.b = breaking{in: 1 + s.IntN(12), after: s.IntN(2) == 0, err: []error{nil, unix.EIO}[s.IntN(2)]}
	}
	undisturbed := s.b.in == 0
	what := fmt.Sprintf("%s of %s, break %+v", owner.URN[strings.LastIndex(owner.URN, ":")+1:], owner.Lab, *s.b)
	defer func() {
		switch r := recover(); r {
		case nil:
		case killed{}:
			s.history = append(s.history, what+" KILLED")
		default:
			panic(r)
		}
	}()
	var err error
	ctx := context.Background()
	switch s.IntN(10) {
	case 0, 1, 2, 3:
		wanted := s.wanted()
		what = fmt.Sprintf("apply %+v by %s", wanted, what)
		_, err = s.h.Apply(ctx, owner, wanted, nil)
		if err == nil {
			s.b.in = 0
			if again := s.h.apply(owner, wanted); again.Writes != 0 {
				s.fail("%s: the second apply made %d writes: %q", what, again.Writes, statuses(again))
			}
		} else if strings.Contains(err.Error(), "belongs to") || strings.Contains(err.Error(), "a feature that it needs is off") {
			undisturbed = false // what is wanted can't be
		}
	case 4:
		what = "suspend by " + what
		_, err = s.h.Suspend(ctx, owner.Lab)
	case 5:
		what = "resume by " + what
		_, err = s.h.Resume(ctx)
	case 6:
		what = "boot, break " + fmt.Sprintf("%+v", *s.b)
		s.reboot()
		if s.IntN(4) > 0 {
			err = s.h.Boot(ctx, 0, func(spec.Setting) {})
		}
	case 7, 8:
		what = "restore by " + what
		_, err = s.h.Restore(ctx, owner)
	default:
		s.outside()
		return
	}
	s.history = append(s.history, fmt.Sprintf("%s: %v", what, err))
	if err != nil && undisturbed {
		s.fail("it failed")
	}
}

// outside writes a value that is ours to put back.
func (s *sequence) outside() {
	*s.b = breaking{}
	entries := s.h.ledger().Entries
	if len(entries) == 0 {
		return
	}
	e := entries[s.IntN(len(entries))]
	name, isNIC := strings.CutPrefix(e.Key, nicPrefix+s.nic+"/")
	switch {
	case e.BootID != strconv.Itoa(s.boots): // what another wrote since the boot stays
	case !isNIC, name == "mtu", strings.HasSuffix(name, "rps_flow_cnt"):
	case name == "qdisc":
		s.write(name, s.explicitQdisc())
	case strings.HasPrefix(name, "channels/"):
		s.write(name, s.count())
	case strings.HasPrefix(name, "offload/"):
		s.write(name, s.of("on", "off"))
	default:
		s.write(name, "2")
	}
}

func (s *sequence) wanted() spec.Tunables {
	n := spec.NIC{Name: s.nic}
	some := func(choices int) bool { return s.IntN(choices) > 0 }
	if some(2) {
		n.MTU = []int{1400, 9000}[s.IntN(2)]
	}
	if some(3) {
		n.Channels = &[]spec.ChannelCounts{{Combined: s.count()}, {RX: s.count(), TX: s.count()}, {RX: s.count()}}[s.IntN(3)]
	}
	if some(2) {
		n.Offloads = map[string]bool{}
		for _, name := range []string{"tso", "gro", "sg", "tx", "gso", "tx-tcp-segmentation"} {
			if s.IntN(3) == 0 {
				n.Offloads[name] = s.IntN(3) == 0
			}
		}
	}
	if some(2) {
		n.QueueDiscipline = s.of("pfifo", "noqueue", "bfifo", "pfifo_fast")
	}
	if some(2) {
		n.PacketSteering = &spec.Steering{CPUs: s.of("0", "1", "0-1", "none"), FlowEntriesPerQueue: s.IntN(2) * 128}
		if n.Channels == nil {
			n.PacketSteering.CPUs = spec.Auto
		}
	}
	wanted := nicOf(n)
	wanted.Persist = some(2)
	if s.IntN(3) == 0 {
		wanted.Sysctls = map[string]string{"net.core.somaxconn": s.of("1000", "2000")}
	}
	if s.IntN(3) == 0 {
		wanted.Limits = &spec.ProcessLimits{NoFile: 1024 << s.IntN(2)}
	}
	return wanted
}
