package tuning

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/hanzoai/benchlab/tuning/spec"
)

const (
	// ourQdisc is the handle of the roots that benchlab sets. The kernel numbers those that
	// come without one from 8000: on, and its own have 0:.
	ourQdisc = 0x7be0 << 16
	// multiQueue is the root of a NIC of several tx queues: each has a discipline of its own.
	multiQueue = "mq"
	// noQdisc is what a NIC has that was never up.
	noQdisc = "noop"
)

// withoutParameters are the disciplines that have nothing to set but their kind.
var withoutParameters = []string{"noqueue", "pfifo_fast", multiQueue}

// queueDisciplines are the kinds of the NICs' packet schedulers (tc(8)). The text is that
// of the root, and of a root mq with the kinds of its active tx queues behind it: one if
// all have the same ("mq fq"), else one for each.
var queueDisciplines = tunable{expand: perNIC((*Host).queueDiscipline), find: (*Host).findQdisc}

func (h *Host) queueDiscipline(n spec.NIC) ([]setting, error) {
	if n.QueueDiscipline == "" {
		return nil, nil
	}
	s, err := h.qdisc(n.Name, n.QueueDiscipline)
	if err != nil {
		return nil, err
	}
	return []setting{s}, nil
}

// findQdisc opens keys such as nic/eth0/qdisc.
func (h *Host) findQdisc(key string) (knob, bool) {
	nic, rest, ok := nicKey(key)
	if !ok || rest != "qdisc" {
		return knob{}, false
	}
	return knob{key: key, kind: spec.Tokens, place: qdisc{h, nic}}, true
}

// qdisc is the setting of one NIC, with what the host says against it.
func (h *Host) qdisc(nic, kind string) (setting, error) {
	k, _ := h.findQdisc(nicPrefix + nic + "/qdisc")
	link, err := netlink.LinkByName(nic)
	if errors.As(err, &netlink.LinkNotFoundError{}) {
		return setting{}, h.unknownNIC(nic)
	}
	if err != nil {
		return setting{}, fmt.Errorf("%s: %w", k.key, err)
	}
	s := setting{knob: k, desired: kind}
	// What counts is the number of queues that the NIC was made with, not of the active ones.
	if link.Attrs().NumTxQueues > 1 && kind != "noqueue" {
		s.desired = multiQueue + " " + kind
	}
	live, err := disciplines(link)
	if err != nil {
		return setting{}, fmt.Errorf("%s: %w", k.key, err)
	}
	text, err := h.qdiscText(nic, live)
	if err != nil {
		return setting{}, fmt.Errorf("%s: %w", k.key, err)
	}
	switch {
	case text == s.desired: // whatever parameters someone has given it
		return s, nil
	case text == noQdisc:
		s.unsupported = fmt.Sprintf("the NIC is down and was never up, so it has none yet: ip link set %s up", nic)
		return s, nil
	case live.isRate():
		s.unsupported = fmt.Sprintf("the NIC has %s, which holds a lab's link to its rate; leave rate or queue_discipline out", describeQdisc(live.root))
		return s, nil
	}
	if foreign := live.foreign(); foreign != "" {
		s.lossy = fmt.Sprintf("the NIC has %s, whose parameters could not be put back; take it away first: tc qdisc del dev %s root", foreign, nic)
	}
	if s.unsupported, err = lacksQdisc(kind); err != nil {
		return setting{}, fmt.Errorf("%s: %w", k.key, err)
	}
	return s, nil
}

// qdisc is the place of a NIC's queue discipline.
type qdisc struct {
	h   *Host
	nic string
}

func (q qdisc) String() string { return "tc qdisc show dev " + q.nic }

func (q qdisc) read() ([]byte, error) {
	link, err := q.link("read")
	if err != nil {
		return nil, err
	}
	live, err := disciplines(link)
	if err != nil {
		return nil, err
	}
	text, err := q.h.qdiscText(q.nic, live)
	return []byte(text), err
}

// write takes the root away, so that the kernel attaches what it does by itself, as it
// was before someone set one. Only where that is not the wanted one, it is set.
func (q qdisc) write(text []byte) error {
	wanted := strings.Fields(string(text))
	link, err := q.link("write")
	if err != nil {
		return err
	}
	live, err := disciplines(link)
	if err != nil {
		return err
	}
	if live.root != nil && live.root.Attrs().Handle != 0 {
		if err := netlink.QdiscDel(live.root); err != nil {
			return fmt.Errorf("taking away %s: %w", describeQdisc(live.root), err)
		}
	}
	if now, err := q.read(); err != nil || spec.CanonicalText(string(now)) == strings.Join(wanted, " ") {
		return err
	}
	root := attributes(link, netlink.HANDLE_ROOT)
	root.Handle = ourQdisc
	if err := netlink.QdiscReplace(&netlink.GenericQdisc{QdiscAttrs: root, QdiscType: wanted[0]}); err != nil {
		return err
	}
	return q.writeLeaves(link, wanted[1:])
}

