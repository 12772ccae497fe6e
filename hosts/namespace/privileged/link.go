//go:build linux

package privileged

import (
	"errors"
	"fmt"
	"net/netip"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"

	"github.com/hanzoai/benchlab/hosts/namespace"
)

// The token bucket of a rate limit. With a small burst the kernel cuts every GSO frame
// into packets before it sends, which costs a whole core at 2.5 Gbit/s; 1 MiB costs
// nothing that can be seen and keeps the rate exact.
const (
	burstBytes     = 1 << 20
	backlogSeconds = 0.020
)

// end is one end of a link: a host's network namespace, opened, and the NIC's name.
type end struct {
	namespace.LinkEnd
	ns     netns.NsHandle
	handle *netlink.Handle
}

// CreateLink makes a veth pair between two running hosts. On an error none is left.
func CreateLink(spec namespace.LinkSpec) (state namespace.LinkState, err error) {
	if err := spec.Check(); err != nil {
		return state, err
	}
	defer named(spec, &err)
	ends, err := openEnds(spec)
	defer closeEnds(&err, ends)
	if err != nil {
		return state, err
	}
	for i, e := range ends {
		if e == nil {
			return state, fmt.Errorf("no host %q runs on this machine: create it first", spec.Ends[i].Host)
		}
		if link, err := e.nic(); err != nil {
			return state, err
		} else if link != nil {
			return state, fmt.Errorf("host %q has a NIC %s already (%s): delete it first, or choose another name", e.Host, e.NIC, link.Type())
		}
	}
	queues := max(spec.Queues, 1)
	a, b := ends[0], ends[1]
	// Both ends come to be in their hosts: the machine never has either of them.
	attrs := netlink.NewLinkAttrs() // but for the name, of both ends
	attrs.Name, attrs.NumTxQueues, attrs.NumRxQueues = a.NIC, queues, queues
	veth := netlink.NewVeth(attrs)
	veth.PeerName, veth.PeerNamespace = b.NIC, netlink.NsFd(b.ns)
	if err := a.handle.LinkAdd(veth); err != nil {
		return state, fmt.Errorf("veth pair with %d queues: %w", queues, err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, a.remove()) // takes both ends
		}
	}()
	for _, e := range ends {
		if err := e.configure(spec.RateBits); err != nil {
			return state, err
		}
	}
	return readLink(spec, ends)
}

// InspectLink reads both ends of a link back.
func InspectLink(spec namespace.LinkSpec) (state namespace.LinkState, err error) {
	if err := spec.CheckEnds(); err != nil {
		return state, err
	}
	defer named(spec, &err)
	ends, err := openEnds(spec)
	defer closeEnds(&err, ends)
	if err != nil {
		return state, err
	}
	return readLink(spec, ends)
}

// DeleteLink removes a link. found is false where neither end was there.
func DeleteLink(spec namespace.LinkSpec) (found bool, err error) {
	if err := spec.CheckEnds(); err != nil {
		return false, err
	}
	defer named(spec, &err)
	ends, err := openEnds(spec)
	defer closeEnds(&err, ends)
	if err != nil {
		return false, err
	}
	for _, e := range ends {
		if e == nil {
			continue
		}
		link, err := e.nic()
		if err != nil {
			return found, err
		}
		if link == nil {
			continue
		}
		if _, ok := link.(*netlink.Veth); !ok {
			return found, fmt.Errorf("host %q: NIC %s is a %s, not one end of a link: it is left alone", e.Host, e.NIC, link.Type())
		}
		if err := e.remove(); err != nil {
			return found, err
		}
		found = true
	}
	return found, nil
}

// named makes an error say which link it is about.
func named(spec namespace.LinkSpec, err *error) {
	if *err != nil {
		*err = fmt.Errorf("%s: %w", spec, *err)
	}
}

