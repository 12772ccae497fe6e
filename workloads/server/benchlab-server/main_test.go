package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"benchlab-server": main})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:   "testdata",
		Cmds:  map[string]func(*testscript.TestScript, bool, []string){"get": get, "terminate": terminate},
		Setup: setAddress,
	})
}

// setAddress gives each script an address that nobody listens on, as $ADDRESS.
func setAddress(env *testscript.Env) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	env.Setenv("ADDRESS", listener.Addr().String())
	return listener.Close()
}

// get [-unix SOCKET] URL prints the body of the response, waiting for the server where
// it is not up yet. A status other than 200 fails.
func get(ts *testscript.TestScript, neg bool, args []string) {
	transport := &http.Transport{DisableKeepAlives: true}
	if len(args) == 3 && args[0] == "-unix" {
		socket := ts.MkAbs(args[1])
		transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", socket)
		}
		args = args[2:]
	}
	if len(args) != 1 || neg {
		ts.Fatalf("usage: get [-unix SOCKET] URL")
	}
	client := &http.Client{Transport: transport}
	var response *http.Response
	var err error
	for range 500 {
		if response, err = client.Get(args[0]); err == nil {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	ts.Check(err)
	body, err := io.ReadAll(response.Body)
	ts.Check(err)
	ts.Check(response.Body.Close())
	if response.StatusCode != http.StatusOK {
		ts.Fatalf("%s: %s", args[0], response.Status)
	}
	_, err = ts.Stdout().Write(body)
	ts.Check(err)
}

// terminate sends SIGTERM to the commands in the background.
func terminate(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: terminate")
	}
	for _, cmd := range ts.BackgroundCmds() {
		ts.Check(cmd.Process.Signal(syscall.SIGTERM))
	}
}
