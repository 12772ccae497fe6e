package hostspec_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hanzoai/benchlab/hosts/hostspec"
)

func spark() hostspec.Facts {
	return hostspec.Facts{
		Hostname: "spark", MachineID: "0f9c3a5d7e1b4c6f8a2d4e6b8c0a1f3d", BootID: "boot-1",
		Machine: hostspec.Machine{Vendor: "NVIDIA", Product: "NVIDIA_DGX_Spark", FirmwareVersion: "5.36", FirmwareDate: "06/20/2025"},
		Kernel:  "6.11.0-1016-nvidia", KernelBuild: "#16-Ubuntu SMP",
		CommandLine: "BOOT_IMAGE=/boot/vmlinuz-6.11.0-1016-nvidia ro  mitigations=off initrd=/boot/initrd.img-6.11.0-1016-nvidia",
		CPU:         hostspec.CPU{Model: "Cortex-X925 + Cortex-A725", Possible: 20, Online: 20, Sockets: 1, Cores: 20},
		NICs: []hostspec.NIC{
			{Name: "docker0", Driver: "bridge", DriverVersion: "2.3"},
			{
				Name: "enP7s7", Bus: "0007:01:00.0", PCIID: "10ec:8127", Driver: "r8127", DriverVersion: "11.014.00", SpeedMbps: 2500, Duplex: "full",
				PCI: hostspec.PCILink{Speed: "16.0 GT/s PCIe", Width: 1},
			},
			{Name: "eno1", Bus: "0000:81:00.1", Driver: "mlx5_core", DriverVersion: "6.11.0-1016-nvidia", FirmwareVersion: "28.45.1200"},
		},
	}
}

func TestIdentity(t *testing.T) {
	want := map[string]string{
		"machine id":        "0f9c3a5d7e1b4c6f8a2d4e6b8c0a1f3d",
		"machine":           "NVIDIA NVIDIA_DGX_Spark",
		"firmware":          "5.36 06/20/2025",
		"kernel":            "6.11.0-1016-nvidia #16-Ubuntu SMP",
		"command line":      "ro mitigations=off",
		"CPU":               "Cortex-X925 + Cortex-A725",
		"CPUs":              "sockets 1, cores 20, online 20",
		"NIC enP7s7 device": "10ec:8127",
		"NIC enP7s7 driver": "r8127 11.014.00",
		"NIC enP7s7 speed":  "2500 Mbit/s full",
		"NIC enP7s7 bus":    "16.0 GT/s PCIe x1",
		"NIC eno1 driver":   "mlx5_core",
		"NIC eno1 firmware": "28.45.1200",
	}
	if diff := cmp.Diff(want, spark().Identity()); diff != "" {
		t.Error(diff)
	}
	made := spark()
	made.Namespace = true
	delete(want, "machine id")
	if diff := cmp.Diff(want, made.Identity()); diff != "" {
		t.Errorf("a namespace host:\n%s", diff)
	}
}

// What a lab sets, and what changes with each boot, is no part of the identity.
func TestIdentityOfTunedHost(t *testing.T) {
	tuned := spark()
	tuned.BootID, tuned.Hostname, tuned.MemoryBytes = "boot-2", "other", 1<<30
	tuned.CPU.Frequencies = []hostspec.FrequencyPolicy{{Governor: "performance"}}
	tuned.CPU.Boost = "off"
	tuned.Hugepages = []hostspec.HugepagePool{{SizeBytes: 2 << 20, Pages: 512}}
	tuned.Tuners = []hostspec.Tuner{{Name: "irqbalance"}}
	tuned.NICs = append(tuned.NICs, hostspec.NIC{Name: "veth1", Driver: "veth"})
	nic := &tuned.NICs[1]
	nic.MTU, nic.RXRing, nic.RXQueues, nic.Offloads = 9000, 4096, 8, []string{"rx-gro"}
	nic.Channels, nic.Coalescing = map[string]hostspec.ChannelCount{"combined": {Count: 8}}, map[string]int{"rx-usecs": 0}
	nic.Addresses = []string{"10.0.0.1/24"}
	if diff := cmp.Diff(spark().Identity(), tuned.Identity()); diff != "" {
		t.Error(diff)
	}
}
