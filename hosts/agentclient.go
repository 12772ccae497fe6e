package hosts

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/hanzoai/benchlab/hosts/agent/agentpb"
	"github.com/hanzoai/benchlab/hosts/hostspec"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/status"
)

// agentClient is a running agent: its SSH session and the gRPC connection over it.
type agentClient struct {
	agentpb.AgentClient
	rpc    *grpc.ClientConn
	pipe   *pipeConn
	stderr *tail
	ended  chan struct{} // closed when the remote program has ended
	exit   error         // valid once ended is closed

	first Look // what it said when it had started
}

// agentTimeout bounds the start of an agent, a slow sudo included.
const agentTimeout = 20 * time.Second

// startAgent runs the agent and connects to it. An agent that ends at once (sudo wants a
// password, a noexec directory) gives an error with what it wrote. After an error the
// caller closes the SSH connection, and with it the session.
func startAgent(ctx context.Context, h *Host, binary string) (*agentClient, error) {
	ctx, cancel := context.WithTimeout(ctx, agentTimeout)
	defer cancel()
	session, err := h.session(ctx)
	if err != nil {
		return nil, fmt.Errorf("open a session: %w", err)
	}
	a := &agentClient{stderr: &tail{}, ended: make(chan struct{})}
	stdin, err := session.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := session.StdoutPipe()
	if err != nil {
		return nil, err
	}
	asked := make(chan struct{})
	session.Stderr = a.stderr
	command := "exec " + quote(binary) + " serve"
	switch {
	case h.becomes() && h.secrets.becomePassword.set():
		session.Stderr = &sudoPrompt{tail: a.stderr, stdin: stdin, password: h.secrets.becomePassword.value, again: func() { close(asked) }}
		command = "exec env LC_ALL=C sudo -S -p " + quote(sudoAsks) + " -- " + quote(binary) + " serve"
	case h.becomes():
		command = "exec env LC_ALL=C sudo -n -- " + quote(binary) + " serve"
	}
	if err := session.Start(command); err != nil {
		return nil, fmt.Errorf("start the agent: %w", err)
	}
	go func() {
		a.exit = session.Wait()
		close(a.ended)
	}()
	output := bufio.NewReaderSize(stdout, greetingLimit)
	if err := awaitGreeting(ctx, output, asked); err != nil {
		if errors.Is(err, errWrongPassword) {
			return nil, refusal{fmt.Errorf("%w of %s (become_password)", err, h.secrets.becomePassword)}
		}
		return nil, a.explain(ctx, binary, err)
	}
	a.pipe = &pipeConn{Reader: output, stdin: stdin, ssh: h.ssh, closed: make(chan struct{})}
	if a.rpc, err = dialPipe(a.pipe); err != nil {
		return nil, err
	}
	a.AgentClient = agentpb.NewAgentClient(a.rpc)
	reply, err := a.Facts(ctx, &agentpb.FactsRequest{})
	if err != nil {
		_ = a.Close() // the call's error says more
		return nil, fmt.Errorf("the agent's first answer: %s%s", status.Convert(err).Message(), said(a.stderr))
	}
	var facts hostspec.Facts
	if err := json.Unmarshal(reply.GetFacts(), &facts); err != nil {
		_ = a.Close() // as above
		return nil, fmt.Errorf("the agent's first answer: %w", err)
	}
	a.first = Look{Facts: facts, host: h, reply: reply}
	return a, nil
}

// greetingLimit bounds what a login script may print, in bytes a line and in lines.
const greetingLimit = 16 << 10

// awaitGreeting reads past whatever a login script prints, up to the agent's first line.
func awaitGreeting(ctx context.Context, output *bufio.Reader, askedAgain <-chan struct{}) error {
	found := make(chan error, 1)
	go func() {
		for range greetingLimit {
			line, err := output.ReadSlice('\n')
			if err != nil || bytes.HasSuffix(line, []byte(agentpb.Greeting)) {
				found <- err
				return
			}
		}
		found <- errors.New("it prints too much")
	}()
	select {
	case err := <-found:
		return err
	case <-askedAgain:
		return errWrongPassword
	case <-ctx.Done():
		return ctx.Err()
	}
}

