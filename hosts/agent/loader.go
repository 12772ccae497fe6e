package agent

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"syscall"

	"github.com/hanzoai/benchlab/hosts/agent/agentpb"
	"google.golang.org/grpc"
)

// RunLoader implements agentpb.AgentServer: it runs the load generator to its end and
// passes on what it prints, a JSON document a line.
func (s *Service) RunLoader(r *agentpb.RunLoaderRequest, stream grpc.ServerStreamingServer[agentpb.LoaderEvent]) error {
	// The kernel ends the child when the thread that started it ends, so this goroutine
	// keeps its thread until the child is reaped.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	cmd := exec.CommandContext(stream.Context(), r.GetBinary(), r.GetArgs()...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start the loader: %w", err)
	}
	sampled, readErr := forward(bufio.NewReader(stdout), stream)
	err = cmd.Wait()
	switch {
	case stream.Context().Err() != nil:
		return stream.Context().Err()
	case err != nil:
		return fmt.Errorf("loader: %w: %s", err, strings.TrimSpace(stderr.String()))
	case readErr != nil:
		return fmt.Errorf("loader: %w", readErr)
	case !sampled:
		return errors.New("loader: it ended without a result")
	}
	return nil
}

// forward sends each line on. It returns whether a sample was among them.
func forward(lines *bufio.Reader, stream grpc.ServerStreamingServer[agentpb.LoaderEvent]) (sampled bool, err error) {
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
