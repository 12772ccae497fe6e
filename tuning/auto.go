package tuning

import (
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/hanzoai/benchlab/tuning/ethtool"
	"github.com/hanzoai/benchlab/tuning/spec"
)

// enoughQueues is the number of hardware queues from which they do better than software
// steering, even where the NIC's memory domain has more cores: each queue saves the hop
// from the core of the interrupt to another.
const enoughQueues = 4

// fewCores is the number of cores below which their second threads are steered to as well.
const fewCores = 4

// resolve replaces what the tunables leave to the host's facts by what the facts say,
// and notes in the plan for a person what was chosen, and why. Where the facts can't be
// had it leaves the NIC as it is: whoever expands it meets the same error, and says it.
func (p *plan) resolve(h *Host, ledger Ledger, t spec.Tunables) spec.Tunables {
	note := func(format string, arguments ...any) { p.notes = append(p.notes, fmt.Sprintf(format, arguments...)) }
	nics := make([]spec.NIC, 0, len(t.NICs))
	pinned := ""
	for _, n := range t.NICs {
		if n.PacketSteering == nil && n.IRQAffinity == "" {
			nics = append(nics, n)
			continue
		}
		q, why, err := h.steeringFacts(n)
		if err != nil {
			nics = append(nics, n)
			continue
		}
		if n.PacketSteering != nil && n.PacketSteering.CPUs == spec.Auto {
			var choice string
			n, choice = h.automatic(n, q, why == "")
			note("%s: %s", n.Name, choice)
			if after, err := h.queuesOf(n); err == nil { // the channels may be other ones now
				q.queues = after
			}
		}
		if n.PacketSteering != nil && n.PacketSteering.ExcludeIRQ && why != "" {
			note("%s: exclude_irq leaves nothing out: %s", n.Name, why)
		}
		if n.IRQAffinity != "" && why == "" {
			if pinned == "" {
				pinned = n.Name
			}
			if q.coming() {
				p.partial = true
				note("%s: the interrupts that come with %s are given their CPUs in the same call", n.Name, counted(len(q.rx), "rx queue"))
			}
		}
		nics = append(nics, n)
	}
	t.NICs = nics
	if pinned != "" && h.stopsBalancer(t, ledger, p.owner) {
		t.Services = maps.Clone(t.Services)
		if t.Services == nil {
			t.Services = map[string]string{}
		}
		t.Services[balancer] = spec.Stopped
		note("%s: irqbalance is to be stopped while the lab stands: it would move the interrupts again within 10 s", pinned)
	}
	return t
}

// facts are what decides about the steering of a NIC.
type facts struct {
	queues
	host cpus
}

// steeringFacts has also why the NIC has no interrupts, where it has none.
func (h *Host) steeringFacts(n spec.NIC) (f facts, why string, err error) {
	if f.queues, err = h.queuesOf(n); err != nil {
		return f, "", err
	}
	if f.host, err = h.cpus(); err != nil {
		return f, "", err
	}
	_, why, err = h.interrupts(n.Name)
	return f, why, err
}

// automatic decides between hardware queues and software steering.
func (h *Host) automatic(n spec.NIC, q facts, interrupts bool) (spec.NIC, string) {
	near := h.domain(n.Name, q.host)
	cores := h.onePerCore(near.cpus)
	p := *n.PacketSteering // the caller's stays as it is
	n.PacketSteering = &p
	possible, changes := h.possibleQueues(n.Name, q.queues)
	if interrupts && (possible >= cores.Count() || possible >= enoughQueues) {
		use := len(q.rx)
		if changes {
			use = min(possible, cores.Count())
			n.Channels = &spec.ChannelCounts{Combined: strconv.Itoa(use)}
		}
		n.IRQAffinity, p.CPUs = spec.Auto, spec.None
		return n, fmt.Sprintf("hardware queues, no software steering: %s for the %s of %s, each with its interrupt on a core of its own (of CPUs %s)",
			counted(use, "rx queue"), counted(cores.Count(), "core"), near, cores.List())
	}
	target := h.big(cores)
	if cores.Count() < fewCores {
		target = h.big(near.cpus)
	}
	p.CPUs = target.List()
	reason := counted(len(q.rx), "rx queue") + ", and the driver can't have more"
	switch {
	case !interrupts:
		reason = "the NIC has no interrupts that could be spread"
	case possible > len(q.rx):
		reason = fmt.Sprintf("the driver can have no more than %s for the %s of %s", counted(possible, "rx queue"), counted(cores.Count(), "core"), near)
	}
	return n, fmt.Sprintf("software steering over CPUs %s: %s", p.CPUs, reason)
}

// possibleQueues is how many rx queues a NIC can have, and whether its driver lets that be
// changed. To learn that, the driver is asked for the channels that it has: where it has
// no way to change them the kernel refuses at once, and else it has nothing to do.
func (h *Host) possibleQueues(nic string, q queues) (possible int, changes bool) {
	name := "combined"
	if q.channels[name].Max == 0 {
		name = "rx"
	}
	have := q.channels[name]
	if have.Max == 0 {
		return len(q.rx), false
	}
	err := h.askEthtool(func(c *ethtool.Client) error {
		return c.Set(nic, ethtool.Channels, map[string]uint32{name: have.Value})
	})
	if errors.Is(err, unix.EOPNOTSUPP) {
		return len(q.rx), false
	}
	return max(len(q.rx), int(have.Max)), true
}

func counted(n int, noun string) string {
	if n == 1 {
		return "one " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

const balancer = "irqbalance.service"

// stopsBalancer says whether interrupts that are pinned need irqbalance stopped. Where
// it was this owner who stopped it, it must stay so.
func (h *Host) stopsBalancer(t spec.Tunables, ledger Ledger, owner spec.Owner) bool {
	for name := range t.Services {
		if spec.UnitName(name) == balancer {
			return false
		}
	}
	for _, e := range ledger.Entries {
		if e.Owner == owner && strings.HasPrefix(e.Key, servicePrefix+balancer+"/") {
			return true
		}
	}
	return h.processes()["irqbalance"] != ""
}
