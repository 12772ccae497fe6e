package unit

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"

	"github.com/prometheus/procfs"
)

// A Listener is a process that holds a listening socket. The processes of a unit are those
// of its session, which has the id of its first process.
type Listener struct {
	PID, Session int
	Name         string
}

func (l Listener) String() string {
	if l.PID == 0 {
		return "a process that can't be seen from here"
	}
	return fmt.Sprintf("process %d (%s)", l.PID, l.Name)
}

// Listeners returns who holds the sockets that take the connections to a TCP address: one
// process for each, a zero Listener for a socket that no visible process has. It is empty
// where nobody listens.
func Listeners(at netip.AddrPort) ([]Listener, error) {
	inodes, err := listening(at)
	if err != nil || len(inodes) == 0 {
		return nil, err
	}
	processes, err := procfs.AllProcs()
	if err != nil {
		return nil, err
	}
	// The newest first: whoever was just started is asked for, and it may have to be looked
	// into all files of all processes.
	slices.SortFunc(processes, func(a, b procfs.Proc) int { return cmp.Compare(b.PID, a.PID) })
	wanted := map[string]bool{}
	for _, inode := range inodes {
		wanted[fmt.Sprintf("socket:[%d]", inode)] = true
	}
	var found []Listener
	for _, p := range processes {
		if len(wanted) == 0 {
			break
		}
		// What fails is of a process that has ended meanwhile, or that is another user's.
		targets, err := p.FileDescriptorTargets()
		if err != nil {
			continue
		}
		stat, err := p.Stat()
		if err != nil {
			continue
		}
		for _, target := range targets {
			if wanted[target] {
				delete(wanted, target)
				found = append(found, Listener{p.PID, stat.Session, stat.Comm})
			}
		}
	}
	for range wanted {
		found = append(found, Listener{})
	}
	return found, nil
}

// listening returns the inodes of the sockets that the kernel would give a connection to:
// those of the address itself, else those of all addresses, else those of all addresses of
// both families.
func listening(at netip.AddrPort) ([]uint64, error) {
	fs, err := procfs.NewDefaultFS()
	if err != nil {
		return nil, err
	}
	// The way by netlink that procfs advises takes a kernel module, tcp_diag, which a host
	// may not have.
	all, err := fs.NetTCP() //nolint:staticcheck // see above
	if err != nil {
		return nil, err
	}
	// Without IPv6 there is no such file.
	if six, err := fs.NetTCP6(); err == nil { //nolint:staticcheck // see above
		all = append(all, six...)
	}
	wanted := at.Addr().Unmap()
	places := []netip.Addr{wanted, netip.IPv6Unspecified()}
	if wanted.Is4() {
		places = slices.Insert(places, 1, netip.IPv4Unspecified())
	}
	for _, place := range places {
		var inodes []uint64
		for _, socket := range all {
			const listen = 10 // TCP_LISTEN in the kernel's net/tcp_states.h
			// A mapped address is a socket of IPv6 that is bound to one of IPv4.
			a, ok := netip.AddrFromSlice(socket.LocalAddr)
			if ok && socket.St == listen && socket.LocalPort == uint64(at.Port()) && a.Unmap() == place {
				inodes = append(inodes, socket.Inode)
			}
		}
		if len(inodes) > 0 {
			return inodes, nil
		}
	}
	return nil, nil
}
