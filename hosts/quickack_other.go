//go:build !linux

package hosts

import "net"

// quickAck needs TCP_QUICKACK, which only Linux has.
func quickAck(conn net.Conn) net.Conn { return conn }
