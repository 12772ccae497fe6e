package spec

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Known is what is known of a sysctl beyond what its file shows. The kernel checks
// little of it itself: it takes tcp_fin_timeout=-5 and tcp_rmem="9000 8000 7000".
type Known struct {
	// Fields is the number of fields; 0 where it is not fixed.
	Fields int
	// Min and Max bound each numeric field; both 0 where the value is not numeric.
	Min, Max int64
	// Ascending: each field is at least as large as the one before it.
	Ascending bool
	// InitialNetwork: the kernel has it, or lets it be written, in the initial network
	// namespace only; elsewhere the file is absent or of mode 0444.
	InitialNetwork bool
	// RoundsUp: the kernel makes the next power of two of it.
	RoundsUp bool
	// PowerOfTwo: the kernel refuses anything but 0 and powers of two.
	PowerOfTwo bool
	// Clears names the sysctl that the kernel sets to 0 when this one is written.
	Clears string
	// ZeroFollows: it reads as 0 while Clears is in force, and the kernel takes no 0.
	ZeroFollows bool
	// Rewrites are the paths below /proc/sys, with patterns, of what the kernel changes
	// along with this one.
	Rewrites []string
	// Refused says why the key is never written.
	Refused string
}

// KnownSysctl is what is known of a canonical key. An unknown key is not an error:
// the host decides.
func KnownSysctl(key string) (Known, bool) {
	if strings.HasPrefix(key, "net.ipv6.conf.") && strings.HasSuffix(key, ".stable_secret") {
		return Known{Refused: "it is a secret, and once set it cannot be unset"}, true
	}
	k, ok := knownSysctls[key]
	family, nic, name, isInterface := InterfaceKey(key)
	if ok || !isInterface {
		return k, ok
	}
	isNeighbour := strings.HasSuffix(family, ".neigh.")
	switch {
	case isNeighbour && (name == "base_reachable_time" || name == "retrans_time"):
		k.Refused = "it is " + name + "_ms in a coarser unit, so that the original could not always be put back; set that"
	case nic == "default" && (isNeighbour || family == "net.ipv4.conf."):
		// Copied to each interface that was never given a value of its own
		// (devinet_copy_dflt_conf, neigh_copy_dflt_parms).
		k.Rewrites = []string{strings.ReplaceAll(family, ".", "/") + "*/" + name}
		k.InitialNetwork = isNeighbour
	}
	return k, k.Refused != "" || k.Rewrites != nil
}

const (
	maxInt32  = math.MaxInt32
	maxUint32 = math.MaxUint32
)

func number(low, high int64) Known { return Known{Fields: 1, Min: low, Max: high} }

func vector(fields int, low, high int64) Known {
	return Known{Fields: fields, Min: low, Max: high, Ascending: true}
}

func (k Known) initialNetwork() Known { k.InitialNetwork = true; return k }

func (k Known) clears(key string) Known { k.Clears = key; return k }

func (k Known) zeroFollows() Known { k.ZeroFollows = true; return k }

func (k Known) rewrites(patterns ...string) Known { k.Rewrites = patterns; return k }

