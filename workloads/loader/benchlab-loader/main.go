//go:build linux

// Benchlab-loader loads an HTTP server over a fixed number of connections and prints
// what it measured.
//
//	benchlab-loader -url http://10.99.0.1:8080/health -connections 1000 -duration 5s
//
// The server of an https:// URL must have a certificate that this host trusts, or one that is
// signed by a certificate in the file of -ca.
//
// It shows progress on stderr and a table on stdout. With -json, stdout has one JSON
// document a line instead: {"progress": …} each second, and {"sample": …} at the end.
//
// The exit code is 0 if something was measured, whatever errors the requests had; 1 if
// nothing was; 2 for wrong usage. SIGINT and SIGTERM end the run early: what was measured
// until then is printed.
//
// With -barrier it waits, when all connections stand, for a line on stdin; several loaders
// can so be let go together. The end of stdin instead ends it.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/hanzoai/benchlab/workloads/loader"
)

func main() {
	os.Exit(run(os.Args[1:]))
}

// barrier waits for the line that lets the loader go.
func barrier(stdin io.Reader) error {
	_, err := bufio.NewReader(stdin).ReadString('\n')
	if errors.Is(err, io.EOF) {
		err = errors.New("stdin ended without a line")
	}
	return err
}

func run(args []string) int {
	config, asJSON, err := loader.ParseArgs(args, os.Stdout)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintf(os.Stderr, "benchlab-loader: %v\nbenchlab-loader -help lists the flags\n", err)
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()

	var out output = &text{out: os.Stdout, progress: os.Stderr}
	if asJSON {
		out = newJSONLines(os.Stdout)
	}
	var release chan error
	if config.Barrier {
		release = make(chan error, 1)
		go func() { release <- barrier(os.Stdin) }()
	}
	sample, err := loader.Run(ctx, config, release, out.Progress)
	if err != nil {
		fmt.Fprintln(os.Stderr, "benchlab-loader:", err)
		return 1
	}
	if sample.Stopped {
		fmt.Fprintln(os.Stderr, "benchlab-loader: stopped by a signal; the sample holds what was measured until then")
	}
	if err := out.Sample(sample); err != nil {
		fmt.Fprintln(os.Stderr, "benchlab-loader: write the sample:", err)
		return 1
	}
	return 0
}
