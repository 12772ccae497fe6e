package facts

import (
	"cmp"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/hanzoai/benchlab/hosts/hostspec"
	"github.com/hanzoai/benchlab/tuning/ethtool"
)

const netDir = "sys/class/net"

// loopback is ARPHRD_LOOPBACK of include/uapi/linux/if_arp.h.
const loopback = 772

// nics reads every interface but loopback, by name.
func (f files) nics(w *wire) []hostspec.NIC {
	found := []hostspec.NIC{}
	for _, name := range f.names(netDir) {
		index := f.number(netDir, name, "ifindex")
		if index == 0 || f.number(netDir, name, "type") == loopback {
			continue // not a NIC (bonding_masters is a file here), or gone since
		}
		n := f.nic(name)
		n.Addresses = append(n.Addresses, w.addresses[index]...)
		w.ask(&n)
		found = append(found, n)
	}
	return found
}

// nic is what the files say.
func (f files) nic(name string) hostspec.NIC {
	dir := filepath.Join(netDir, name)
	device, function := f.device(name)
	n := hostspec.NIC{
		Name:      name,
		MAC:       f.text(dir, "address"),
		Driver:    f.link(dir, "device/driver"),
		NUMANode:  -1,
		State:     f.text(dir, "operstate"),
		MTU:       f.number(dir, "mtu"),
		SpeedMbps: f.number(dir, "speed"),
		Duplex:    f.text(dir, "duplex"),
		Addresses: []string{},
	}
	for _, queue := range f.names(dir, "queues") {
		if strings.HasPrefix(queue, "rx-") {
			n.RXQueues++
		} else if strings.HasPrefix(queue, "tx-") {
			n.TXQueues++
		}
	}
	for _, entry := range f.names(dir) {
		if lower, ok := strings.CutPrefix(entry, "lower_"); ok {
			n.Lower = append(n.Lower, lower)
		}
	}
	if device != "" {
		n.Bus = filepath.Base(cmp.Or(function, device))
	}
	if function != "" {
		n.PCIID = strings.TrimPrefix(f.text(function, "vendor"), "0x") + ":" + strings.TrimPrefix(f.text(function, "device"), "0x")
		n.PCI = hostspec.PCILink{
			Speed: f.text(function, "current_link_speed"), Width: f.number(function, "current_link_width"),
			MaxSpeed: f.text(function, "max_link_speed"), MaxWidth: f.number(function, "max_link_width"),
		}
	}
	for _, d := range []string{device, function} {
		if node, err := strconv.Atoi(f.text(d, "numa_node")); err == nil && d != "" {
			n.NUMANode = node
			break
		}
	}
	return n
}

var pciAddress = regexp.MustCompile(`^[0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$`)

// device is the directory of what a NIC is the interface of, below the root, and that of
// its PCI function: the same, or its parent where a bus such as virtio lies between. Both
// are empty for a virtual NIC.
func (f files) device(nic string) (device, function string) {
	path, err := filepath.EvalSymlinks(f.path(netDir, nic, "device"))
	if err != nil {
		return "", ""
	}
	if device, err = filepath.Rel(string(f), path); err != nil {
		return "", ""
	}
	for _, dir := range []string{device, filepath.Dir(device)} {
		if pciAddress.MatchString(filepath.Base(dir)) {
			return device, dir
		}
	}
	return device, ""
}

// ask adds what the kernel answers. What a driver does not answer stays empty.
func (w *wire) ask(n *hostspec.NIC) {
	if d, err := w.driver(n.Name); err == nil {
		n.Driver, n.DriverVersion, n.FirmwareVersion = d.name, d.version, d.firmware
	}
	if n.FirmwareVersion == "N/A" {
		n.FirmwareVersion = ""
	}
	if w.ethtool == nil {
		return
	}
	if rings, err := w.ethtool.Get(n.Name, ethtool.Rings); err == nil {
		n.RXRing, n.RXRingMax = int(rings["rx"].Value), int(rings["rx"].Max)
		n.TXRing, n.TXRingMax = int(rings["tx"].Value), int(rings["tx"].Max)
	}
	if channels, err := w.ethtool.Get(n.Name, ethtool.Channels); err == nil && len(channels) > 0 {
		n.Channels = map[string]hostspec.ChannelCount{}
		for name, c := range channels {
			n.Channels[name] = hostspec.ChannelCount{Count: int(c.Value), Max: int(c.Max)}
		}
	}
	if coalescing, err := w.ethtool.Get(n.Name, ethtool.Coalescing); err == nil && len(coalescing) > 0 {
		n.Coalescing = map[string]int{}
		for name, c := range coalescing {
			n.Coalescing[name] = int(c.Value)
		}
	}
	features, _ := w.ethtool.Features(n.Name)
	for _, f := range features {
		if f.Active {
			n.Offloads = append(n.Offloads, f.Name)
		}
	}
	slices.Sort(n.Offloads)
}
