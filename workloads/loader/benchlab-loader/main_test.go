package main

import (
	"context"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/hanzoai/benchlab/workloads/server"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"benchlab-loader": main})
}

// Each script has the real server at $URL, which is http://$ADDRESS.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:  "testdata",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"terminate": terminate},
		Setup: func(env *testscript.Env) error {
			s, err := server.Listen(context.Background(), server.Config{Listen: []string{"http://127.0.0.1:0"}})
			if err != nil {
				return err
			}
			ctx, cancel := context.WithCancel(context.Background())
			done := make(chan error, 1)
			go func() { done <- s.Serve(ctx) }()
			env.Defer(func() {
				cancel()
				if err := <-done; err != nil {
					t.Error(err)
				}
			})
			env.Setenv("URL", s.URLs()[0])
			env.Setenv("ADDRESS", strings.TrimPrefix(s.URLs()[0], "http://"))
			return nil
		},
	})
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
