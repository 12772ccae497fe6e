//go:build linux

package loader

import (
	"net/netip"
	"unsafe"

	"golang.org/x/sys/unix"
)

// dial begins to connect a socket and returns without waiting. The socket is bound to
// source if that is an address.
func dial(source netip.Addr, target netip.AddrPort) (fd int, err error) {
	family := unix.AF_INET6
	if target.Addr().Is4() {
		family = unix.AF_INET
	}
	fd, err = unix.Socket(family, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, unix.IPPROTO_TCP)
	if err != nil {
		return -1, err
	}
	if err := connectTo(fd, source, target); err != nil {
		_ = unix.Close(fd) // nothing was sent
		return -1, err
	}
	return fd, nil
}

func connectTo(fd int, source netip.Addr, target netip.AddrPort) error {
	if err := prepare(fd, source); err != nil {
		return err
	}
	if source.IsValid() {
		if err := unix.Bind(fd, sockaddr(netip.AddrPortFrom(source, 0))); err != nil {
			return err
		}
	}
	if err := unix.Connect(fd, sockaddr(target)); err != nil && err != unix.EINPROGRESS {
		return err
	}
	return nil
}

// prepare sets the options of a socket that is not bound yet.
func prepare(fd int, source netip.Addr) error {
	if err := unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1); err != nil {
		return err
	}
	// Closing resets. Else the ports of this run stay in TIME_WAIT for a minute, and the
	// next runs of a series find none left.
	if err := unix.SetsockoptLinger(fd, unix.SOL_SOCKET, unix.SO_LINGER, &unix.Linger{Onoff: 1}); err != nil {
		return err
	}
	if source.IsValid() {
		// Without this option bind takes a port of the source for this socket alone, and a
		// source has no more connections than ports, however many targets there are.
		return unix.SetsockoptInt(fd, unix.IPPROTO_IP, unix.IP_BIND_ADDRESS_NO_PORT, 1)
	}
	return nil
}

func sockaddr(a netip.AddrPort) unix.Sockaddr {
	if a.Addr().Is4() {
		return &unix.SockaddrInet4{Addr: a.Addr().As4(), Port: int(a.Port())}
	}
	return &unix.SockaddrInet6{Addr: a.Addr().As16(), Port: int(a.Port())}
}

// dialed is the error of a dial that has come to its end.
func dialed(fd int) error {
	errno, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_ERROR)
	if err != nil {
		return err
	}
	if errno != 0 {
		return unix.Errno(errno)
	}
	return nil
}

// localAddr is the address that a socket is bound to.
func localAddr(fd int) (netip.Addr, error) {
	name, err := unix.Getsockname(fd)
	if err != nil {
		return netip.Addr{}, err
	}
	if name, ok := name.(*unix.SockaddrInet4); ok {
		return netip.AddrFrom4(name.Addr), nil
	}
	return netip.AddrFrom16(name.(*unix.SockaddrInet6).Addr), nil
}

// receive and send are calls that never wait, so that Go's scheduler need not be told of
// them; package unix tells it, which costs a tenth of a microsecond.

func receive(fd int32, buffer []byte) (n int, errno unix.Errno) {
	r, _, errno := unix.RawSyscall6(unix.SYS_RECVFROM, uintptr(fd),
		uintptr(unsafe.Pointer(unsafe.SliceData(buffer))), uintptr(len(buffer)), unix.MSG_DONTWAIT, 0, 0)
	return int(r), errno
}

func send(fd int32, data []byte) (n int, errno unix.Errno) {
	r, _, errno := unix.RawSyscall6(unix.SYS_SENDTO, uintptr(fd),
		uintptr(unsafe.Pointer(unsafe.SliceData(data))), uintptr(len(data)), unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL, 0, 0)
	return int(r), errno
}
