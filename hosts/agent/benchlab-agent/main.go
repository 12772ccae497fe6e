// Command benchlab-agent runs on a host of a lab. The provider starts it over SSH and
// speaks to it on stdin and stdout; it ends with the connection.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/hanzoai/benchlab/hosts/agent"
)

func main() {
	if len(os.Args) != 2 || os.Args[1] != "serve" {
		fmt.Fprintln(os.Stderr, "usage: benchlab-agent serve\n\nThe provider starts this program over SSH; it speaks gRPC on stdin and stdout.")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	defer stop()
	if err := agent.Serve(ctx, agent.NewService()); err != nil {
		fmt.Fprintln(os.Stderr, "benchlab-agent:", err)
		os.Exit(1)
	}
}
