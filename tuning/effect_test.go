package tuning

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hanzoai/benchlab/tuning/spec"
)

func TestRefusedByOtherValues(t *testing.T) {
	for _, tc := range []struct {
		name   string
		files  map[string]string
		wanted spec.Tunables
		words  []string // none: it is taken
	}{
		{"congestion control", nil, sysctlsOf("net.ipv4.tcp_congestion_control", "bbr"), []string{`"bbr" is not loaded`, "reno, cubic", "modprobe tcp_bbr"}},
		{"congestion control in a namespace", nil, sysctlsOf("net.ipv4.tcp_congestion_control", "cubic"), []string{"namespace", `"cubic"`, "EPERM", "allowed are reno"}},
		{"congestion control on the machine", map[string]string{"net/core/netdev_max_backlog": "1000"}, sysctlsOf("net.ipv4.tcp_congestion_control", "cubic"), nil},
		{"low ports", nil, sysctlsOf("net.ipv4.ip_local_port_range", "500 60999"), []string{"ip_unprivileged_port_start", "1024", "starts at 500"}},
		{"high start", nil, sysctlsOf("net.ipv4.ip_unprivileged_port_start", "40000"), []string{`"32768 60999"`, "40000"}},
		{"start and ports", nil, sysctlsOf("net.ipv4.ip_unprivileged_port_start", "40000", "net.ipv4.ip_local_port_range", "50000 60999"), nil},
		{"perf", nil, sysctlsOf("kernel.perf_event_max_sample_rate", "1000"), []string{"perf_cpu_time_max_percent is 0", "1 to 99"}},
		{"perf in order", nil, sysctlsOf("kernel.perf_event_max_sample_rate", "1000", "kernel.perf_cpu_time_max_percent", "25"), nil},
		{"address", nil, sysctlsOf("net.ipv6.conf.eth0.disable_ipv6", "1"), []string{"fd00::1", "eth0"}},
		{"address of any", nil, sysctlsOf("net.ipv6.conf.all.disable_ipv6", "1"), []string{"fd00::1", "eth0"}},
		{"no address", nil, sysctlsOf("net.ipv6.conf.eth1.disable_ipv6", "1"), nil},
		{"route", nil, sysctlsOf("net.ipv6.conf.all.forwarding", "1"), []string{"fe80::1", "eth1", "advertised"}},
		{"alias", nil, sysctlsOf("net.ipv4.conf.all.forwarding", "1"), []string{"same value as net.ipv4.ip_forward"}},
		{"name", nil, sysctlsOf("kernel.hostname", "spark"), []string{"identity"}},
		{"module", nil, sysctlsOf("net.netfilter.nf_conntrack_max", "1"), []string{"modprobe nf_conntrack"}},
		{"zero", nil, sysctlsOf("vm.dirty_bytes", "0"), []string{"from 8192"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tr := coupledTree(t)
			for path, text := range map[string]string{
				"net/ipv4/tcp_congestion_control":           "reno",
				"net/ipv4/tcp_available_congestion_control": "reno cubic",
				"net/ipv4/tcp_allowed_congestion_control":   "reno",
				"net/ipv4/ip_unprivileged_port_start":       "1024",
				"kernel/perf_event_max_sample_rate":         "100000",
				"kernel/perf_cpu_time_max_percent":          "0",
				"net/ipv6/conf/all/disable_ipv6":            "0",
				"net/ipv6/conf/all/forwarding":              "0",
				"net/ipv6/conf/eth0/disable_ipv6":           "0",
				"net/ipv6/conf/eth1/disable_ipv6":           "0",
			} {
				tr.put("proc/sys/"+path, text+"\n")
			}
			tr.put("proc/thread-self/net/if_inet6", "00000000000000000000000000000001 01 80 10 80       lo\n"+
				"fe800000000000000000000000000002 02 40 20 80     eth1\n"+ // the kernel's own
				"fd000000000000000000000000000003 02 40 00 00     eth1\n"+ // a router's
				"fd000000000000000000000000000001 03 40 00 80     eth0\n")
			tr.put("proc/thread-self/net/ipv6_route", "00000000000000000000000000000000 00 00000000000000000000000000000000 00 fe800000000000000000000000000001 00000400 00000001 00000000 00450003     eth1\n")
			for path, text := range tc.files {
				tr.put("proc/sys/"+path, text+"\n")
			}
			before := tr.snapshot()
			_, err := tr.Plan(context.Background(), spark, tc.wanted)
			if len(tc.words) == 0 {
				if err != nil {
					t.Error(err)
				}
				return
			}
			mustSay(t, err, tc.words...)
			if _, err := tr.Apply(context.Background(), spark, tc.wanted, nil); err == nil {
				t.Error("apply took what plan refused")
			}
			if d := cmp.Diff(before, tr.snapshot()); d != "" {
				t.Errorf("something was changed:\n%s", d)
			}
		})
	}
}

