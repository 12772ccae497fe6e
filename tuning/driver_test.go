package tuning

import (
	"fmt"

	"github.com/mdlayher/genetlink"
	"github.com/mdlayher/genetlink/genltest"
	"github.com/mdlayher/netlink"
	"golang.org/x/sys/unix"

	"github.com/hanzoai/benchlab/tuning/ethtool"
)

// driver is the far end of a fake wire, which answers with real attributes; all else, from
// the client upwards, is what runs on a host. It has a NIC "eth12" by "group/name", as in "rings/rx".
type driver struct {
	values, maxima map[string]uint32
	// take makes of a wanted value what the driver makes of it; nil takes all as it is.
	take func(name string, value uint32) (uint32, error)
	// sets lists what was set, in order.
	sets []string
}

// onWire gives a host a driver to talk to.
func onWire(tr *tree, d *driver) *tree {
	tr.dialEthtool = func() (*ethtool.Client, error) {
		family := genetlink.Family{ID: 21, Name: unix.ETHTOOL_GENL_NAME, Version: unix.ETHTOOL_GENL_VERSION}
		return ethtool.New(genltest.Dial(genltest.ServeFamily(family, d.serve)))
	}
	return tr
}

type wireParameter struct {
	name      string
	id, maxID uint16
	byte      bool
}

var wireGroups = map[string]struct {
	get, reply, set uint8
	parameters      []wireParameter
}{
	"channels": {unix.ETHTOOL_MSG_CHANNELS_GET, unix.ETHTOOL_MSG_CHANNELS_GET_REPLY, unix.ETHTOOL_MSG_CHANNELS_SET, []wireParameter{
		{name: "rx", id: unix.ETHTOOL_A_CHANNELS_RX_COUNT, maxID: unix.ETHTOOL_A_CHANNELS_RX_MAX},
		{name: "tx", id: unix.ETHTOOL_A_CHANNELS_TX_COUNT, maxID: unix.ETHTOOL_A_CHANNELS_TX_MAX},
		{name: "combined", id: unix.ETHTOOL_A_CHANNELS_COMBINED_COUNT, maxID: unix.ETHTOOL_A_CHANNELS_COMBINED_MAX},
		{name: "other", id: unix.ETHTOOL_A_CHANNELS_OTHER_COUNT, maxID: unix.ETHTOOL_A_CHANNELS_OTHER_MAX},
	}},
	"rings": {unix.ETHTOOL_MSG_RINGS_GET, unix.ETHTOOL_MSG_RINGS_GET_REPLY, unix.ETHTOOL_MSG_RINGS_SET, []wireParameter{
		{name: "rx", id: unix.ETHTOOL_A_RINGS_RX, maxID: unix.ETHTOOL_A_RINGS_RX_MAX},
		{name: "tx", id: unix.ETHTOOL_A_RINGS_TX, maxID: unix.ETHTOOL_A_RINGS_TX_MAX},
	}},
	"coalescing": {unix.ETHTOOL_MSG_COALESCE_GET, unix.ETHTOOL_MSG_COALESCE_GET_REPLY, unix.ETHTOOL_MSG_COALESCE_SET, []wireParameter{
		{name: "adaptive-rx", id: unix.ETHTOOL_A_COALESCE_USE_ADAPTIVE_RX, byte: true},
		{name: "adaptive-tx", id: unix.ETHTOOL_A_COALESCE_USE_ADAPTIVE_TX, byte: true},
		{name: "rx-usecs", id: unix.ETHTOOL_A_COALESCE_RX_USECS},
		{name: "rx-frames", id: unix.ETHTOOL_A_COALESCE_RX_MAX_FRAMES},
		{name: "tx-usecs", id: unix.ETHTOOL_A_COALESCE_TX_USECS},
	}},
}

func (d *driver) serve(g genetlink.Message, _ netlink.Message) ([]genetlink.Message, error) {
	for name, group := range wireGroups {
		switch g.Header.Command {
		case group.get:
			e := netlink.NewAttributeEncoder()
			for _, p := range group.parameters {
				value, ok := d.values[name+"/"+p.name]
				if !ok {
					continue
				}
				if p.byte {
					e.Uint8(p.id, uint8(value))
				} else {
					e.Uint32(p.id, value)
				}
				if most := d.maxima[name+"/"+p.name]; most != 0 {
					e.Uint32(p.maxID, most)
				}
			}
			data, err := e.Encode()
			return []genetlink.Message{{Header: genetlink.Header{Command: group.reply}, Data: data}}, err
		case group.set:
			a, err := netlink.NewAttributeDecoder(g.Data)
			if err != nil {
				return nil, err
			}
			for a.Next() {
				for _, p := range group.parameters {
					if a.Type() != p.id {
						continue
					}
					value := uint32(0)
					if p.byte {
						value = uint32(a.Uint8())
					} else {
						value = a.Uint32()
					}
					if err := d.set(name+"/"+p.name, value); err != nil {
						return nil, err
					}
				}
			}
			return []genetlink.Message{{}}, a.Err()
		}
	}
	return nil, genltest.Error(int(unix.EOPNOTSUPP))
}

func (d *driver) set(name string, value uint32) error {
	if d.take != nil {
		var err error
		if value, err = d.take(name, value); err != nil {
			return err
		}
	}
	d.sets = append(d.sets, fmt.Sprintf("%s %d", name, value))
	d.values[name] = value
	return nil
}
