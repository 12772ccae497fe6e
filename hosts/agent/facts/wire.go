package facts

import (
	"errors"
	"fmt"

	"github.com/hanzoai/benchlab/tuning/ethtool"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// asker answers what ethtool(8) shows of a NIC.
type asker interface {
	Get(nic string, g *ethtool.Group) (map[string]ethtool.Parameter, error)
	Features(nic string) ([]ethtool.Feature, error)
}

// wire is what the kernel says of NICs by other ways than files.
type wire struct {
	// ethtool is nil where the kernel is older than its netlink family.
	ethtool asker
	// driver names the driver of a NIC.
	driver func(nic string) (driver, error)
	// addresses are in CIDR form, by the index of the NIC.
	addresses map[int][]string
	close     func()
}

// driver is what a NIC's driver says of itself.
type driver struct{ name, version, firmware string }

// dial opens the ways to the kernel.
func dial() (*wire, error) {
	all, err := netlink.AddrList(nil, netlink.FAMILY_ALL)
	// The list can be read while it changes; then some are in it twice or not at all.
	if err != nil && !errors.Is(err, netlink.ErrDumpInterrupted) {
		return nil, fmt.Errorf("list the addresses of network interfaces: %w", err)
	}
	w := &wire{addresses: map[int][]string{}}
	for _, a := range all {
		w.addresses[a.LinkIndex] = append(w.addresses[a.LinkIndex], a.IPNet.String())
	}
	// Names and versions of drivers have no netlink message, so an ioctl asks for them.
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("a socket to ask for drivers: %w", err)
	}
	w.close = func() { _ = unix.Close(socket) } // nothing was written
	w.driver = func(nic string) (driver, error) {
		info, err := unix.IoctlGetEthtoolDrvinfo(socket, nic)
		if err != nil {
			return driver{}, fmt.Errorf("NIC %s: asking for its driver: %w", nic, err)
		}
		text := unix.ByteSliceToString
		return driver{text(info.Driver[:]), text(info.Version[:]), text(info.Fw_version[:])}, nil
	}
	if client, err := ethtool.Dial(); err == nil {
		w.ethtool = client
		w.close = func() { _, _ = client.Close(), unix.Close(socket) }
	}
	return w, nil
}