// openEnds opens the hosts of a link; an end whose host doesn't run is nil. What it
// returns is to be closed on an error too.
func openEnds(spec namespace.LinkSpec) (ends [2]*end, err error) {
	for i, e := range spec.Ends {
		running, err := find(e.Host)
		if err != nil {
			return ends, err
		}
		if len(running) == 0 {
			continue
		}
		ns, handle, err := running[0].network()
		if err != nil {
			return ends, fmt.Errorf("host %q: %w", e.Host, err)
		}
		ends[i] = &end{LinkEnd: e, ns: ns, handle: handle}
	}
	return ends, nil
}

func closeEnds(err *error, ends [2]*end) {
	for _, e := range ends {
		if e != nil {
			e.handle.Close()
			*err = errors.Join(*err, e.ns.Close())
		}
	}
}

// network opens the host's network namespace. The caller closes both.
func (p process) network() (netns.NsHandle, *netlink.Handle, error) {
	pidfd, err := p.pin()
	if err != nil {
		return netns.None(), nil, err
	}
	ns, err := p.netns()
	// Still the same process, or the namespace might be another's.
	if e := unix.PidfdSendSignal(pidfd, 0, nil, 0); err == nil && e != nil {
		err = errors.Join(e, ns.Close())
	}
	if err = errors.Join(err, unix.Close(pidfd)); err != nil {
		return netns.None(), nil, fmt.Errorf("network namespace of PID %d: %w", p.pid, err)
	}
	handle, err := netlink.NewHandleAt(ns, unix.NETLINK_ROUTE)
	if err != nil {
		return netns.None(), nil, errors.Join(fmt.Errorf("netlink in the network namespace of PID %d: %w", p.pid, err), ns.Close())
	}
	return ns, handle, nil
}

// netns opens the network namespace of the host's system.
func (p process) netns() (netns.NsHandle, error) {
	if !p.systemd {
		return netns.GetFromPid(p.pid)
	}
	system, err := p.system()
	if err != nil {
		return netns.None(), err
	}
	return netns.GetFromPid(system)
}

// unlink removes every veth of the host, and so the other ends too.
func (p process) unlink() (err error) {
	ns, handle, err := p.network()
	if err != nil {
		return err
	}
	defer func() {
		handle.Close()
		err = errors.Join(err, ns.Close())
	}()
	links, err := handle.LinkList()
	if err != nil {
		return err
	}
	for _, link := range links {
		if _, ok := link.(*netlink.Veth); ok {
			err = errors.Join(err, handle.LinkDel(link))
		}
	}
	return err
}

// nic returns the interface, nil where there is none.
func (e *end) nic() (netlink.Link, error) {
	link, err := e.handle.LinkByName(e.NIC)
	if errors.As(err, &netlink.LinkNotFoundError{}) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("host %q: NIC %s: %w", e.Host, e.NIC, err)
	}
	return link, nil
}

func (e *end) remove() error {
	link, err := e.nic()
	if err != nil || link == nil {
		return err
	}
	if err := e.handle.LinkDel(link); err != nil && !errors.Is(err, unix.ENODEV) {
		return fmt.Errorf("host %q: removing NIC %s: %w", e.Host, e.NIC, err)
	}
	return nil
}

// configure gives a new interface its address and rate, and switches it on.
func (e *end) configure(rateBits int64) error {
	link, err := e.nic()
	if err != nil {
		return err
	}
	if link == nil {
		return fmt.Errorf("host %q: NIC %s is gone again", e.Host, e.NIC)
	}
	addr, err := netlink.ParseAddr(e.Address)
	if err != nil {
		return fmt.Errorf("host %q: NIC %s: address %q: %w", e.Host, e.NIC, e.Address, err)
	}
	if addr.IP.To4() == nil {
		// Nobody else is on the wire; without this an IPv6 address is useless for a second.
		addr.Flags = unix.IFA_F_NODAD
	}
	if err := e.handle.AddrAdd(link, addr); err != nil {
		return fmt.Errorf("host %q: NIC %s: address %s: %w", e.Host, e.NIC, e.Address, err)
	}
	if rateBits > 0 {
		if err := e.handle.QdiscAdd(tokenBucket(link.Attrs().Index, rateBits)); err != nil {
			return fmt.Errorf("host %q: NIC %s: tbf with %d bit/s: %w (does the kernel have sch_tbf?)", e.Host, e.NIC, rateBits, err)
		}
	}
	if err := e.handle.LinkSetUp(link); err != nil {
		return fmt.Errorf("host %q: NIC %s: up: %w", e.Host, e.NIC, err)
	}
	return nil
}

