package ethtool

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mdlayher/netlink"
	"golang.org/x/sys/unix"
)

// Feature is an offload of a NIC, or another of its switches.
type Feature struct {
	// Name is the kernel's, as in "rx-gro" (netdev_features_strings in
	// net/ethtool/common.c).
	Name string
	// Active says whether it is on, Wanted whether it is on as soon as the features that
	// it needs are.
	Active, Wanted bool
	// Changeable says whether it can be asked for; ethtool shows the others as [fixed].
	Changeable bool
}

// Features lists every feature that the kernel knows, in the kernel's order.
func (c *Client) Features(nic string) ([]Feature, error) {
	data, err := c.query(request{nic: nic, command: unix.ETHTOOL_MSG_FEATURES_GET}, unix.ETHTOOL_MSG_FEATURES_GET_REPLY)
	if err != nil {
		return nil, &Error{nic, "reading features", err}
	}
	features, err := decodeFeatures(data)
	if err != nil {
		return nil, damaged(nic, "reading features", err)
	}
	return features, nil
}

// SetFeatures asks for the named features to be on or off and leaves the others to
// follow: a feature that needs one that goes off goes off with it. Where some did not
// become what was asked, the error holds a RefusedError, and the others have changed.
func (c *Client) SetFeatures(nic string, wanted map[string]bool) error {
	names := slices.Sorted(maps.Keys(wanted))
	var changes []string
	for _, name := range names {
		changes = append(changes, name+" "+onOff(wanted[name]))
	}
	asked := "setting features " + strings.Join(changes, ", ")
	// No acknowledgement is asked for: the reply is one.
	data, err := c.query(request{
		nic: nic, command: unix.ETHTOOL_MSG_FEATURES_SET,
		body: func(e *netlink.AttributeEncoder) { encodeBits(e, unix.ETHTOOL_A_FEATURES_WANTED, names, wanted) },
	}, unix.ETHTOOL_MSG_FEATURES_SET_REPLY)
	if err != nil {
		return &Error{nic, asked, err}
	}
	refused, err := decodeRefused(data)
	if err != nil {
		return damaged(nic, asked, err)
	}
	if len(refused) > 0 {
		return &Error{nic, asked, &RefusedError{Features: refused}}
	}
	return nil
}

// RefusedError names the features that a NIC keeps as they are, whatever is asked.
type RefusedError struct {
	// Features are by the kernel's names, in the kernel's order.
	Features []string
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("%s did not change; the driver keeps it so (ethtool -k shows it as [fixed]), or a feature that it needs is off", strings.Join(e.Features, ", "))
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

// decodeFeatures reads a reply with four bitsets. That of hw has a mask, so it names
// every feature there is; the others list what is set.
func decodeFeatures(data []byte) ([]Feature, error) {
	d, err := netlink.NewAttributeDecoder(data)
	if err != nil {
		return nil, err
	}
	sets := map[uint16][]bit{}
	for d.Next() {
		switch d.Type() {
		case unix.ETHTOOL_A_FEATURES_HW, unix.ETHTOOL_A_FEATURES_WANTED, unix.ETHTOOL_A_FEATURES_ACTIVE, unix.ETHTOOL_A_FEATURES_NOCHANGE:
			sets[d.Type()] = decodeBits(d)
		}
	}
	if err := d.Err(); err != nil {
		return nil, err
	}
	wanted := setBits(sets[unix.ETHTOOL_A_FEATURES_WANTED])
	active := setBits(sets[unix.ETHTOOL_A_FEATURES_ACTIVE])
	fixed := setBits(sets[unix.ETHTOOL_A_FEATURES_NOCHANGE])
	var features []Feature
	for _, b := range sets[unix.ETHTOOL_A_FEATURES_HW] {
		features = append(features, Feature{
			Name: b.name, Active: active[b.name], Wanted: wanted[b.name],
			Changeable: b.set && !fixed[b.name],
		})
	}
	return features, nil
}

// decodeRefused reads the reply to a set: its bitset of wanted names what was asked and
// is not so.
func decodeRefused(data []byte) ([]string, error) {
	d, err := netlink.NewAttributeDecoder(data)
	if err != nil {
		return nil, err
	}
	var refused []string
	for d.Next() {
		if d.Type() != unix.ETHTOOL_A_FEATURES_WANTED {
			continue
		}
		for _, b := range decodeBits(d) {
			refused = append(refused, b.name)
		}
	}
	return refused, d.Err()
}
