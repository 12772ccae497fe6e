package hosts

import (
	"time"

	"golang.org/x/crypto/ssh"
)

const (
	keepAliveInterval = 10 * time.Second
	// keepAliveTimeout leaves room for an answer that stands behind an upload on a slow line.
	keepAliveTimeout = 30 * time.Second
)

// keepAlive closes a connection whose server no longer answers, which ends every call on
// it. TCP would notice a dead link after minutes, and a server that hangs never. It
// returns when the connection has ended.
func keepAlive(client *ssh.Client, closed <-chan struct{}, interval, timeout time.Duration) {
	for {
		select {
		case <-closed:
			return
		case <-time.After(interval):
		}
		answered := make(chan struct{})
		go func() {
			// A server that does not know the request refuses it, which is an answer as well.
			_, _, _ = client.SendRequest("keepalive@openssh.com", true, nil)
			close(answered)
		}()
		select {
		case <-closed:
			return
		case <-answered:
		case <-time.After(timeout):
			_ = client.Close()
		}
	}
}
