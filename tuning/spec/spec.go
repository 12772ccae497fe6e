// Package spec holds the words of tuning that every layer shares: what can be asked
// for, what a host answers, and when two values are the same. The lab uses it to
// check a file offline, the provider in Check, the host when it applies. It is a
// leaf: no I/O, no Pulumi, no SSH.
package spec

// Tunables is all that one owner wants on one host.
type Tunables struct {
	Sysctls        []Sysctl         `json:"sysctls,omitempty"`
	PacketSteering []PacketSteering `json:"packetSteering,omitempty"`
	// Services are systemd units that are not to run, by name ("irqbalance", or with its
	// kind "irqbalance.service").
	Services map[string]ServiceState `json:"services,omitempty"`
}

// Sysctl is one key under /proc/sys.
type Sysctl struct {
	// Key in dotted or slashed form ("net.core.somaxconn", "net/ipv4/conf/eth0.100/rp_filter").
	Key string `json:"key"`
	// Value as a user writes it: base-10 integers or words, fields split by blanks.
	Value string `json:"value"`
}

// PacketSteering is RPS and RFS for every rx queue and XPS for every tx queue of a
// NIC, with the host's rps_sock_flow_entries.
type PacketSteering struct {
	NIC string `json:"nic"`
	// CPUs to steer to: "all" (every online CPU) or a list such as "0-3,8". Empty means "all".
	CPUs string `json:"cpus,omitempty"`
	// FlowEntries is net.core.rps_sock_flow_entries; the kernel rounds it up to a power
	// of two. 0 leaves RFS alone.
	FlowEntries int `json:"flowEntries,omitempty"`
	// FlowEntriesPerQueue is rps_flow_cnt of each rx queue, rounded up likewise; 0 means
	// FlowEntries divided by the number of rx queues.
	FlowEntriesPerQueue int `json:"flowEntriesPerQueue,omitempty"`
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
	// a setting that now belongs to another resource.
	Warnings []string `json:"warnings,omitempty"`
}

// Owner is who claims a setting on a host: the resource's URN and the id of the lab
// instance (two people with local backends have equal URNs).
type Owner struct {
	URN string `json:"urn"`
	Lab string `json:"lab"`
}
