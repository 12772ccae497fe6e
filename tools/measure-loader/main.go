//go:build linux

// Command measure-loader measures benchlab-loader against other loaders: what a request
// costs each in processor time and memory, and what each says of a server that stalls. It
// prints the tables of docs/benchmarks.md.
//
//	measure-loader BIN cost ROUNDS SECONDS
//	measure-loader BIN stall SECONDS
//
// BIN is the directory of the programs; the script run beside it fills one. It knows the
// loaders by what they print, and no package of ours but that of the results.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "measure-loader:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	numbers := make([]int, 0, 2)
	for _, arg := range args[min(2, len(args)):] {
		n, err := strconv.Atoi(arg)
		if err != nil || n < 1 {
			return fmt.Errorf("%q: want a number of 1 or more", arg)
		}
		numbers = append(numbers, n)
	}
	switch {
	case len(args) == 4 && args[1] == "cost" && numbers[1] > shortRun:
		return measureCost(ctx, args[0], numbers[0], numbers[1])
	case len(args) == 3 && args[1] == "stall":
		return measureStall(ctx, args[0], numbers[0])
	}
	return errors.New("usage: measure-loader BIN cost ROUNDS SECONDS, of 2 or more, or measure-loader BIN stall SECONDS")
}
