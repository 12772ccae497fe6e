package hosts

import (
	"net"

	"golang.org/x/sys/unix"
)

// quickAck makes the kernel acknowledge at once what this connection reads: else the
// first session stalls for 40 ms, since sshd's Nagle waits for our delayed ACK. The
// flag is not sticky, so it is set after each read.
func quickAck(conn net.Conn) net.Conn {
	tcp, ok := conn.(*net.TCPConn)
	if !ok {
		return conn
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return conn
	}
	return &quickAckConn{TCPConn: tcp, set: func() {
		_ = raw.Control(func(fd uintptr) {
			_ = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_QUICKACK, 1)
		})
	}}
}

type quickAckConn struct {
	*net.TCPConn
	set func()
}

func (c *quickAckConn) Read(b []byte) (int, error) {
	n, err := c.TCPConn.Read(b)
	c.set()
	return n, err
}
