package hosts

import (
	"errors"
	"io"
	"net"
	"os"
	"time"

	"golang.org/x/crypto/ssh"
)

// fastLine is the rate in bytes a second from which on a file travels as it is. gzip packs
// some 60 MB of a program in a second and unpacks 130, so on a faster line it is gzip that
// all wait for, and it takes the CPUs of both sides.
const fastLine = 50e6

// pieceSize is what of a raw file is on its way at a time. OpenSSH's server copies all it
// has not passed on yet whenever more comes: with 2 MB under way, its window, a file takes
// it about three times the CPU.
const pieceSize = 128 << 10

// A line that has no fast piece within slowAfter is slow. More than one is tried, as one
// may have met a busy CPU; on this machine that is all it can have met.
const slowAfter = 50 * time.Millisecond

// farAway is a round trip with which no piece could be fast, and what a busy server may
// take for its answer besides.
const farAway = 10 * time.Millisecond

// pace is what the pieces so far tell of a line.
type pace struct{ fast, slow bool }

// add judges a piece of pieceSize that took a time, the last of those that took whole.
func (p *pace) add(took, whole time.Duration) {
	p.fast = p.fast || pieceSize >= fastLine*took.Seconds()
	p.slow = !p.fast && whole > slowAfter
}

// onThisMachine says whether the server is one of this machine. With a tunnel that begins
// here it says so as well; the round trip tells of that.
func onThisMachine(client *ssh.Client) bool {
	address, ok := client.RemoteAddr().(*net.TCPAddr)
	return ok && address.IP.IsLoopback()
}

// roundTrip returns when the server has received all that was sent before.
func roundTrip(client *ssh.Client) error {
	// A server that does not know the request refuses it, which is an answer as well.
	_, _, err := client.SendRequest("keepalive@openssh.com", true, nil)
	return err
}

// timeRoundTrips starts some and returns what tells the shortest so far, and farAway before
// there is one. Most may have met a busy CPU, the first a server that is not done with the login.
func timeRoundTrips(client *ssh.Client) (shortest func() time.Duration) {
	times := make(chan time.Duration, 8)
	go func() {
		for range cap(times) {
			start := time.Now()
			if roundTrip(client) != nil {
				return // a connection that is lost ends the other calls, too
			}
			times <- time.Since(start)
		}
	}()
	return func() time.Duration {
		least := farAway
		for len(times) > 0 {
			least = min(least, <-times)
		}
		return least
	}
}

// sendRaw writes the file from an offset on as it is, and closes the pipe. Where the line is
// found slow and the host has gzip it closes it early.
func (u *upload) sendRaw(stdin io.WriteCloser, h *Host, from int64) error {
	source, err := os.Open(u.file.path)
	if err != nil {
		return err
	}
	defer func() { _ = source.Close() }()
	if _, err := source.Seek(from, io.SeekStart); err != nil {
		return err
	}
	rest := io.TeeReader(source, u.progress(from))
	line := pace{fast: onThisMachine(h.ssh)}
	for begin := time.Now(); !line.slow; {
		start := time.Now()
		if _, err := io.CopyN(stdin, rest, pieceSize); errors.Is(err, io.EOF) {
			return stdin.Close()
		} else if err != nil {
			return err
		}
		if err := roundTrip(h.ssh); err != nil {
			return err
		}
		line.add(time.Since(start), time.Since(begin))
	}
	if !h.system.gzip {
		_, err = io.Copy(stdin, rest)
	}
	return errors.Join(err, stdin.Close())
}
