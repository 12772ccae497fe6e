package profiles

import (
	"github.com/hanzoai/benchlab/tuning/profiles/syntax"
	"github.com/hanzoai/benchlab/tuning/spec"
)

// Words that the code knows by name. Each is the start of keys, too.
const (
	sysctlKey   = "sysctl"
	sysfsKey    = "sysfs"
	requiredKey = "required"
	persistKey  = "persist"
	nicKind     = "nic"
	serviceKind = "service"
)

// hostWords are the attributes that tune a host.
var hostWords = []word{
	optional(sysctlKey, `{ "net.core.somaxconn" = 65535 }`, sysctls),
	optional("numa_balancing", `false`, numaBalancing),
	optional(sysfsKey, `{ "/sys/kernel/mm/ksm/run" = 0 }`, sysfs),
	toggle(requiredKey, `true`, func(t target, v bool) { t.Required = v }),
	toggle(persistKey, `true`, func(t target, v bool) { t.Persist = v }),
}

// hostGroups are the blocks that tune a host, beside nic and service.
var hostGroups = []group{
	{kind: "cpu", words: []word{
		text("governor", `"performance"`, func(t target, v string) { ensure(&t.CPU).Governor = v }),
		text("energy_performance_preference", `"performance"`, func(t target, v string) { ensure(&t.CPU).EnergyPerformancePreference = v }),
		toggle("boost", `true`, func(t target, v bool) { ensure(&t.CPU).Boost = &v }),
	}},
	{kind: "transparent_hugepage", words: []word{
		text("enabled", `"never"`, func(t target, v string) { ensure(&t.Hugepages).Enabled = v }),
		text("defrag", `"never"`, func(t target, v string) { ensure(&t.Hugepages).Defrag = v }),
	}},
	{kind: "limits", words: []word{
		number("nofile", `1048576`, 1, func(t target, v int) { ensure(&t.Limits).NoFile = v }),
	}},
}

// nicWords are the attributes of a nic block.
var nicWords = []word{
	number("mtu", `9000`, 1, func(t target, v int) { t.nic.MTU = v }),
	text("queue_discipline", `"fq"`, func(t target, v string) { t.nic.QueueDiscipline = v }),
	text("irq_affinity", `"auto"`, func(t target, v string) { t.nic.IRQAffinity = v }),
	optional("offload", `{ gro = true, tso = true }`, offloads),
}

// nicGroups are the blocks in a nic block.
var nicGroups = []group{
	{kind: "channels", words: []word{
		count("combined", `"max"`, func(t target, v string) { ensure(&t.nic.Channels).Combined = v }),
		count("rx", `4`, func(t target, v string) { ensure(&t.nic.Channels).RX = v }),
		count("tx", `4`, func(t target, v string) { ensure(&t.nic.Channels).TX = v }),
		count("other", `1`, func(t target, v string) { ensure(&t.nic.Channels).Other = v }),
	}},
	{kind: "ring", words: []word{
		count("rx", `"max"`, func(t target, v string) { ensure(&t.nic.Ring).RX = v }),
		count("tx", `"max"`, func(t target, v string) { ensure(&t.nic.Ring).TX = v }),
		count("rx_mini", `"max"`, func(t target, v string) { ensure(&t.nic.Ring).RXMini = v }),
		count("rx_jumbo", `"max"`, func(t target, v string) { ensure(&t.nic.Ring).RXJumbo = v }),
	}},
	{kind: "coalesce", words: []word{
		toggle("adaptive_rx", `false`, func(t target, v bool) { ensure(&t.nic.Coalescing).AdaptiveRX = &v }),
		toggle("adaptive_tx", `false`, func(t target, v bool) { ensure(&t.nic.Coalescing).AdaptiveTX = &v }),
		number("rx_usecs", `50`, 0, func(t target, v int) { ensure(&t.nic.Coalescing).RXUsecs = &v }),
		number("rx_frames", `64`, 0, func(t target, v int) { ensure(&t.nic.Coalescing).RXFrames = &v }),
		number("tx_usecs", `50`, 0, func(t target, v int) { ensure(&t.nic.Coalescing).TXUsecs = &v }),
		number("tx_frames", `64`, 0, func(t target, v int) { ensure(&t.nic.Coalescing).TXFrames = &v }),
	}},
	{kind: "packet_steering", words: []word{
		text("cpus", `"all"`, func(t target, v string) { ensure(&t.nic.PacketSteering).CPUs = v }),
		toggle("exclude_irq", `true`, func(t target, v bool) { ensure(&t.nic.PacketSteering).ExcludeIRQ = v }),
		optional("flow_entries", `32768`, flowEntries),
		optional("flow_entries_per_queue", `4096`, flowEntriesPerQueue),
	}, there: func(t target) { ensure(&t.nic.PacketSteering) }},
}

// blocks are the shapes of the blocks that tune a host; nicLabel is what the label of a
// nic block is.
func blocks(nicLabel string) []syntax.Shape {
	nic := syntax.Shape{Kind: nicKind, Label: nicLabel, Attributes: attributes(nicWords)}
	for _, g := range nicGroups {
		nic.Blocks = append(nic.Blocks, g.shape())
	}
	shapes := []syntax.Shape{nic}
	for _, g := range hostGroups {
		shapes = append(shapes, g.shape())
	}
	return append(shapes, syntax.Shape{Kind: serviceKind, Label: "unit", Attributes: []syntax.Attribute{
		{Name: "state", Example: `"` + spec.Stopped + `"`},
	}})
}

// TuneShape is the shape of a block that tunes a host which its language names, by
// attributes of its own.
func TuneShape(own ...syntax.Attribute) syntax.Shape {
	return syntax.Shape{
		Kind: "tune", Label: syntax.Name, Blocks: blocks("NIC"),
		Attributes: append(append(own,
			syntax.Attribute{Name: "profile", Example: `"small-requests"`, Optional: true},
			syntax.Attribute{Name: "nics", Example: `["data0"]`, Optional: true},
		), attributes(hostWords)...),
	}
}

// ProfileShape is the shape of a profile that is a block of a file.
func ProfileShape() syntax.Shape {
	s := fileShape()
	s.Label = syntax.Name
	return s
}

// fileShape is the shape of a profile that is a file of its own.
func fileShape() syntax.Shape {
	return syntax.Shape{
		Kind: "profile", Blocks: blocks(""),
		Attributes: append([]syntax.Attribute{
			{Name: "extends", Example: `"small-requests"`, Optional: true},
			{Name: "without", Example: `["sysctl/net.ipv4.tcp_tw_reuse"]`, Optional: true},
		}, attributes(hostWords)...),
	}
}
