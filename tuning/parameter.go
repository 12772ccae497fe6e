package tuning

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/hanzoai/benchlab/tuning/ethtool"
	"github.com/hanzoai/benchlab/tuning/spec"
)

// askEthtool opens a client for one question: that costs less than a read of /sys, and
// nothing has to be kept open or known to be still good.
func (h *Host) askEthtool(ask func(*ethtool.Client) error) error {
	c, err := h.dialEthtool()
	if err != nil {
		return err
	}
	err = ask(c)
	if closeErr := c.Close(); err == nil {
		err = closeErr
	}
	return err
}

// parameters reads a group of numbers of a NIC. Where its driver, or the kernel, has no
// such thing, unsupported says so.
func (h *Host) parameters(nic string, g *ethtool.Group) (have map[string]ethtool.Parameter, unsupported string, err error) {
	have, err = parameter{host: h, nic: nic, group: g}.all()
	switch unsupported := h.lacks(nic, g.String(), err); {
	case unsupported != "":
		return nil, unsupported, nil
	case errors.Is(err, unix.ENODEV):
		return nil, "", h.unknownNIC(nic)
	}
	return have, "", err
}

// lacks is the reason of a NIC that can't have what ethtool was asked for; empty where
// the error is another one.
func (h *Host) lacks(nic, what string, err error) string {
	switch {
	case errors.Is(err, unix.EOPNOTSUPP):
		return fmt.Sprintf("the driver of NIC %s has no %s", nic, what)
	case errors.Is(err, fs.ErrNotExist):
		return err.Error()
	}
	return ""
}

// amount is one number that a person wants, in the names of a group.
type amount struct {
	name string
	// text is decimal or spec.Max; empty leaves the number alone.
	text string
	// note says what the name was made of, where the person used another one.
	note string
}

// amounts are the settings of what is wanted of a group, within the driver's maxima.
// open makes a knob of a parameter's name.
func amounts(nic string, g *ethtool.Group, have map[string]ethtool.Parameter, unsupported string, wanted []amount, open func(name string) knob) ([]setting, error) {
	var settings []setting
	var faults []error
	for _, w := range wanted {
		if w.text == "" {
			continue
		}
		s := setting{knob: open(w.name), desired: w.text, unsupported: unsupported, note: w.note}
		p, ok := have[w.name]
		switch n, err := strconv.ParseUint(w.text, 10, 32); {
		case unsupported != "":
		case !ok:
			s.unsupported = fmt.Sprintf("the driver of NIC %s has no %s of %s", nic, g, w.name)
		case w.text == spec.Max && p.Max == 0:
			s.unsupported = fmt.Sprintf("the driver of NIC %s does not say how many it can have; give a number", nic)
		case w.text == spec.Max:
			s.desired = strconv.FormatUint(uint64(p.Max), 10)
		case err != nil:
			faults = append(faults, fmt.Errorf("NIC %s: %s: %s is %q; it must be a whole number or %q", nic, g, w.name, w.text, spec.Max))
		case p.Max != 0 && n > uint64(p.Max):
			faults = append(faults, fmt.Errorf("NIC %s: %s: %s is %d, and the driver takes at most %d (ethtool shows it); give that, or %q", nic, g, w.name, n, p.Max, spec.Max))
		}
		settings = append(settings, s)
	}
	return settings, errors.Join(faults...)
}

// parameterKey takes apart a key such as nic/eth0/ring/rx, whose kind is "ring".
func parameterKey(key, kind string) (nic, name string, ok bool) {
	nic, rest, ok := nicKey(key)
	name, isKind := strings.CutPrefix(rest, kind+"/")
	return nic, name, ok && isKind && name != "" && !strings.Contains(name, "/")
}

// parameter is the place of a number that ethtool shows.
type parameter struct {
	host  *Host
	nic   string
	group *ethtool.Group
	name  string
}

func (p parameter) read() ([]byte, error) {
	have, err := p.all()
	if err != nil {
		return nil, err
	}
	return p.of(have)
}

// all reads the whole group.
func (p parameter) all() (have map[string]ethtool.Parameter, err error) {
	err = p.host.askEthtool(func(c *ethtool.Client) (err error) {
		have, err = c.Get(p.nic, p.group)
		return err
	})
	return have, err
}

// of is the text of this one among them.
func (p parameter) of(have map[string]ethtool.Parameter) ([]byte, error) {
	value, ok := have[p.name]
	if !ok {
		return nil, fmt.Errorf("%s: %w", p, fs.ErrNotExist)
	}
	return line(strconv.FormatUint(uint64(value.Value), 10)), nil
}

// tooMuch says why the device can't have a number that one of this name once had: it may
// be another device by now.
func (p parameter) tooMuch(text string) string {
	n, err := strconv.ParseUint(spec.CanonicalText(text), 10, 32)
	if err != nil {
		return ""
	}
	have, err := p.all()
	if most := have[p.name].Max; err == nil && most != 0 && n > uint64(most) {
		return fmt.Sprintf("NIC %s can have no more than %d %s now", p.nic, most, p.group)
	}
	return ""
}

func (p parameter) write(text []byte) error {
	n, err := strconv.ParseUint(spec.CanonicalText(string(text)), 10, 32)
	if err != nil {
		return fmt.Errorf("it is no number: %w", unix.EINVAL)
	}
	return p.set(uint32(n))
}

func (p parameter) set(n uint32) error {
	return p.host.askEthtool(func(c *ethtool.Client) error {
		return c.Set(p.nic, p.group, map[string]uint32{p.name: n})
	})
}

func (p parameter) String() string { return fmt.Sprintf("%s %s of NIC %s", p.group, p.name, p.nic) }
