package hostspec

// NIC describes one network interface.
type NIC struct {
	Name string `json:"name" pulumi:"name"`
	MAC  string `json:"mac" pulumi:"mac"`
	// Driver is the kernel driver ("veth", "virtio_net", "r8127").
	Driver string `json:"driver" pulumi:"driver"`
	// DriverVersion is the kernel's release for a driver that comes with the kernel.
	DriverVersion   string `json:"driverVersion" pulumi:"driverVersion"`
	FirmwareVersion string `json:"firmwareVersion" pulumi:"firmwareVersion"`
	// Bus is the address of the device ("0000:81:00.0", "virtio2"); empty for a virtual NIC.
	Bus string `json:"bus" pulumi:"bus"`
	// PCIID is vendor and device in hex ("10ec:8127").
	PCIID string `json:"pciId" pulumi:"pciId"`
	// PCI is the link to the PCI bus, as it was negotiated and as it could be.
	PCI PCILink `json:"pci" pulumi:"pci"`
	// NUMANode is the node of the device; -1 where it has none.
	NUMANode int `json:"numaNode" pulumi:"numaNode"`
	// State is operstate: up, down, unknown.
	State string `json:"state" pulumi:"state"`
	MTU   int    `json:"mtu" pulumi:"mtu"`
	// SpeedMbps is the link speed in Mbit/s; 0 while the link is down.
	SpeedMbps int `json:"speedMbps" pulumi:"speedMbps"`
	// Duplex is full, half or unknown.
	Duplex string `json:"duplex" pulumi:"duplex"`
	// RXQueues and TXQueues count the active queues.
	RXQueues int `json:"rxQueues" pulumi:"rxQueues"`
	TXQueues int `json:"txQueues" pulumi:"txQueues"`
	// RXRing and TXRing are ring sizes in descriptors, with their maxima; 0 where the
	// driver has none to read.
	RXRing    int `json:"rxRing" pulumi:"rxRing"`
	TXRing    int `json:"txRing" pulumi:"txRing"`
	RXRingMax int `json:"rxRingMax" pulumi:"rxRingMax"`
	TXRingMax int `json:"txRingMax" pulumi:"txRingMax"`
	// Channels are the queues that have an interrupt: rx, tx, combined, other.
	Channels map[string]ChannelCount `json:"channels,omitempty" pulumi:"channels,optional"`
	// Coalescing is for how long and for how many packets an interrupt is held back, by the
	// names of ethtool -c: usecs in microseconds, frames in packets, adaptive 0 or 1.
	Coalescing map[string]int `json:"coalescing,omitempty" pulumi:"coalescing,optional"`
	// Offloads are the features that are on, by the kernel's names, sorted.
	Offloads []string `json:"offloads,omitempty" pulumi:"offloads,optional"`
	// Lower are the NICs that a bond, a VLAN or a bridge stands on, by name.
	Lower []string `json:"lower,omitempty" pulumi:"lower,optional"`
	// Addresses in CIDR form.
	Addresses []string `json:"addresses" pulumi:"addresses"`
}

// PCILink is the link of a device to the PCI bus. Speeds are in the kernel's words
// ("8.0 GT/s PCIe"), widths in lanes.
type PCILink struct {
	Speed    string `json:"speed" pulumi:"speed"`
	Width    int    `json:"width" pulumi:"width"`
	MaxSpeed string `json:"maxSpeed" pulumi:"maxSpeed"`
	MaxWidth int    `json:"maxWidth" pulumi:"maxWidth"`
}

// ChannelCount is a number of channels and the most that the driver takes.
type ChannelCount struct {
	Count int `json:"count" pulumi:"count"`
	Max   int `json:"max" pulumi:"max"`
}
