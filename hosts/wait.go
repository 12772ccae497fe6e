package hosts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"time"

	"github.com/hanzoai/benchlab/hosts/agent/agentpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/status"
)

// readTimeout bounds the calls that only read, and so wait for nobody.
const readTimeout = time.Minute

var reads = map[string]bool{
	agentpb.Agent_Facts_FullMethodName: true, agentpb.Agent_Plan_FullMethodName: true,
	agentpb.Agent_InspectServer_FullMethodName: true, agentpb.Agent_ServerStats_FullMethodName: true,
}

// waitingInterval is how often a call that may wait for others says that it does.
const waitingInterval = 10 * time.Second

// nameTheCall gives an error the name of its call. A call that only reads has to be
// answered in time. One that changes the host waits for whoever has it to itself, and says
// that it waits.
func nameTheCall(ctx context.Context, method string, request, reply any, conn *grpc.ClientConn, call grpc.UnaryInvoker, options ...grpc.CallOption) error {
	begun := time.Now()
	if reads[method] {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, readTimeout)
		defer cancel()
	} else {
		defer sayWaiting(ctx, method)()
	}
	return failed(method, begun, call(ctx, method, request, reply, conn, options...))
}

// sayWaiting tells the context's Trace now and then that a call has no answer yet, until
// stop is called.
func sayWaiting(ctx context.Context, method string) (stop func()) {
	begun := time.Now()
	answered, told := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(told)
		for {
			select {
			case <-answered:
				return
			case <-time.After(waitingInterval):
				traceOf(ctx).Status(fmt.Sprintf("no answer to %s for %s: another change or a benchmark may have the host to itself",
					path.Base(method), time.Since(begun).Round(time.Second)))
			}
		}
	}()
	return func() {
		close(answered)
		<-told
	}
}

// nameTheStream gives the errors of a stream the name of its call.
func nameTheStream(ctx context.Context, desc *grpc.StreamDesc, conn *grpc.ClientConn, method string, open grpc.Streamer, options ...grpc.CallOption) (grpc.ClientStream, error) {
	begun := time.Now()
	stream, err := open(ctx, desc, conn, method, options...)
	if err != nil {
		return nil, failed(method, begun, err)
	}
	return &namedStream{stream, method, begun}, nil
}

type namedStream struct {
	grpc.ClientStream
	method string
	begun  time.Time
}

func (s *namedStream) SendMsg(m any) error {
	return failed(s.method, s.begun, s.ClientStream.SendMsg(m))
}
func (s *namedStream) RecvMsg(m any) error {
	return failed(s.method, s.begun, s.ClientStream.RecvMsg(m))
}

// failedCall is the error of a call to the agent.
type failedCall struct {
	name  string
	after time.Duration
	err   error
}

func failed(method string, begun time.Time, err error) error {
	if err == nil || errors.Is(err, io.EOF) { // the end of a stream
		return err
	}
	return &failedCall{path.Base(method), time.Since(begun), err}
}

func (f *failedCall) Error() string { return f.name + ": " + status.Convert(f.err).Message() }
func (f *failedCall) Unwrap() error { return f.err }

// silence is a wait for a host that was given up.
type silence struct {
	what  string
	limit time.Duration
}

func (s *silence) Error() string {
	return fmt.Sprintf("%s, and nothing was heard of it for %s; see what it waits for in /proc/PID/stack there", s.what, s.limit)
}

// giveUp ends a stream by the cancel function of its context when nothing is heard within
// the limit. The timer that it returns is to be reset whenever something is, and stopped
// in the end.
func giveUp(cancel context.CancelCauseFunc, limit time.Duration, what string) *time.Timer {
	return time.AfterFunc(limit, func() { cancel(&silence{what, limit}) })
}

// orSilence is the reason why the stream of a context has failed: the silence that it was
// given up for, or else err.
func (h *Host) orSilence(ctx context.Context, err error) error {
	var s *silence
	if err != nil && errors.As(context.Cause(ctx), &s) {
		return fmt.Errorf("%s: %w", h.connection, s)
	}
	return err
}
