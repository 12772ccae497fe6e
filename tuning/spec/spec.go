// Package spec holds the words of tuning that every layer shares: what can be asked
// for, what a host answers, and when two values are the same. The lab uses it to
// check a file offline, the provider in Check, the host when it applies. It is a
// leaf: no I/O, no Pulumi, no SSH.
package spec

// Tunables is all that one owner wants on one host. What belongs to a whole machine is
// unsupported on a host that is a namespace of it.
type Tunables struct {
	// Sysctls has the values under /proc/sys by key: dotted or slashed
	// ("net.core.somaxconn", "net/ipv4/conf/eth0.100/rp_filter"), base-10 integers or
	// words, fields split by blanks.
	Sysctls map[string]string `json:"sysctls,omitempty" pulumi:"sysctls,optional"`
	NICs    []NIC             `json:"nics,omitempty" pulumi:"nics,optional"`
	CPU     *CPUPower         `json:"cpu,omitempty" pulumi:"cpu,optional"`
	// Hugepages are the transparent ones.
	Hugepages *Hugepages `json:"hugepages,omitempty" pulumi:"hugepages,optional"`
	// NUMABalancing is NUMABalancingKey as a switch.
	NUMABalancing *bool `json:"numaBalancing,omitempty" pulumi:"numaBalancing,optional"`
	// Sysfs has values of files under /sys by their whole path: one line of words, or one of
	// the words that a file offers ("none [mq-deadline]"). No file of another tunable.
	Sysfs map[string]string `json:"sysfs,omitempty" pulumi:"sysfs,optional"`
	// Services has systemd units, each "stopped" or "masked" while the lab stands.
	Services map[string]string `json:"services,omitempty" pulumi:"services,optional"`
	Limits   *ProcessLimits    `json:"limits,omitempty" pulumi:"limits,optional"`
	// Required makes an error of what the host can't have; else it is unsupported.
	Required bool `json:"required,omitempty" pulumi:"required,optional"`
	// Persist has the values applied again when the host boots.
	Persist bool `json:"persist,omitempty" pulumi:"persist,optional"`
}

// NIC is what is wanted of one network interface. What is empty is left alone.
type NIC struct {
	Name string `json:"name" pulumi:"name"`
	// MTU in bytes.
	MTU      int            `json:"mtu,omitempty" pulumi:"mtu,optional"`
	Channels *ChannelCounts `json:"channels,omitempty" pulumi:"channels,optional"`
	Ring     *RingSizes     `json:"ring,omitempty" pulumi:"ring,optional"`
	// Offloads by the kernel's feature name ("rx-gro") or ethtool's name of a group ("tso").
	Offloads   map[string]bool `json:"offloads,omitempty" pulumi:"offloads,optional"`
	Coalescing *Coalescing     `json:"coalescing,omitempty" pulumi:"coalescing,optional"`
	// QueueDiscipline is the kind that each tx queue gets ("fq"): one that needs no
	// parameters.
	QueueDiscipline string `json:"queueDiscipline,omitempty" pulumi:"queueDiscipline,optional"`
	// IRQAffinity is where the NIC's interrupts are served, one CPU a queue: "auto" (the
	// cores of the NIC's memory domain), "all", or a list such as "0-3,8".
	IRQAffinity    string    `json:"irqAffinity,omitempty" pulumi:"irqAffinity,optional"`
	PacketSteering *Steering `json:"packetSteering,omitempty" pulumi:"packetSteering,optional"`
}

// Max asks for the most that a driver has, in ChannelCounts and RingSizes.
const Max = "max"

// ChannelCounts are numbers of queues, in decimal, or Max (ethtool -L).
type ChannelCounts struct {
	RX       string `json:"rx,omitempty" pulumi:"rx,optional"`
	TX       string `json:"tx,omitempty" pulumi:"tx,optional"`
	Combined string `json:"combined,omitempty" pulumi:"combined,optional"`
	Other    string `json:"other,omitempty" pulumi:"other,optional"`
}

// RingSizes are numbers of descriptors, in decimal, or Max (ethtool -G).
type RingSizes struct {
	RX      string `json:"rx,omitempty" pulumi:"rx,optional"`
	TX      string `json:"tx,omitempty" pulumi:"tx,optional"`
	RXMini  string `json:"rxMini,omitempty" pulumi:"rxMini,optional"`
	RXJumbo string `json:"rxJumbo,omitempty" pulumi:"rxJumbo,optional"`
}

