// Package agent runs on a host: it answers the provider's calls over stdin and stdout of
// one SSH session and ends with it. It is the only place that joins tuning and workloads;
// it knows no Pulumi and opens no listening socket.
package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/hanzoai/benchlab/hosts/agent/agentpb"
	"golang.org/x/sys/unix"
	"google.golang.org/grpc"
	"google.golang.org/grpc/keepalive"
)

// maxMessage bounds one message in bytes, like the provider's side.
const maxMessage = 64 << 20

// Serve answers calls on stdin and stdout until the other side closes them or no longer
// answers, and returns nil then.
func Serve(ctx context.Context, s *Service) error {
	if err := raiseFileLimit(); err != nil {
		return fmt.Errorf("limit of open files: %w", err)
	}
	// A write to a broken stdout would end a Go program with SIGPIPE, and a suspended
	// tuning with it. Caught, the write fails instead; ignored, it would be for what this
	// program starts too.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	conn, err := standardStreams()
	if err != nil {
		return err
	}
	if err := s.resumeAbandoned(ctx); err != nil {
		// The ledger keeps the marks and a plan shows the values as drift, so calls go on:
		// the one that puts the originals back must not be kept out.
		fmt.Fprintln(os.Stderr, "benchlab-agent: resume what a killed comparison has left:", err)
	}
	if _, err := io.WriteString(conn, agentpb.Greeting); err != nil {
		return fmt.Errorf("greeting: %w", err)
	}
	server := grpc.NewServer(
		// A dead link gives no end of file; without an answer for 15 s the agent ends.
		grpc.KeepaliveParams(keepalive.ServerParameters{Time: 10 * time.Second, Timeout: 5 * time.Second}),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: 5 * time.Second, PermitWithoutStream: true}),
		grpc.MaxRecvMsgSize(maxMessage), grpc.MaxSendMsgSize(maxMessage),
		// An apply in flight is finished, or rolled back, before the program ends.
		grpc.WaitForHandlers(true),
	)
	agentpb.RegisterAgentServer(server, s)
	stop := context.AfterFunc(ctx, server.Stop)
	defer stop()
	go func() {
		<-conn.closed
		server.Stop()
	}()
	return server.Serve(&oneListener{conn: conn, closed: make(chan struct{})})
}

// standardStreams makes a connection of stdin and stdout. They are made non-blocking
// first: else Close could not end a read that waits, and the agent would outlive a link
// that died silently.
func standardStreams() (*stdioConn, error) {
	var files [2]*os.File
	for i, fd := range []int{0, 1} {
		if err := syscall.SetNonblock(fd, true); err != nil {
			return nil, fmt.Errorf("standard stream %d: %w", fd, err)
		}
		files[i] = os.NewFile(uintptr(fd), "stdio")
	}
	return &stdioConn{in: files[0], out: files[1], closed: make(chan struct{})}, nil
}

type stdioConn struct {
	in, out *os.File
	once    sync.Once
	closed  chan struct{}
}

func (c *stdioConn) Read(b []byte) (int, error)  { return c.in.Read(b) }
func (c *stdioConn) Write(b []byte) (int, error) { return c.out.Write(b) }
func (c *stdioConn) Close() error {
	err := error(nil)
	c.once.Do(func() {
		close(c.closed)
		err = errors.Join(c.in.Close(), c.out.Close())
	})
	return err
}
func (*stdioConn) LocalAddr() net.Addr  { return stdioAddr{} }
func (*stdioConn) RemoteAddr() net.Addr { return stdioAddr{} }
func (c *stdioConn) SetDeadline(t time.Time) error {
	return errors.Join(c.in.SetDeadline(t), c.out.SetDeadline(t))
}
func (c *stdioConn) SetReadDeadline(t time.Time) error  { return c.in.SetReadDeadline(t) }
func (c *stdioConn) SetWriteDeadline(t time.Time) error { return c.out.SetWriteDeadline(t) }

type stdioAddr struct{}

func (stdioAddr) Network() string { return "stdio" }
func (stdioAddr) String() string  { return "stdio" }

// oneListener yields its connection once and then waits until it is closed itself, which
// the server does when it stops. An error before that would end the server with calls
// still running.
type oneListener struct {
	conn   *stdioConn
	taken  bool
	once   sync.Once
	closed chan struct{}
}

func (l *oneListener) Accept() (net.Conn, error) {
	if !l.taken {
		l.taken = true
		return l.conn, nil
	}
	<-l.closed
	return nil, net.ErrClosed
}

func (l *oneListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *oneListener) Addr() net.Addr { return stdioAddr{} }

// raiseFileLimit lets this program and what it starts open as many files as the host
// allows; one connection is one file.
func raiseFileLimit() error {
	var l unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &l); err != nil {
		return err
	}
	const wanted = 1 << 20
	l.Cur, l.Max = max(l.Cur, wanted), max(l.Max, wanted)
	if unix.Setrlimit(unix.RLIMIT_NOFILE, &l) == nil {
		return nil
	}
	// Without the right to raise the hard limit, its value is the best there is.
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &l); err != nil {
		return err
	}
	l.Cur = l.Max
	return unix.Setrlimit(unix.RLIMIT_NOFILE, &l)
}
