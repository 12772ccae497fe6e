package hosts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/hanzoai/benchlab/hosts/agent/agentpb"
	"github.com/hanzoai/benchlab/hosts/hostspec"
	"golang.org/x/crypto/ssh"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
)

// agentClient is a running agent: its SSH session and the gRPC connection over it.
type agentClient struct {
	agentpb.AgentClient
	session *ssh.Session
	rpc     *grpc.ClientConn
	stderr  *tail
	ended   chan struct{} // closed when the remote program has ended
	exit    error         // valid once ended is closed

	machineID string
}

// startAgent runs the agent and connects to it. An agent that ends at once (sudo wants a
// password, a noexec directory) gives an error with what it wrote.
func startAgent(ctx context.Context, h *Host, binary string) (*agentClient, error) {
	session, err := h.ssh.NewSession()
	if err != nil {
		return nil, fmt.Errorf("open a session: %w", err)
	}
	a := &agentClient{session: session, stderr: &tail{}, ended: make(chan struct{})}
	session.Stderr = a.stderr
	stdin, err := session.StdinPipe()
	if err != nil {
		return nil, errors.Join(err, session.Close())
	}
	stdout, err := session.StdoutPipe()
	if err != nil {
		return nil, errors.Join(err, session.Close())
	}
	command := "exec " + quote(binary) + " serve"
	if h.connection.Become == "sudo" && !h.system.root {
		command = "exec sudo -n -- " + quote(binary) + " serve"
	}
	if err := session.Start(command); err != nil {
		return nil, errors.Join(fmt.Errorf("start the agent: %w", err), session.Close())
	}
	go func() {
		a.exit = session.Wait()
		close(a.ended)
	}()

	conns := make(chan net.Conn, 1)
	conns <- &pipeConn{Reader: stdout, WriteCloser: stdin}
	a.rpc, err = grpc.NewClient("passthrough:///agent",
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(context.Context, string) (net.Conn, error) {
			select {
			case c := <-conns:
				return c, nil
			default:
				// The session's pipes serve one connection; a lost agent is dialled anew
				// by the pool, as a whole host.
				return nil, errors.New("the agent has ended")
			}
		}),
		grpc.WithIdleTimeout(0),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 10 * time.Second, Timeout: 5 * time.Second}),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMessage), grpc.MaxCallSendMsgSize(maxMessage)),
	)
	if err != nil {
		return nil, errors.Join(err, session.Close())
	}
	a.AgentClient = agentpb.NewAgentClient(a.rpc)

	first, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	reply, err := a.Facts(first, &agentpb.FactsRequest{})
	if err != nil {
		return nil, errors.Join(a.explain(err), a.Close())
	}
	facts, err := decode[hostspec.Facts](h, reply.GetFacts(), nil)
	if err != nil {
		return nil, errors.Join(err, a.Close())
	}
	a.machineID = facts.MachineID
	return a, nil
}

// maxMessage bounds one message in bytes; facts of a host with hundreds of queues pass
// the default of 4 MiB nowhere near, results with histograms may.
const maxMessage = 64 << 20

// explain adds what the remote program said before it ended.
func (a *agentClient) explain(err error) error {
	select {
	case <-a.ended:
	case <-time.After(time.Second):
		return fmt.Errorf("start the agent: %w", err)
	}
	said := a.stderr.String()
	switch {
	case strings.Contains(said, "a password is required"):
		return fmt.Errorf("sudo wants a password: %s; allow the user to run it without (NOPASSWD in sudoers), or log in as root", said)
	case strings.Contains(said, "Permission denied"):
		return fmt.Errorf("start the agent: %s; is the directory mounted noexec?", said)
	case said == "":
		return fmt.Errorf("the agent ended at once: %w", errors.Join(a.exit, err))
	}
	return fmt.Errorf("the agent ended at once (%w): %s", a.exit, said)
}

// Close ends the agent.
func (a *agentClient) Close() error {
	err := a.rpc.Close()
	if closeErr := a.session.Close(); closeErr != nil && !errors.Is(closeErr, io.EOF) {
		err = errors.Join(err, closeErr)
	}
	return err
}

// pipeConn makes a net.Conn of a session's pipes. Deadlines are the caller's contexts'.
type pipeConn struct {
	io.Reader
	io.WriteCloser
}

func (*pipeConn) LocalAddr() net.Addr              { return pipeAddr{} }
func (*pipeConn) RemoteAddr() net.Addr             { return pipeAddr{} }
func (*pipeConn) SetDeadline(time.Time) error      { return nil }
func (*pipeConn) SetReadDeadline(time.Time) error  { return nil }
func (*pipeConn) SetWriteDeadline(time.Time) error { return nil }

type pipeAddr struct{}

func (pipeAddr) Network() string { return "ssh" }
func (pipeAddr) String() string  { return "session" }

// tail keeps the end of what a program wrote.
type tail struct {
	mu   sync.Mutex
	text []byte
}

func (t *tail) Write(b []byte) (int, error) {
	const limit = 4 << 10
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, b...)
	if over := len(t.text) - limit; over > 0 {
		t.text = t.text[over:]
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.text))
}
