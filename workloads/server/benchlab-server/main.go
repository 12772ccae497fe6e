// Benchlab-server runs the workload that is measured until SIGTERM or SIGINT.
//
//	benchlab-server -listen http://10.99.0.1:8080 -stats /run/benchlab/stats.sock
//
// GOGC, GOMEMLIMIT and GOMAXPROCS are taken from the environment. The exit code is 0
// after a signal, 1 if the server could not listen or serve, 2 for wrong usage.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"

	"github.com/hanzoai/benchlab/workloads/server"
	"github.com/hanzoai/benchlab/workloads/server/serverspec"
)

func main() {
	os.Exit(run(os.Args[1:]))
}

func run(args []string) int {
	flags := flag.NewFlagSet("benchlab-server", flag.ContinueOnError)
	var config server.Config
	flags.Func("listen", "`address` to serve on, with its scheme: http://HOST:PORT, or zap://HOST:PORT; may be given several times", func(address string) error {
		config.Listen = append(config.Listen, address)
		return nil
	})
	flags.StringVar(&config.Framework, "framework", "fasthttp", "what answers the requests: fasthttp or fiber")
	flags.IntVar(&config.Listeners, "listeners", 1, "`number` of sockets that share each address, by SO_REUSEPORT where there are several")
	flags.StringVar(&config.Stats, "stats", os.Getenv(serverspec.StatsVariable), "`path` of a unix socket that answers GET /stats with the runtime's counters; $BENCHLAB_STATS if not given")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	case len(config.Listen) == 0 || flags.NArg() > 0:
		fmt.Fprintln(os.Stderr, "benchlab-server: want -listen http://HOST:PORT and no further arguments")
		return 2
	}

	// Signals are taken before anything is bound, so that none is lost in between.
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	s, err := server.Listen(ctx, config)
	if err != nil {
		fmt.Fprintln(os.Stderr, "benchlab-server:", err)
		return 1
	}
	fmt.Printf("listening on %s, pid %d, GOMAXPROCS %d\n", strings.Join(s.URLs(), " and "), os.Getpid(), runtime.GOMAXPROCS(0))
	err = s.Serve(ctx)
	if err != nil {
		fmt.Fprintln(os.Stderr, "benchlab-server:", err)
	}
	if err != nil && ctx.Err() == nil {
		return 1
	}
	return 0
}