// The bounds are those of the kernel where it has any (net/core/sysctl_net_core.c,
// net/ipv4/sysctl_net_ipv4.c, kernel/sysctl.c, mm/page-writeback.c), else those that
// the documentation under Documentation/admin-guide/sysctl and networking/ip-sysctl.rst
// gives a meaning to.
var knownSysctls = map[string]Known{
	"net.core.somaxconn":  number(0, maxInt32),
	"net.core.optmem_max": number(0, maxInt32),

	"net.core.rmem_default":           number(2304, maxInt32).initialNetwork(),
	"net.core.rmem_max":               number(2304, maxInt32).initialNetwork(),
	"net.core.wmem_default":           number(4608, maxInt32).initialNetwork(),
	"net.core.wmem_max":               number(4608, maxInt32).initialNetwork(),
	"net.core.netdev_max_backlog":     number(0, maxInt32).initialNetwork(),
	"net.core.netdev_budget":          number(1, maxInt32).initialNetwork(),
	"net.core.netdev_budget_usecs":    number(0, maxInt32).initialNetwork(),
	"net.core.dev_weight":             number(1, maxInt32).initialNetwork(),
	"net.core.dev_weight_rx_bias":     number(1, maxInt32).initialNetwork(),
	"net.core.dev_weight_tx_bias":     number(1, maxInt32).initialNetwork(),
	"net.core.busy_poll":              number(0, maxInt32).initialNetwork(),
	"net.core.busy_read":              number(0, maxInt32).initialNetwork(),
	"net.core.gro_normal_batch":       number(1, maxInt32).initialNetwork(),
	"net.core.skb_defer_max":          number(0, maxInt32).initialNetwork(),
	"net.core.netdev_tstamp_prequeue": number(0, 1).initialNetwork(),
	"net.core.default_qdisc":          {Fields: 1, InitialNetwork: true},
	"net.core.flow_limit_cpu_bitmap":  {Fields: 1, InitialNetwork: true},
	"net.core.flow_limit_table_len":   {Fields: 1, Max: maxInt32, PowerOfTwo: true, InitialNetwork: true},
	"net.core.rps_sock_flow_entries":  {Fields: 1, Max: MaxFlowEntries, RoundsUp: true, InitialNetwork: true},
	"net.core.netdev_rss_key":         {Refused: "the kernel makes it at boot and lets nobody write it"},

	"net.ipv4.tcp_mem":         vector(3, 0, math.MaxInt64).initialNetwork(),
	"net.ipv4.udp_mem":         vector(3, 0, math.MaxInt64).initialNetwork(),
	"net.ipv4.tcp_max_orphans": number(0, maxInt32).initialNetwork(),

	"net.ipv4.tcp_rmem":                  vector(3, 1, maxInt32),
	"net.ipv4.tcp_wmem":                  vector(3, 1, maxInt32),
	"net.ipv4.ip_local_port_range":       vector(2, 1, 65535),
	"net.ipv4.tcp_congestion_control":    {Fields: 1},
	"net.ipv4.tcp_max_syn_backlog":       number(1, maxInt32),
	"net.ipv4.tcp_max_tw_buckets":        number(0, maxInt32),
	"net.ipv4.tcp_fin_timeout":           number(1, maxInt32/1000),
	"net.ipv4.tcp_keepalive_time":        number(1, 32767),
	"net.ipv4.tcp_keepalive_intvl":       number(1, 32767),
	"net.ipv4.tcp_keepalive_probes":      number(1, 127),
	"net.ipv4.tcp_tw_reuse":              number(0, 2),
	"net.ipv4.tcp_timestamps":            number(0, 2),
	"net.ipv4.tcp_mtu_probing":           number(0, 2),
	"net.ipv4.tcp_syncookies":            number(0, 2),
	"net.ipv4.tcp_sack":                  number(0, 1),
	"net.ipv4.tcp_window_scaling":        number(0, 1),
	"net.ipv4.tcp_slow_start_after_idle": number(0, 1),
	"net.ipv4.tcp_no_metrics_save":       number(0, 1),
	"net.ipv4.tcp_autocorking":           number(0, 1),
	"net.ipv4.tcp_abort_on_overflow":     number(0, 1),
	"net.ipv4.tcp_moderate_rcvbuf":       number(0, 1),
	"net.ipv4.tcp_fastopen":              number(0, 0xfff),
	"net.ipv4.tcp_notsent_lowat":         number(0, maxUint32),
	"net.ipv4.tcp_limit_output_bytes":    number(0, maxInt32),

	"net.ipv4.tcp_fastopen_key": {Refused: "it is a secret, which has no place in a lab's state"},
	"net.nf_conntrack_max":      {Refused: "it is the same value as net.netfilter.nf_conntrack_max; set that"},
	"net.ipv4.route.flush":      {Refused: "it is a command, not a value"},
	"net.ipv6.route.flush":      {Refused: "it is a command, not a value"},

	// inet_forward_change in net/ipv4/devinet.c; addrconf_fixup_forwarding and
	// addrconf_disable_ipv6 in net/ipv6/addrconf.c.
	"net.ipv4.ip_forward":            number(0, 1).rewrites("net/ipv4/conf/*/forwarding", "net/ipv4/conf/all/accept_redirects"),
	"net.ipv4.conf.all.forwarding":   {Refused: "it is the same value as net.ipv4.ip_forward; set that"},
	"net.ipv6.conf.all.forwarding":   number(0, 1).rewrites("net/ipv6/conf/*/forwarding"),
	"net.ipv6.conf.all.disable_ipv6": number(0, 1).rewrites("net/ipv6/conf/*/disable_ipv6"),

	"net.ipv4.ip_unprivileged_port_start": number(0, 65535),

	"vm.swappiness":             number(0, 200),
	"vm.dirty_ratio":            number(0, 100).clears("vm.dirty_bytes"),
	"vm.dirty_bytes":            number(8192, math.MaxInt64).clears("vm.dirty_ratio").zeroFollows(),
	"vm.dirty_background_ratio": number(0, 100).clears("vm.dirty_background_bytes"),
	"vm.dirty_background_bytes": number(1, math.MaxInt64).clears("vm.dirty_background_ratio").zeroFollows(),
	"vm.drop_caches":            {Refused: "it is a command, not a value"},
	"vm.compact_memory":         {Refused: "it is a command, not a value"},

	"kernel.perf_cpu_time_max_percent":  number(0, 100),
	"kernel.perf_event_max_sample_rate": number(1, maxInt32),
	"kernel.hostname":                   {Refused: identity},
	"kernel.domainname":                 {Refused: identity},
	"kernel.nmi_watchdog":               number(0, 1),
	"kernel.timer_migration":            number(0, 1),
	"kernel.modules_disabled":           {Refused: oneWay},
	"kernel.kexec_load_disabled":        {Refused: oneWay},
	"kernel.kexec_load_limit_panic":     {Refused: oneWay},
	"kernel.kexec_load_limit_reboot":    {Refused: oneWay},
	"kernel.unprivileged_bpf_disabled":  {Refused: oneWay},
	"kernel.yama.ptrace_scope":          {Refused: oneWay},
}

