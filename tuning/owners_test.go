package tuning

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hanzoai/benchlab/tuning/spec"
)

// ownersTree is a host with the usual files and programs, none of which sets anything else.
func ownersTree(t *testing.T) *tree {
	tr := newTree(t)
	tr.put("proc/sys/net/ipv4/conf/eth0.100/rp_filter", "0\n")
	tr.put("proc/1/comm", "systemd\n")
	tr.put("proc/77/comm", "sshd\n")
	tr.put("sys/class/net/eth0/address", "02:00:5e:00:53:af\n")
	tr.put("sys/class/net/eth0/mtu", "1500\n")
	if err := os.MkdirAll(tr.path("sys/class/net/eth0/device"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../../../../bus/pci/drivers/r8125", tr.path("sys/class/net/eth0/device/driver")); err != nil {
		t.Fatal(err)
	}
	return tr
}

func TestOtherOwnersOfSysctls(t *testing.T) {
	wanted := sysctlsOf("net.core.somaxconn", "65535", "net.ipv4.tcp_rmem", "4096 131072 33554432", "net/ipv4/conf/eth0.100/rp_filter", "2")
	for _, tc := range []struct {
		name  string
		files map[string]string
		want  []string
	}{
		{"plain machine", map[string]string{
			"usr/lib/sysctl.d/50-default.conf": "# from the distribution\nkernel.sysrq = 0x1b6\n-net.ipv4.ping_group_range = 0 2147483647\n",
			"etc/sysctl.conf":                  "; net.core.somaxconn = 1\n#net.core.somaxconn=1\n",
		}, nil},
		{"same value", map[string]string{"etc/sysctl.d/10-a.conf": "net.core.somaxconn=65535\nnet/ipv4/tcp_rmem = 4096\t131072  33554432\n"}, nil},
		{"another value", map[string]string{"etc/sysctl.d/10-a.conf": "\n net/core/somaxconn = 128 \n"},
			[]string{"/etc/sysctl.d/10-a.conf sets net.core.somaxconn = 128 (line 2, wanted 65535): a boot or sysctl --system brings that back"}},
		{"several in one file", map[string]string{"run/sysctl.d/x.conf": "net.ipv4.tcp_rmem=1 2 3\n-net.core.somaxconn=1\n"},
			[]string{"/run/sysctl.d/x.conf sets net.ipv4.tcp_rmem = 1 2 3 (line 1, wanted 4096 131072 33554432), net.core.somaxconn = 1 (line 2, wanted 65535): a boot or sysctl --system brings that back"}},
		{"pattern", map[string]string{"usr/lib/sysctl.d/50-default.conf": "net.ipv4.conf.*.rp_filter = 1\n"},
			[]string{"/usr/lib/sysctl.d/50-default.conf sets net.ipv4.conf.eth0/100.rp_filter = 1 (line 1, wanted 2): a boot or sysctl --system brings that back"}},
		{"pattern, and the key by name before it", map[string]string{"usr/lib/sysctl.d/50-default.conf": "net.ipv4.conf.eth0/100.rp_filter = 2\nnet.ipv4.conf.*.rp_filter = 1\n"}, nil},
		{"pattern that leaves the key out", map[string]string{"usr/lib/sysctl.d/50-default.conf": "net.ipv4.conf.*.rp_filter = 1\n-net.ipv4.conf.eth0/100.rp_filter\n"}, nil},
		{"the last by name wins", map[string]string{"etc/sysctl.d/10-a.conf": "net.core.somaxconn=1\n", "usr/lib/sysctl.d/90-b.conf": "net.core.somaxconn=65535\n"}, nil},
		{"hidden by a file of that name", map[string]string{"etc/sysctl.d/50-a.conf": "", "usr/local/lib/sysctl.d/50-a.conf": "net.core.somaxconn=1\n"}, nil},
		{"sysctl.conf is last", map[string]string{"etc/sysctl.d/99-z.conf": "net.core.somaxconn=65535\n", "etc/sysctl.conf": "net.core.somaxconn=2\n"},
			[]string{"/etc/sysctl.conf sets net.core.somaxconn = 2 (line 1, wanted 65535): a boot or sysctl --system brings that back"}},
		{"no such suffix", map[string]string{"etc/sysctl.d/10-a.conf.bak": "net.core.somaxconn=1\n"}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tr := ownersTree(t)
			for path, text := range tc.files {
				tr.put(path, text)
			}
			if d := cmp.Diff(tc.want, tr.plan(spark, wanted).Warnings); d != "" {
				t.Errorf("plan (-want +got):\n%s", d)
			}
			if d := cmp.Diff(tc.want, tr.apply(spark, wanted).Warnings); d != "" {
				t.Errorf("apply (-want +got):\n%s", d)
			}
			mustWarn(t, tr.restoreOwner(spark))
		})
	}
}

