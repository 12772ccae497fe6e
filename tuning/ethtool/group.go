package ethtool

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/mdlayher/netlink"
	"golang.org/x/sys/unix"
)

// Group is a kind of numbers that are read and set by one message: Channels, Rings or
// Coalescing.
type Group struct {
	name            string
	get, reply, set uint8
	parameters      []parameter
}

// parameter is one number of a group, by the name that ethtool gives it.
type parameter struct {
	name string
	// id is the attribute of the value, maxID that of its maximum, 0 where there is none.
	id, maxID uint16
	// byte says that the attribute is an u8; else it is an u32.
	byte bool
}

// Parameter is what a driver says of one number.
type Parameter struct {
	Value uint32
	// Max is the largest value that the driver takes; 0 where it does not say.
	Max uint32
}

// String is the group's name as in "rings".
func (g *Group) String() string { return g.name }

// Names lists the parameters of the group, whatever a driver has of them.
func (g *Group) Names() []string {
	names := make([]string, len(g.parameters))
	for i, p := range g.parameters {
		names[i] = p.name
	}
	return names
}

// Get reads the parameters that the driver of a NIC has; those that ethtool shows as
// n/a are absent.
func (c *Client) Get(nic string, g *Group) (map[string]Parameter, error) {
	asked := "reading " + g.name
	data, err := c.query(request{nic: nic, command: g.get}, g.reply)
	if err != nil {
		return nil, &Error{nic, asked, err}
	}
	have, err := g.decode(data)
	if err != nil {
		return nil, damaged(nic, asked, err)
	}
	return have, nil
}

// Set changes the named parameters with one message and leaves the others alone. The
// driver takes all or, at an error, most often none; only Get tells, as it does of
// values that a driver rounds.
func (c *Client) Set(nic string, g *Group, values map[string]uint32) error {
	err := g.check(values)
	if err == nil {
		err = c.command(request{nic: nic, command: g.set, body: func(e *netlink.AttributeEncoder) { g.encode(e, values) }})
	}
	if err != nil {
		var asked []string
		for _, name := range slices.Sorted(maps.Keys(values)) {
			asked = append(asked, fmt.Sprintf("%s %d", name, values[name]))
		}
		return &Error{nic, fmt.Sprintf("setting %s %s", g, strings.Join(asked, ", ")), err}
	}
	return nil
}

func damaged(nic, asked string, err error) error {
	return &Error{nic, asked, fmt.Errorf("the kernel's answer is damaged: %w", err)}
}

// check finds what can't be said on the wire.
func (g *Group) check(values map[string]uint32) error {
	known := map[string]parameter{}
	for _, p := range g.parameters {
		known[p.name] = p
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		p, ok := known[name]
		if !ok {
			return fmt.Errorf("there is no %q; there are %s: %w", name, strings.Join(g.Names(), ", "), unix.EINVAL)
		}
		if p.byte && values[name] > math.MaxUint8 {
			return fmt.Errorf("%s is at most %d: %w", name, math.MaxUint8, unix.EINVAL)
		}
	}
	return nil
}

func (g *Group) encode(e *netlink.AttributeEncoder, values map[string]uint32) {
	for _, p := range g.parameters {
		value, ok := values[p.name]
		switch {
		case !ok:
		case p.byte:
			e.Uint8(p.id, uint8(value))
		default:
			e.Uint32(p.id, value)
		}
	}
}

func (g *Group) decode(data []byte) (map[string]Parameter, error) {
	d, err := netlink.NewAttributeDecoder(data)
	if err != nil {
		return nil, err
	}
	values, maxima := map[string]uint32{}, map[string]uint32{}
	for d.Next() {
		for _, p := range g.parameters {
			switch {
			case d.Type() == p.id && p.byte:
				values[p.name] = uint32(d.Uint8())
			case d.Type() == p.id:
				values[p.name] = d.Uint32()
			case d.Type() == p.maxID && p.maxID != 0:
				maxima[p.name] = d.Uint32()
			}
		}
	}
	if err := d.Err(); err != nil {
		return nil, err
	}
	have := map[string]Parameter{}
	for name, value := range values {
		have[name] = Parameter{Value: value, Max: maxima[name]}
	}
	return have, nil
}