// writeLeaves gives the active tx queues their kinds.
func (q qdisc) writeLeaves(link netlink.Link, wanted []string) error {
	if len(wanted) == 0 {
		return nil
	}
	_, tx, err := q.h.queues(q.nic)
	if err != nil {
		return err
	}
	live, err := disciplines(link)
	if err != nil {
		return err
	}
	for i := range tx {
		kind := wanted[min(i, len(wanted)-1)]
		if live.kind(i) == kind {
			continue
		}
		leaf := attributes(link, ourQdisc|uint32(i+1))
		if err := netlink.QdiscReplace(&netlink.GenericQdisc{QdiscAttrs: leaf, QdiscType: kind}); err != nil {
			return fmt.Errorf("tx queue %d: %w", i, err)
		}
	}
	return nil
}

func (q qdisc) link(op string) (netlink.Link, error) {
	link, err := netlink.LinkByName(q.nic)
	if errors.As(err, &netlink.LinkNotFoundError{}) {
		return nil, &fs.PathError{Op: op, Path: q.String(), Err: unix.ENODEV}
	}
	return link, err
}

func attributes(link netlink.Link, parent uint32) netlink.QdiscAttrs {
	return netlink.QdiscAttrs{LinkIndex: link.Attrs().Index, Parent: parent}
}

// attached is what a NIC sends through.
type attached struct {
	root netlink.Qdisc
	// leaves of a root mq by the index of the tx queue.
	leaves map[int]netlink.Qdisc
}

// disciplines reads those of a NIC.
func disciplines(link netlink.Link) (attached, error) {
	var all []netlink.Qdisc
	var err error
	for range 5 { // a change of any NIC's disciplines interrupts the listing
		if all, err = netlink.QdiscList(link); !errors.Is(err, netlink.ErrDumpInterrupted) {
			break
		}
	}
	if err != nil {
		return attached{}, fmt.Errorf("listing the queue disciplines of NIC %s: %w", link.Attrs().Name, err)
	}
	a := attached{leaves: map[int]netlink.Qdisc{}}
	for _, q := range all {
		if q.Attrs().Parent == netlink.HANDLE_ROOT {
			a.root = q
		}
	}
	for _, q := range all {
		major, minor := netlink.MajorMinor(q.Attrs().Parent)
		if a.root != nil && uint32(major)<<16 == a.root.Attrs().Handle && minor > 0 {
			a.leaves[int(minor)-1] = q
		}
	}
	return a, nil
}

func (a attached) kind(queue int) string {
	if leaf := a.leaves[queue]; leaf != nil {
		return leaf.Type()
	}
	return noQdisc
}

// foreign describes what someone has set and what may have parameters; empty where there
// is nothing like it.
func (a attached) foreign() string {
	if a.root == nil || a.root.Attrs().Handle == ourQdisc {
		return ""
	}
	suspects := []netlink.Qdisc{a.root}
	for _, queue := range slices.Sorted(maps.Keys(a.leaves)) {
		suspects = append(suspects, a.leaves[queue])
	}
	for _, q := range suspects {
		if q.Attrs().Handle != 0 && !slices.Contains(withoutParameters, q.Type()) {
			return describeQdisc(q)
		}
	}
	return ""
}

// isRate says whether the root is what hosts/namespace holds a link to its rate with. No
// one else numbers a token bucket so low: the kernel starts at 8000:.
func (a attached) isRate() bool {
	return a.root != nil && a.root.Type() == "tbf" && a.root.Attrs().Handle == netlink.MakeHandle(1, 0)
}

func describeQdisc(q netlink.Qdisc) string {
	return fmt.Sprintf("the queue discipline %s %s", q.Type(), strings.TrimSuffix(netlink.HandleStr(q.Attrs().Handle), "0"))
}

// qdiscText is the text of what a NIC has.
func (h *Host) qdiscText(nic string, a attached) (string, error) {
	if a.root == nil {
		return noQdisc, nil
	}
	if a.root.Type() != multiQueue {
		return a.root.Type(), nil
	}
	_, tx, err := h.queues(nic)
	if err != nil {
		return "", err
	}
	kinds := []string{multiQueue}
	for i := range tx {
		kinds = append(kinds, a.kind(i))
	}
	if len(slices.Compact(slices.Clone(kinds[1:]))) == 1 {
		kinds = kinds[:2]
	}
	return strings.Join(kinds, " "), nil
}
