package agent

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/hanzoai/benchlab/hosts/agent/agentpb"
	"google.golang.org/grpc"
)

// RunLoader implements agentpb.AgentServer: it runs the load generator to its end and
// passes on what it prints, a JSON document a line. The loader's stdin has a line once the
// caller lets it go, and ends where the caller closes its side.
func (s *Service) RunLoader(stream grpc.BidiStreamingServer[agentpb.RunLoaderRequest, agentpb.LoaderEvent]) error {
	first, err := stream.Recv()
	if err != nil {
		return err
	}
	r := first.GetProgram()
	if r == nil {
		return errors.New("run a loader: the first request must name its program")
	}
	// The kernel ends the child when the thread that started it ends, so this goroutine
	// keeps its thread until the child is reaped.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	ctx, cancel := context.WithCancel(stream.Context())
	defer cancel()
	noFile, err := s.tuning.NoFile()
	if err != nil {
		return err
	}
	command := append([]string{r.GetBinary()}, r.GetArgs()...)
	if noFile > 0 {
		command = append([]string{"/bin/sh", "-c", `ulimit -n "$0" && exec "$@"`, strconv.Itoa(noFile)}, command...)
	}
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	cmd.WaitDelay = time.Second // for a child of the loader's that holds its stderr
	var stderr lastBytes
	cmd.Stderr = &stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start the loader: %w", err)
	}
	go let(stream, stdin)
	sampled, readErr := forward(bufio.NewReader(stdout), stream)
	if readErr != nil {
		cancel() // nobody reads on, so it could not end by itself
	}
	err = cmd.Wait()
	switch {
	case stream.Context().Err() != nil:
		return stream.Context().Err()
	case readErr != nil:
		return fmt.Errorf("loader %s: %w%s", r.GetBinary(), readErr, stderr.said())
	case err != nil:
		return fmt.Errorf("loader %s: %w%s", r.GetBinary(), err, stderr.said())
	case !sampled:
		return fmt.Errorf("loader %s: it ended without a result%s", r.GetBinary(), stderr.said())
	}
	return nil
}

// let writes a line for each release. It ends with the caller's side of the stream, and
// with the call at the latest. A loader that has ended, or waits for nothing, is told in
// vain: what became of it is the call's to say.
func let(stream grpc.BidiStreamingServer[agentpb.RunLoaderRequest, agentpb.LoaderEvent], stdin io.WriteCloser) {
	defer func() { _ = stdin.Close() }()
	for {
		request, err := stream.Recv()
		if err != nil {
			return
		}
		if request.GetRelease() {
			_, _ = io.WriteString(stdin, "\n")
		}
	}
}

// forward sends each line on. It returns whether a sample was among them.
func forward(lines *bufio.Reader, stream grpc.BidiStreamingServer[agentpb.RunLoaderRequest, agentpb.LoaderEvent]) (sampled bool, err error) {
	decoder := json.NewDecoder(lines)
	for decoder.More() {
		var line struct{ Progress, Sample json.RawMessage }
		if err := decoder.Decode(&line); err != nil {
			return sampled, fmt.Errorf("unreadable output: %w", err)
		}
		event := &agentpb.LoaderEvent{Event: &agentpb.LoaderEvent_Progress{Progress: line.Progress}}
		if line.Sample != nil {
			sampled = true
			event = &agentpb.LoaderEvent{Event: &agentpb.LoaderEvent_Sample{Sample: line.Sample}}
		}
		if err := stream.Send(event); err != nil {
			return sampled, err
		}
	}
	return sampled, nil
}

// lastBytes keeps the end of what is written to it. A writer at a time.
type lastBytes []byte

func (l *lastBytes) Write(p []byte) (int, error) {
	const limit = 4 << 10
	*l = append(*l, p...)
	*l = (*l)[max(0, len(*l)-limit):]
	return len(p), nil
}

// said is the text to go behind an error.
func (l *lastBytes) said() string {
	if text := strings.TrimSpace(string(*l)); text != "" {
		return "; it says: " + text
	}
	return ""
}
