package tuning

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hanzoai/benchlab/tuning/spec"
)

func TestCapturedInterrupts(t *testing.T) {
	for _, tc := range []struct {
		machine, nic string
		// want is the numbers as a list, or where there are none a part of the reason.
		want string
	}{
		{"gb10", "enP7s7", "100-131"},
		{"xeon", "eno1", "140-203"},
		{"xeon", "eno2", "205-268"},
		{"epyc", "ens1f0np0", "71-102"},
		{"virtio", "eth0", "38-39"},
		{"bond", "eno1", "40"},
		{"bond", "eno2", "41"},
		{"bond", "bond0", "virtual device"},
		{"ports", "wan", "51-52"},
		{"ports", "wan-1", "53-54"},
		{"ports", "p1", "is the device of p2 too"},
		{"ports", "down", "bring the NIC up first (ip link set down up)"},
		{"ports", "enx1", "neither"},
		{"ports", "end0", "90-91"},
		{"ports", "veth0", "virtual device"},
	} {
		found, why, err := captured(t, tc.machine).interrupts(tc.nic)
		if err != nil {
			t.Errorf("%s of %s: %v", tc.nic, tc.machine, err)
		}
		var numbers []int
		for _, i := range found {
			numbers = append(numbers, i.number)
		}
		if got := spec.MaskOf(numbers...).List(); got != tc.want && (got != "" || !strings.Contains(why, tc.want)) {
			t.Errorf("%s of %s: %q, %q; want %q", tc.nic, tc.machine, got, why, tc.want)
		}
	}
}

func TestLinesOfProcInterrupts(t *testing.T) {
	tr := emptyTree(t)
	tr.put("proc/interrupts", `           CPU0       CPU1
 16:          0          0   IO-APIC   16-fasteoi   ehci_hcd:usb1, eth9
  9:          4          0  IR-IO-APIC    9-fasteoi   acpi
 30:          7          1  PCI-MSI 524288-edge      eth4 (queue 0)
 31:          0          0     GICv3  33 Level     arch_timer
 32:          0          0   ITS-MSI 524288 Edge      eth0-rx-0
 33:          0          0
NMI:          0          0   Non-maskable interrupts
ERR:          0
`)
	got, err := tr.allInterrupts()
	if err != nil {
		t.Fatal(err)
	}
	want := []interrupt{
		{9, "IR-IO-APIC", "acpi"}, {16, "IO-APIC", "ehci_hcd:usb1, eth9"}, {30, "PCI-MSI", "eth4 (queue 0)"},
		{31, "GICv3", "arch_timer"}, {32, "ITS-MSI", "eth0-rx-0"},
	}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(interrupt{})); d != "" {
		t.Error(d)
	}
}

