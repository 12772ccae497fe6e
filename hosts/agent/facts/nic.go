package facts

import (
	"cmp"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"

	"github.com/hanzoai/benchlab/hosts/hostspec"
	"github.com/safchain/ethtool"
)

// nics reads every interface but loopback, by name.
func nics(sys string) ([]hostspec.NIC, error) {
	interfaces, err := net.Interfaces()
	if err != nil {
		return nil, fmt.Errorf("list network interfaces: %w", err)
	}
	ioctl, err := ethtool.NewEthtool()
	if err != nil {
		return nil, fmt.Errorf("ethtool socket: %w", err)
	}
	defer ioctl.Close()
	found := []hostspec.NIC{}
	for _, i := range interfaces {
		if i.Flags&net.FlagLoopback != 0 {
			continue
		}
		dir := filepath.Join(sys, i.Name)
		n := hostspec.NIC{
			Name: i.Name, MAC: i.HardwareAddr.String(), MTU: i.MTU,
			SpeedMbps: number(dir, "speed"),
			RXQueues:  count(dir, "queues/rx-*"),
			TXQueues:  count(dir, "queues/tx-*"),
			Addresses: []string{},
		}
		n.State, _ = text(filepath.Join(dir, "operstate"))
		// A driver that answers neither leaves the fields empty, as they are documented.
		n.Driver, _ = ioctl.DriverName(i.Name)
		if ring, err := ioctl.GetRing(i.Name); err == nil {
			n.RXRing, n.TXRing = int(ring.RxPending), int(ring.TxPending)
			n.RXRingMax, n.TXRingMax = int(ring.RxMaxPending), int(ring.TxMaxPending)
		}
		addresses, err := i.Addrs()
		if err != nil && !os.IsNotExist(err) {
			return nil, fmt.Errorf("addresses of %s: %w", i.Name, err)
		}
		for _, a := range addresses {
			n.Addresses = append(n.Addresses, a.String())
		}
		found = append(found, n)
	}
	slices.SortFunc(found, func(a, b hostspec.NIC) int { return cmp.Compare(a.Name, b.Name) })
	return found, nil
}

func count(dir, pattern string) int {
	matches, _ := filepath.Glob(filepath.Join(dir, pattern)) // the pattern is a constant
	return len(matches)
}