// Coalescing is how long a NIC waits before it interrupts (ethtool -C).
type Coalescing struct {
	AdaptiveRX *bool `json:"adaptiveRx,omitempty" pulumi:"adaptiveRx,optional"`
	AdaptiveTX *bool `json:"adaptiveTx,omitempty" pulumi:"adaptiveTx,optional"`
	// RXUsecs and TXUsecs in microseconds, RXFrames and TXFrames in packets.
	RXUsecs  *int `json:"rxUsecs,omitempty" pulumi:"rxUsecs,optional"`
	RXFrames *int `json:"rxFrames,omitempty" pulumi:"rxFrames,optional"`
	TXUsecs  *int `json:"txUsecs,omitempty" pulumi:"txUsecs,optional"`
	TXFrames *int `json:"txFrames,omitempty" pulumi:"txFrames,optional"`
}

// Steering is RPS and RFS for every rx queue and XPS for every tx queue of a NIC, with
// the host's rps_sock_flow_entries.
type Steering struct {
	// CPUs to steer to: "all" (every online CPU), a list such as "0-3,8", "none" (no RPS,
	// where hardware queues do its work), or "auto", which decides by the host's facts
	// between hardware queues and software steering. Empty means "all".
	CPUs string `json:"cpus,omitempty" pulumi:"cpus,optional"`
	// ExcludeIRQ leaves out the CPU that serves the queue's interrupt.
	ExcludeIRQ bool `json:"excludeIrq,omitempty" pulumi:"excludeIrq,optional"`
	// FlowEntries is net.core.rps_sock_flow_entries; the kernel rounds it up to a power
	// of two. 0 leaves RFS alone.
	FlowEntries int `json:"flowEntries,omitempty" pulumi:"flowEntries,optional"`
	// FlowEntriesPerQueue is rps_flow_cnt of each rx queue, rounded up likewise; 0 means
	// FlowEntries divided by the number of rx queues.
	FlowEntriesPerQueue int `json:"flowEntriesPerQueue,omitempty" pulumi:"flowEntriesPerQueue,optional"`
}

// CPUPower is the frequency scaling of every CPU, policy by policy. The words are those
// that the host's driver offers.
type CPUPower struct {
	Governor string `json:"governor,omitempty" pulumi:"governor,optional"`
	// EnergyPerformancePreference is the hint that some drivers take beside the governor.
	EnergyPerformancePreference string `json:"energyPerformancePreference,omitempty" pulumi:"energyPerformancePreference,optional"`
	// Boost is whether CPUs may run above their nominal frequency.
	Boost *bool `json:"boost,omitempty" pulumi:"boost,optional"`
}

// Hugepages are the words of /sys/kernel/mm/transparent_hugepage.
type Hugepages struct {
	Enabled string `json:"enabled,omitempty" pulumi:"enabled,optional"`
	Defrag  string `json:"defrag,omitempty" pulumi:"defrag,optional"`
}

// ProcessLimits are those of the servers and loaders that the lab starts on the host.
type ProcessLimits struct {
	// NoFile is the number of files that one process may have open, soft and hard limit.
	NoFile int `json:"noFile,omitempty" pulumi:"noFile,optional"`
}

// Status is what became of one setting.
type Status string

const (
	// Applied: written and read back as wanted.
	Applied Status = "applied"
	// Unchanged: it was as wanted, nothing was written.
	Unchanged Status = "unchanged"
	// Rounded: written, and the kernel made another value of it; Live says which.
	Rounded Status = "rounded"
	// Unsupported: this host can't have it; Reason says why.
	Unsupported Status = "unsupported"
	// Differs: the live value is not the wanted one (only in a plan).
	Differs Status = "differs"
	// Restored: the original is back.
	Restored Status = "restored"
	// Failed: Reason says path, wanted, found and errno.
	Failed Status = "failed"
)

// Setting is the verdict on one kernel or device value. Key is canonical:
// "sysctl/net.core.somaxconn", "nic/eth0/rx-0/rps_cpus". Values are canonical text.
type Setting struct {
	Key      string `json:"key" pulumi:"key"`
	Original string `json:"original" pulumi:"original"`
	Desired  string `json:"desired" pulumi:"desired"`
	Live     string `json:"live" pulumi:"live"`
	Status   Status `json:"status" pulumi:"status"`
	Reason   string `json:"reason,omitempty" pulumi:"reason,optional"`
}

// Report is what a plan, an apply or a restore found and did.
type Report struct {
	Settings []Setting `json:"settings"`
	// Reads and Writes count accesses to kernel files.
	Reads  int `json:"reads"`
	Writes int `json:"writes"`
	// Warnings name what a person should know: a value that someone else had changed,
	// a setting that now belongs to another resource, another program that sets the same.
	Warnings []string `json:"warnings,omitempty"`
	// Notes say what was chosen where the host's facts decide, and why.
	Notes []string `json:"notes,omitempty"`
}

// Owner is who claims a setting on a host: the resource's URN and the id of the lab
// instance (two people with local backends have equal URNs).
type Owner struct {
	URN string `json:"urn"`
	Lab string `json:"lab"`
}

func (o Owner) String() string { return o.URN + " of lab " + o.Lab }