const oneWay = "it goes one way: the kernel would not take the original back before the next reboot"

const identity = "it is the identity of the host, not a value to tune"

// SysctlModule is the kernel module that brings a canonical key; empty where none is
// known to.
func SysctlModule(key string) string {
	for _, m := range []struct{ prefix, module string }{
		{"net.netfilter.nf_conntrack", "nf_conntrack"},
		{"net.bridge.", "br_netfilter"}, {"net.ipv4.vs.", "ip_vs"}, {"net.sctp.", "sctp"}, {"net.mpls.", "mpls_router"},
		{"sunrpc.", "sunrpc"},
	} {
		if strings.HasPrefix(key, m.prefix) {
			return m.module
		}
	}
	return ""
}

// check says what is wrong with a canonical value for this key, and how to mend it.
func (k Known) check(value string) error {
	if k.Refused != "" {
		return fmt.Errorf("refused: %s", k.Refused)
	}
	fields := strings.Fields(value)
	if k.Fields != 0 && len(fields) != k.Fields {
		return fmt.Errorf("%q has %s, the kernel has %d; give all of them", value, plural(len(fields), "field"), k.Fields)
	}
	if k.Min == 0 && k.Max == 0 {
		return nil
	}
	previous := int64(math.MinInt64)
	for _, f := range fields {
		n, err := strconv.ParseInt(f, 10, 64)
		if err != nil || n < k.Min || n > k.Max {
			return fmt.Errorf("%q must be a number from %d to %d", f, k.Min, k.Max)
		}
		if k.Ascending && n < previous {
			return fmt.Errorf("%q must ascend from left to right", value)
		}
		if k.PowerOfTwo && n&(n-1) != 0 {
			return fmt.Errorf("%d must be a power of two; the next one is %d", n, roundUp(n))
		}
		previous = n
	}
	return nil
}