func TestHasWord(t *testing.T) {
	for text, want := range map[string]bool{
		"eth1": true, "eth1-rx-0": true, "i40e-eth1-TxRx-1": true, "eth10 eth1": true, "eth1 (queue 0)": true,
		"": false, "eth10": false, "eth1.100-0": false, "xeth1": false, "eth": false, "eth1_0": false,
	} {
		if got := hasWord(text, "eth1"); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}

// Names as drivers give them: what serves queues, and which belong together.
func TestInterruptNames(t *testing.T) {
	for _, tc := range []struct {
		what   string
		names  string
		rx, tx int
		want   string // a group a field
	}{
		{"igb, rx and tx apart", "eth0 eth0-rx-0 eth0-rx-1 eth0-tx-0 eth0-tx-1", 2, 2, "eth0-rx-0,eth0-rx-1 eth0-tx-0,eth0-tx-1"},
		{"one interrupt for all", "enp2s0", 1, 1, "enp2s0"},
		{"i40e", "i40e-0000:17:00.0:misc i40e-eth0-TxRx-0 i40e-eth0-TxRx-1", 2, 2, "i40e-eth0-TxRx-0,i40e-eth0-TxRx-1"},
		{"ena", "ena-mgmnt@pci:0000:00:05.0 ens5-Tx-Rx-0 ens5-Tx-Rx-1", 2, 2, "ens5-Tx-Rx-0,ens5-Tx-Rx-1"},
		{"vmxnet3", "eth0-rxtx-0 eth0-rxtx-1 eth0-event-2", 2, 2, "eth0-rxtx-0,eth0-rxtx-1"},
		{"virtio", "virtio0-config virtio0-input.0 virtio0-output.0", 1, 1, "virtio0-input.0 virtio0-output.0"},
		{"an unknown one beside the queues", "foo-0 foo-1 foo-2 bar", 3, 3, "foo-0,foo-1,foo-2"},
		{"more than queues", "mlx5_comp0@x mlx5_comp1@x mlx5_comp2@x", 1, 1, "mlx5_comp0@x,mlx5_comp1@x,mlx5_comp2@x"},
		{"more rx than tx", "e-rx-0 e-rx-1 e-tx-0", 2, 1, "e-rx-0,e-rx-1 e-tx-0"},
		{"names that say nothing", "eth0-link", 1, 1, "eth0-link"},
		{"ten and more", "e-1 e-10 e-2", 3, 3, "e-1,e-10,e-2"},
	} {
		var all []interrupt
		for i, name := range strings.Fields(tc.names) {
			all = append(all, interrupt{number: 40 + i, name: name})
		}
		var groups []string
		for _, g := range byShape(ofQueues(all), tc.rx, tc.tx) {
			var names []string
			for _, i := range g {
				names = append(names, i.name)
			}
			groups = append(groups, strings.Join(names, ","))
		}
		if d := cmp.Diff(tc.want, strings.Join(groups, " ")); d != "" {
			t.Errorf("%s:\n%s", tc.what, d)
		}
	}
}

// The interrupt of a NIC on a machine of any size is read and written by its own group.
func TestInterruptsOfAnyNumberOfCPUs(t *testing.T) {
	for _, count := range []int{1, 2, 31, 32, 33, 64, 65, 128, 256} {
		tr := machineOf(t, count)
		r := tr.apply(spark, nicOf(spec.NIC{Name: "eth8", IRQAffinity: "all", PacketSteering: &spec.Steering{CPUs: "all"}}))
		var cpus []int
		for i := range 8 {
			text := tr.get("proc/irq/" + strconv.Itoa(40+i) + "/smp_affinity")
			if groups := strings.Count(text, ",") + 1; groups != (count+31)/32 {
				t.Errorf("%d CPUs: %q has %d groups", count, text, groups)
			}
			mask, err := spec.ParseMask(text)
			if err != nil || mask.Count() != 1 {
				t.Errorf("%d CPUs: interrupt %d is served by %q, %v", count, 40+i, text, err)
			}
			cpus = append(cpus, mask.CPUs()...)
			rps, err := spec.ParseMask(tr.get(queueFile("eth8", "rx", i, "rps_cpus")))
			if err != nil || rps.Count() != count {
				t.Errorf("%d CPUs: rps_cpus is %q, %v", count, rps.List(), err)
			}
		}
		if used := spec.MaskOf(cpus...); used.Count() != min(8, count) {
			t.Errorf("%d CPUs: 8 interrupts on CPUs %s", count, used.List())
		}
		for _, s := range r.Settings {
			if s.Status != spec.Applied && (count > 1 || s.Status != spec.Unchanged) {
				t.Errorf("%d CPUs: %+v", count, s)
			}
		}
		if r := tr.apply(spark, nicOf(spec.NIC{Name: "eth8", IRQAffinity: "all", PacketSteering: &spec.Steering{CPUs: "all"}})); r.Writes != 0 {
			t.Errorf("%d CPUs: %d writes the second time", count, r.Writes)
		}
		mustWarn(t, tr.restoreOwner(spark))
		if got, want := tr.get("proc/irq/47/smp_affinity"), allOf(count).Format(count)+"\n"; got != want {
			t.Errorf("%d CPUs: restored %q, want %q", count, got, want)
		}
	}
}

func allOf(count int) spec.Mask { return spec.MaskOf(upTo(count)...) }

// machineOf has that many CPUs and a NIC of 8 queues with an interrupt each.
func machineOf(t *testing.T, count int) *tree {
	t.Helper()
	tr := emptyTree(t)
	tr.boot("boot-1")
	tr.put("sys/devices/system/cpu/possible", allOf(count).List()+"\n")
	tr.put("sys/devices/system/cpu/online", allOf(count).List()+"\n")
	tr.addEth8(count)
	return tr
}

// addEth8 adds a NIC of 8 queues with an interrupt each, on a host of that many CPUs.
func (tr *tree) addEth8(count int) {
	tr.put("sys/class/net/eth8/device/numa_node", "-1\n")
	var lines strings.Builder
	for i := range 8 {
		number := strconv.Itoa(40 + i)
		lines.WriteString(number + ": 0 PCI-MSI " + number + "-edge eth8-TxRx-" + strconv.Itoa(i) + "\n")
		tr.put("sys/class/net/eth8/device/msi_irqs/"+number, "msix\n")
		tr.put("proc/irq/"+number+"/smp_affinity", allOf(count).Format(count)+"\n")
		tr.put(queueFile("eth8", "rx", i, "rps_cpus"), spec.Mask{}.Format(count)+"\n")
		tr.put(queueFile("eth8", "tx", i, "xps_cpus"), spec.Mask{}.Format(count)+"\n")
	}
	tr.put("proc/interrupts", "     CPU0\n"+lines.String())
}
