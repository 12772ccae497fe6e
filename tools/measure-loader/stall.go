//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"slices"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/hanzoai/benchlab/workloads/results"
)

// A request of stallEvery takes the server stall longer.
const (
	stallEvery = 1000
	stall      = 200 * time.Millisecond
)

// The loads of the experiment. With ten connections there is one free at any time, at one
// of the rate everything waits that is due while the server stalls.
var stallLoads = []struct {
	name string
	load load
}{
	{"closed loop, 10 connections", load{connections: 10}},
	{"5000 requests a second, 10 connections", load{connections: 10, rate: 5000}},
	{"1000 requests a second, 1 connection", load{connections: 1, rate: 1000}},
}

// measureStall runs all tools that tell latencies against a server that stalls, and prints
// what they say beside what is true.
func measureStall(ctx context.Context, bin string, seconds int) error {
	for _, s := range stallLoads {
		fmt.Printf("\n| %s | p50 | p99 | p99.95 | max | %s or more |\n|---|---|---|---|---|---|\n", s.name, slowFrom)
		for _, t := range tools {
			l := s.load
			l.seconds = seconds
			if t.command(l) == nil {
				continue
			}
			r, err := tryStalling(ctx, bin, t, l)
			if err != nil {
				return fmt.Errorf("%s, %s: %w", t.name, s.name, err)
			}
			if r.latency != nil { // the bare loops take no times
				printStall(t.name, r)
			}
		}
		n := s.load.rate * seconds
		if n == 0 {
			n = 100 * stallEvery
		}
		printStall("**true, but for the network**", truth(s.load, n))
	}
	return nil
}

func printStall(name string, r report) {
	fmt.Printf("| %s |", name)
	for _, what := range []string{p50, p99, p9995, maximum} {
		text := ""
		if d, ok := r.latency[what]; ok {
			text = results.Duration(d.Nanoseconds())
		}
		fmt.Printf(" %s |", text)
	}
	if math.IsNaN(r.slow) {
		fmt.Println(" |")
		return
	}
	fmt.Printf(" %.2f %% |\n", 100*r.slow)
}

// tryStalling runs a tool against a new server.
func tryStalling(ctx context.Context, bin string, t tool, l load) (_ report, err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return report{}, err
	}
	var requests atomic.Int64
	server := &fasthttp.Server{Handler: func(ctx *fasthttp.RequestCtx) {
		if requests.Add(1)%stallEvery == 0 {
			time.Sleep(stall)
		}
		ctx.SetBodyString("ok")
	}}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	defer func() { err = errors.Join(err, server.Shutdown(), <-served) }()

	l.url = "http://" + listener.Addr().String() + "/health"
	result, err := runTool(ctx, bin, t, l)
	return result.report, err
}

// truth reckons what n requests take, where all but the stalled are answered at once. In
// the closed loop that is the server's time alone. At a rate it is the time from when a
// request is due: it waits for the first connection that is free.
func truth(l load, n int) report {
	free := make([]time.Duration, l.connections) // when each connection is
	took := make([]time.Duration, n)
	slow := 0
	for i := range took {
		service := time.Duration(0)
		if (i+1)%stallEvery == 0 {
			service = stall
		}
		took[i] = service
		if l.rate > 0 {
			first := 0
			for c := range free {
				if free[c] < free[first] {
					first = c
				}
			}
			due := time.Duration(i) * time.Second / time.Duration(l.rate)
			free[first] = max(free[first], due) + service
			took[i] = free[first] - due
		}
		if took[i] >= slowFrom {
			slow++
		}
	}
	slices.Sort(took)
	at := func(share float64) time.Duration { return took[min(n-1, int(share*float64(n)))] }
	return report{requests: int64(n), slow: float64(slow) / float64(n), latency: map[string]time.Duration{
		p50: at(0.5), p99: at(0.99), p9995: at(0.9995), maximum: took[n-1],
	}}
}