// What will not do what it seems to is said, and nothing else is.
func TestWithoutEffect(t *testing.T) {
	for _, tc := range []struct {
		name   string
		wanted spec.Tunables
		want   []string
	}{
		{"buffers", sysctlsOf("net.core.rmem_default", "1000000"),
			[]string{"net.core.rmem_default will be 1000000, more than net.core.rmem_max (212992): sockets start with more than a program may ask for"}},
		{"both buffers", sysctlsOf("net.core.rmem_default", "1000000", "net.core.rmem_max", "1000000"), nil},
		{"a smaller maximum", sysctlsOf("net.core.wmem_max", "4608"),
			[]string{"net.core.wmem_default will be 212992, more than net.core.wmem_max (4608): sockets start with more than a program may ask for"}},
		{"buffers of TCP beyond the maximum are no fault", sysctlsOf("net.ipv4.tcp_rmem", "4096 131072 33554432"), nil},
		{"few ports", sysctlsOf("net.ipv4.ip_local_port_range", "8000 8009"),
			[]string{`net.ipv4.ip_local_port_range "8000 8009" has 10 ports, and net.ipv4.ip_local_reserved_ports leaves 3 of them to connections`}},
		{"many ports", sysctlsOf("net.ipv4.ip_local_port_range", "1024 65535"), nil},
		{"table of neighbours", sysctlsOf("net.ipv4.neigh.default.gc_thresh1", "1024"), nil},
		{"defaults of neighbours", sysctlsOf("net.ipv4.neigh.default.mcast_solicit", "5"),
			[]string{"net.ipv4.neigh.default.mcast_solicit is for interfaces that are made later; those that have a value of their own keep it"}},
		{"redirects of all", sysctlsOf("net.ipv4.conf.all.send_redirects", "0"),
			[]string{"net.ipv4.conf.all.send_redirects = 0 does not decide on eth0 (1): of that and the NIC's own the larger one counts"}},
		{"redirects of each", sysctlsOf("net.ipv4.conf.all.send_redirects", "0", "net.ipv4.conf.eth0.send_redirects", "0"), nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tr := coupledTree(t)
			for path, text := range map[string]string{
				"net/core/rmem_default": "212992", "net/core/rmem_max": "212992", "net/core/wmem_default": "212992", "net/core/wmem_max": "212992",
				"net/ipv4/ip_local_reserved_ports": "80,8001-8006,8009,9000", "net/ipv4/neigh/default/gc_thresh1": "128",
				"net/ipv4/neigh/default/mcast_solicit": "3", "net/ipv4/neigh/eth0/mcast_solicit": "3",
				"net/ipv4/conf/all/send_redirects": "1", "net/ipv4/conf/lo/send_redirects": "1", "net/ipv4/conf/eth0/send_redirects": "1",
			} {
				tr.put("proc/sys/"+path, text+"\n")
			}
			if d := cmp.Diff(tc.want, tr.plan(spark, tc.wanted).Warnings); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
		})
	}
}