// dialPipe speaks gRPC over one connection that is there already.
func dialPipe(conn net.Conn) (*grpc.ClientConn, error) {
	conns := make(chan net.Conn, 1)
	conns <- conn
	return grpc.NewClient("passthrough:///agent",
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
		grpc.WithUnaryInterceptor(nameTheWait),
		grpc.WithIdleTimeout(0),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 10 * time.Second, Timeout: 5 * time.Second}),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMessage), grpc.MaxCallSendMsgSize(maxMessage)),
	)
}

// readTimeout bounds the calls that only read, and so wait for nobody.
const readTimeout = time.Minute

var reads = map[string]bool{
	agentpb.Agent_Facts_FullMethodName: true, agentpb.Agent_Plan_FullMethodName: true,
	agentpb.Agent_InspectServer_FullMethodName: true, agentpb.Agent_ServerStats_FullMethodName: true,
}

// nameTheWait says of a call that was not answered in time which one it was.
func nameTheWait(ctx context.Context, method string, request, reply any, conn *grpc.ClientConn, call grpc.UnaryInvoker, options ...grpc.CallOption) error {
	if reads[method] {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, readTimeout)
		defer cancel()
	}
	begun := time.Now()
	err := call(ctx, method, request, reply, conn, options...)
	if status.Code(err) == codes.DeadlineExceeded {
		err = status.Errorf(codes.DeadlineExceeded, "the agent has not answered %s within %s; see what it waits for in /proc/PID/stack there", path.Base(method), time.Since(begun).Round(time.Second))
	}
	return err
}

// maxMessage bounds one message in bytes; facts of a host with hundreds of queues pass
// the default of 4 MiB nowhere near, results with histograms may.
const maxMessage = 64 << 20

// explain says why there was no greeting: in most cases what the remote program said
// before it ended.
func (a *agentClient) explain(ctx context.Context, binary string, err error) error {
	select {
	case <-a.ended:
	case <-ctx.Done():
		return fmt.Errorf("%s serve: no sign of it within %s: %w%s", binary, agentTimeout, err, said(a.stderr))
	}
	text := a.stderr.String()
	if hint := sudoHint(text); hint != "" {
		return errors.New(hint)
	}
	switch {
	case strings.Contains(text, "Permission denied"), strings.Contains(text, "unable to execute"):
		return fmt.Errorf("%s serve: %s; is the directory mounted noexec? Programs run from there: remount it with exec", binary, text)
	case strings.Contains(text, "Exec format error"), strings.Contains(text, "cannot execute binary file"):
		return fmt.Errorf("%s serve: %s; the host runs programs of another architecture than its uname says", binary, text)
	}
	return fmt.Errorf("%s serve: it ended at once: %w%s", binary, cmp.Or(a.exit, err), said(a.stderr))
}

func said(stderr *tail) string {
	if text := stderr.String(); text != "" {
		return "; it says: " + text
	}
	return ""
}

// Close ends the agent, which finishes or takes back what it is at.
func (a *agentClient) Close() error { return a.rpc.Close() }

// pipeConn makes a net.Conn of a session's pipes. Deadlines are the caller's contexts'.
type pipeConn struct {
	io.Reader
	stdin io.WriteCloser
	ssh   io.Closer
	once  sync.Once
	// closed is closed before any call hears of the end.
	closed chan struct{}
}

func (c *pipeConn) Write(b []byte) (int, error) { return c.stdin.Write(b) }

// Close ends the SSH connection as well: of an agent that hangs, nothing else would end a
// read that waits, and with it the calls.
func (c *pipeConn) Close() (err error) {
	c.once.Do(func() {
		close(c.closed)
		err = errors.Join(c.stdin.Close(), c.ssh.Close())
	})
	return err
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