func TestOtherOwnersThatRun(t *testing.T) {
	nic := func(n spec.NIC) spec.Tunables { n.Name = "eth0"; return nicOf(n) }
	somaxconn := sysctlsOf("net.core.somaxconn", "65535")
	stopped := sysctlsOf("net.core.somaxconn", "65535")
	stopped.Services = map[string]string{"tuned": spec.Stopped}
	for _, tc := range []struct {
		name   string
		comm   string
		wanted spec.Tunables
		words  []string // none: no warning
	}{
		{"TuneD", "tuned", somaxconn, []string{"TuneD", `"throughput-performance"`, `services = { tuned = "stopped" }`}},
		{"TuneD is stopped by the lab", "tuned", stopped, nil},
		{"TuneD and nothing is tuned", "tuned", spec.Tunables{}, nil},
		{"irqbalance", "irqbalance", nic(spec.NIC{IRQAffinity: "all"}), []string{"irqbalance", "eth0", `irqbalance = "stopped"`}},
		{"irqbalance and no interrupts", "irqbalance", somaxconn, nil},
		{"another program", "tunedx", somaxconn, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tr := ownersTree(t)
			tr.put("proc/4711/comm", tc.comm+"\n")
			tr.put("etc/tuned/active_profile", "throughput-performance\n")
			// What stops services and moves interrupts is elsewhere; here it is who is named.
			warnings := tr.otherOwners(tc.wanted, wantedSysctls(tc.wanted))
			mustWarn(t, spec.Report{Warnings: warnings}, tc.words...)
			if len(warnings) > 1 {
				t.Errorf("not once: %q", warnings)
			}
		})
	}
}

const connection = `[connection]
id=lab
interface-name=eth0

[ethernet]
mtu=9000

[ethtool]
ring-rx=512
feature-gro=false
coalesce-adaptive-rx=1
`

const link = `[Match]
OriginalName=en* eth*
[Link]
MTUBytes=1500
RxBufferSize=512
GenericReceiveOffload=no
RxCoalesceSec=50us
`

func TestOtherOwnersOfNICs(t *testing.T) {
	const profile, file = "etc/NetworkManager/system-connections/lab.nmconnection", "etc/systemd/network/10-lab.link"
	all := spec.NIC{MTU: 1500, Ring: &spec.RingSizes{RX: "4096"}, Offloads: map[string]bool{"rx-gro": true}, Coalescing: &spec.Coalescing{AdaptiveRX: new(true)}}
	for _, tc := range []struct {
		name  string
		files map[string]string
		nic   spec.NIC
		want  []string
	}{
		{"NetworkManager", map[string]string{"proc/9/comm": "NetworkManager", profile: connection}, all,
			[]string{"NIC eth0: NetworkManager runs here, and /" + profile + " sets feature-gro = false (line 10, wanted true), mtu = 9000 (line 6, wanted 1500), ring-rx = 512 (line 9, wanted 4096): it sets that again whenever it brings the NIC up"}},
		{"NetworkManager does not run", map[string]string{profile: connection}, all, nil},
		{"what it sets is not tuned", map[string]string{"proc/9/comm": "NetworkManager", profile: connection}, spec.NIC{Coalescing: &spec.Coalescing{AdaptiveRX: new(true)}}, nil},
		{"profile of another NIC", map[string]string{"proc/9/comm": "NetworkManager", profile: strings.Replace(connection, "eth0", "eth12", 1)}, all, nil},
		{"profile by address", map[string]string{"proc/9/comm": "NetworkManager", profile: "[ethernet]\nmac-address=02:00:5E:00:53:AF\nmtu=9000\n"}, all,
			[]string{"NIC eth0: NetworkManager runs here, and /" + profile + " sets mtu = 9000 (line 3, wanted 1500): it sets that again whenever it brings the NIC up"}},
		{".link", map[string]string{file: link}, all,
			[]string{"NIC eth0: /" + file + " sets GenericReceiveOffload = no (line 6, wanted true), RxBufferSize = 512 (line 5, wanted 4096): udev sets that again whenever the NIC is found, as at boot"}},
		{".link, times", map[string]string{file: link}, spec.NIC{Coalescing: &spec.Coalescing{RXUsecs: new(50)}}, nil},
		{".link, other times", map[string]string{file: link}, spec.NIC{Coalescing: &spec.Coalescing{RXUsecs: new(8)}},
			[]string{"NIC eth0: /" + file + " sets RxCoalesceSec = 50us (line 7, wanted 8): udev sets that again whenever the NIC is found, as at boot"}},
		{".link of another NIC", map[string]string{file: strings.Replace(link, "eth*", "wl*", 1)}, all, nil},
		{".link that renames", map[string]string{file: strings.Replace(link, "en* eth*", "enp1s0", 1) + "Name=eth0\n"}, spec.NIC{Ring: all.Ring},
			[]string{"NIC eth0: /" + file + " sets RxBufferSize = 512 (line 5, wanted 4096): udev sets that again whenever the NIC is found, as at boot"}},
		{".link by driver", map[string]string{file: "[Match]\nDriver=r8125\n[Link]\nMTUBytes=9000\n"}, all,
			[]string{"NIC eth0: /" + file + " sets MTUBytes = 9000 (line 4, wanted 1500): udev sets that again whenever the NIC is found, as at boot"}},
		{".link by a condition that is not known", map[string]string{file: "[Match]\nOriginalName=*\nHost=other\n[Link]\nMTUBytes=9000\n"}, all, nil},
		{".link after one that matched", map[string]string{file: "[Match]\nOriginalName=*\n[Link]\nMTUBytes=1500\n", "etc/systemd/network/20-b.link": link}, all, nil},
		{".link and packet steering", map[string]string{file: link}, spec.NIC{PacketSteering: &spec.Steering{}}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tr := ownersTree(t)
			for path, text := range tc.files {
				tr.put(path, text)
			}
			tc.nic.Name = "eth0"
			if d := cmp.Diff(tc.want, tr.otherOwners(nicOf(tc.nic), nil)); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
		})
	}
	// The plan of a NIC says it.
	tr := ownersTree(t)
	tr.put(filepath.Join("etc/systemd/network", "10-lab.link"), strings.Replace(link, "1500", "9000", 1))
	mustWarn(t, tr.plan(spark, nicOf(spec.NIC{Name: "eth0", MTU: 1500})), "MTUBytes = 9000", "wanted 1500")
}
