package loader_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/hanzoai/benchlab/workloads/server"
)

// serverEnv makes the test binary the server itself, in a process of its own whose CPU
// time is not the loader's.
const serverEnv = "BENCHLAB_TEST_SERVER"

func TestMain(m *testing.M) {
	if os.Getenv(serverEnv) == "" {
		os.Exit(m.Run())
	}
	s, err := server.Listen(context.Background(), server.Config{Listen: []string{"http://127.0.0.1:0"}})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(s.URLs()[0])
	// It ends with its standard input, which is the benchmark's.
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		_, _ = os.Stdin.Read(make([]byte, 1))
		cancel()
	}()
	if err := s.Serve(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
