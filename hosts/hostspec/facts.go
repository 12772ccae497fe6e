package hostspec

// Facts is what a host says of itself. What it does not say is empty: text "", numbers 0,
// lists and maps none.
type Facts struct {
	Hostname string `json:"hostname" pulumi:"hostname"`
	// MachineID is /etc/machine-id: 32 hex digits, the identity of the host.
	MachineID string `json:"machineId" pulumi:"machineId"`
	// BootID is /proc/sys/kernel/random/boot_id: a UUID, new at each boot.
	BootID string `json:"bootId" pulumi:"bootId"`
	// Namespace is true where the host shares its kernel with the machine it runs on
	// (its PID namespace is not the initial one).
	Namespace bool    `json:"namespace" pulumi:"namespace"`
	Machine   Machine `json:"machine" pulumi:"machine"`
	// OS is PRETTY_NAME of os-release.
	OS string `json:"os" pulumi:"os"`
	// Kernel is its release (uname -r), KernelBuild which build of it this is (uname -v).
	Kernel      string `json:"kernel" pulumi:"kernel"`
	KernelBuild string `json:"kernelBuild" pulumi:"kernelBuild"`
	// CommandLine is what the kernel was booted with; passwords, tokens and the like are
	// left out of it.
	CommandLine string `json:"commandLine" pulumi:"commandLine"`
	// Preemption is the kernel's model: none, voluntary, lazy, full, rt; "dynamic" where it
	// can be any but rt, and "none or voluntary" where that is all it says.
	Preemption string `json:"preemption" pulumi:"preemption"`
	// Arch in Go's spelling: amd64, arm64.
	Arch string `json:"arch" pulumi:"arch"`
	CPU  CPU    `json:"cpu" pulumi:"cpu"`
	// MemoryBytes is MemTotal of /proc/meminfo.
	MemoryBytes int `json:"memoryBytes" pulumi:"memoryBytes"`
	// Hugepages are the pools that the kernel has, by size.
	Hugepages []HugepagePool `json:"hugepages,omitempty" pulumi:"hugepages,optional"`
	NICs      []NIC          `json:"nics" pulumi:"nics"`
	// Mounts are the file systems that hold /, /var and /tmp, by path.
	Mounts []Mount `json:"mounts,omitempty" pulumi:"mounts,optional"`
	// Tuners are programs that run here and set what tuning sets, by name.
	Tuners []Tuner `json:"tuners,omitempty" pulumi:"tuners,optional"`
}

// Machine is the hardware as its firmware names it. The serial number is left out.
type Machine struct {
	Vendor string `json:"vendor" pulumi:"vendor"`
	// Product is the product's name, or the model of the device tree.
	Product string `json:"product" pulumi:"product"`
	Board   string `json:"board" pulumi:"board"`
	// FirmwareVersion and FirmwareDate are of the BIOS or UEFI; the date is mm/dd/yyyy, as
	// the firmware has it.
	FirmwareVersion string `json:"firmwareVersion" pulumi:"firmwareVersion"`
	FirmwareDate    string `json:"firmwareDate" pulumi:"firmwareDate"`
	// Virtualization is the hypervisor (kvm, xen, vmware, microsoft, amazon, …; "other" is
	// one that does not say its name); empty on bare metal.
	Virtualization string `json:"virtualization" pulumi:"virtualization"`
	// Container is what this system runs in (docker, podman, lxc, systemd-nspawn, …).
	Container string `json:"container" pulumi:"container"`
}

// HugepagePool is the pages of one size that are set aside.
type HugepagePool struct {
	SizeBytes int `json:"sizeBytes" pulumi:"sizeBytes"`
	Pages     int `json:"pages" pulumi:"pages"`
}

// Mount is a mounted file system.
type Mount struct {
	Path string `json:"path" pulumi:"path"`
	// Type as in "ext4", Source as in "/dev/nvme0n1p2".
	Type     string `json:"type" pulumi:"type"`
	Source   string `json:"source" pulumi:"source"`
	ReadOnly bool   `json:"readOnly" pulumi:"readOnly"`
}

// Tuner is a running program that sets kernel or device values by itself.
type Tuner struct {
	Name string `json:"name" pulumi:"name"`
	// Profile is the active one of tuned.
	Profile string `json:"profile" pulumi:"profile"`
}