// tokenBucket is the queueing discipline that holds an interface to a rate.
func tokenBucket(index int, rateBits int64) *netlink.Tbf {
	rate := uint64(rateBits / 8)
	return &netlink.Tbf{
		QdiscAttrs: netlink.QdiscAttrs{LinkIndex: index, Handle: netlink.MakeHandle(1, 0), Parent: netlink.HANDLE_ROOT},
		Rate:       rate,
		Buffer:     netlink.Xmittime(rate, burstBytes),
		Limit:      uint32(float64(rate)*backlogSeconds) + burstBytes,
	}
}

// readLink reads both ends as they are now.
func readLink(spec namespace.LinkSpec, ends [2]*end) (state namespace.LinkState, err error) {
	var nics [2]netlink.Link
	for i, e := range ends {
		state.Ends[i] = namespace.LinkEndState{Host: spec.Ends[i].Host, NIC: spec.Ends[i].NIC, HostFound: e != nil, Addresses: []string{}}
		if e == nil {
			continue
		}
		if nics[i], err = e.nic(); err != nil {
			return state, err
		}
		if nics[i] == nil {
			continue
		}
		if err := e.read(nics[i], &state.Ends[i]); err != nil {
			return state, err
		}
		state.Found = true
	}
	if nics[0] != nil && nics[1] != nil {
		state.Joined, err = joined(ends, nics)
	}
	return state, err
}

func (e *end) read(link netlink.Link, state *namespace.LinkEndState) error {
	attrs := link.Attrs()
	state.Found = true
	state.RXQueues, state.TXQueues = attrs.NumRxQueues, attrs.NumTxQueues
	state.MTU = attrs.MTU
	state.Up = attrs.RawFlags&unix.IFF_UP != 0
	addrs, err := e.handle.AddrList(link, netlink.FAMILY_ALL)
	if err != nil {
		return fmt.Errorf("host %q: NIC %s: addresses: %w", e.Host, e.NIC, err)
	}
	for _, addr := range addrs {
		ip, ok := netip.AddrFromSlice(addr.IP)
		if !ok || addr.IP.IsLinkLocalUnicast() {
			continue
		}
		bits, _ := addr.Mask.Size()
		state.Addresses = append(state.Addresses, netip.PrefixFrom(ip.Unmap(), bits).String())
	}
	qdiscs, err := e.handle.QdiscList(link)
	if err != nil {
		return fmt.Errorf("host %q: NIC %s: queueing disciplines: %w", e.Host, e.NIC, err)
	}
	for _, qdisc := range qdiscs {
		if tbf, ok := qdisc.(*netlink.Tbf); ok && tbf.Parent == netlink.HANDLE_ROOT {
			state.RateBits = int64(tbf.Rate) * 8
		}
	}
	return nil
}

// joined tells whether two interfaces are each other's peer. Indexes alone don't say:
// each network namespace counts its own from 1.
func joined(ends [2]*end, nics [2]netlink.Link) (bool, error) {
	for i, link := range nics {
		other := 1 - i
		id, err := ends[i].handle.GetNetNsIdByFd(int(ends[other].ns))
		if err != nil {
			return false, fmt.Errorf("host %q: id of the network namespace of host %q: %w", ends[i].Host, ends[other].Host, err)
		}
		attrs := link.Attrs()
		if attrs.NetNsID != id || attrs.ParentIndex != nics[other].Attrs().Index {
			return false, nil
		}
	}
	return true, nil
}
