package ethtool

import (
	"errors"

	"github.com/mdlayher/netlink"
	"golang.org/x/sys/unix"
)

// bit is one entry of a bitset in its verbose form, which names each bit.
type bit struct {
	name string
	set  bool
}

// encodeBits asks for the named bits alone: a bitset without ETHTOOL_A_BITSET_NOMASK
// leaves those that it does not list as they are.
func encodeBits(e *netlink.AttributeEncoder, id uint16, names []string, wanted map[string]bool) {
	e.Nested(id, func(set *netlink.AttributeEncoder) error {
		set.Nested(unix.ETHTOOL_A_BITSET_BITS, func(bits *netlink.AttributeEncoder) error {
			for _, name := range names {
				bits.Nested(unix.ETHTOOL_A_BITSET_BITS_BIT, func(b *netlink.AttributeEncoder) error {
					b.String(unix.ETHTOOL_A_BITSET_BIT_NAME, name)
					b.Flag(unix.ETHTOOL_A_BITSET_BIT_VALUE, wanted[name])
					return nil
				})
			}
			return nil
		})
		return nil
	})
}

// decodeBits reads the bitset that the decoder stands at. What is wrong with it is the
// decoder's error.
func decodeBits(d *netlink.AttributeDecoder) []bit {
	var bits []bit
	d.Nested(func(set *netlink.AttributeDecoder) error {
		// Without a mask the bits that are listed are those that are set.
		var list bool
		for set.Next() {
			switch set.Type() {
			case unix.ETHTOOL_A_BITSET_NOMASK:
				list = true
			case unix.ETHTOOL_A_BITSET_VALUE:
				return errors.New("it holds a compact bitset, which was not asked for")
			case unix.ETHTOOL_A_BITSET_BITS:
				set.Nested(func(entries *netlink.AttributeDecoder) error {
					for entries.Next() {
						// The kernel lists the numbers that it holds free as well.
						if b := decodeBit(entries); b.name != "" {
							bits = append(bits, b)
						}
					}
					return nil
				})
			}
		}
		for i := range bits {
			bits[i].set = bits[i].set || list
		}
		return nil
	})
	return bits
}

func decodeBit(d *netlink.AttributeDecoder) bit {
	var b bit
	d.Nested(func(entry *netlink.AttributeDecoder) error {
		for entry.Next() {
			switch entry.Type() {
			case unix.ETHTOOL_A_BITSET_BIT_NAME:
				b.name = entry.String()
			case unix.ETHTOOL_A_BITSET_BIT_VALUE:
				b.set = true
			}
		}
		return nil
	})
	return b
}

// setBits are the names of the bits that are set.
func setBits(bits []bit) map[string]bool {
	names := map[string]bool{}
	for _, b := range bits {
		if b.set {
			names[b.name] = true
		}
	}
	return names
}
