package main

import (
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// proxy is a TCP proxy on 127.0.0.1 that makes its target as far away as it is told: what
// the client sends arrives there later, what comes back is passed on at once. A kernel
// without netem has nothing else for that.
type proxy struct {
	listener net.Listener
	target   string
	delay    time.Duration
	flights  atomic.Int64
	open     sync.WaitGroup
}

// chunk is what one read has brought, and when it may go on.
type chunk struct {
	due  time.Time
	data []byte
}

// inFlight bounds the chunks of one direction; a sender that is further ahead waits.
const inFlight = 1 << 12

func newProxy(target string, delay time.Duration) (*proxy, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &proxy{listener: listener, target: target, delay: delay}
	p.open.Go(p.accept)
	return p, nil
}

func (p *proxy) port() int { return p.listener.Addr().(*net.TCPAddr).Port }

// close ends the proxy once its connections have ended.
func (p *proxy) close() error {
	err := p.listener.Close()
	p.open.Wait()
	return err
}

func (p *proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil { // closed
			return
		}
		p.open.Go(func() { p.serve(client) })
	}
}

func (p *proxy) serve(client net.Conn) {
	defer func() { _ = client.Close() }()
	server, err := net.Dial("tcp", p.target)
	if err != nil { // the client sees its connection end
		return
	}
	defer func() { _ = server.Close() }()
	// A flight is what the client sends after it has heard something: n flights in a row
	// have waited for n round trips.
	var heard atomic.Bool
	heard.Store(true)
	var both sync.WaitGroup
	both.Go(func() {
		pass(server, client, p.delay, func() {
			if heard.Swap(false) {
				p.flights.Add(1)
			}
		})
	})
	both.Go(func() { pass(client, server, 0, func() { heard.Store(true) }) })
	both.Wait()
}

// pass copies from one end to the other, each chunk late by the delay, and the end of it.
func pass(to, from net.Conn, delay time.Duration, seen func()) {
	chunks := make(chan chunk, inFlight)
	var sender sync.WaitGroup
	sender.Go(func() {
		for c := range chunks {
			time.Sleep(time.Until(c.due))
			if _, err := to.Write(c.data); err != nil {
				_ = from.Close() // ends the reading, too
			}
		}
		_ = to.(*net.TCPConn).CloseWrite() // may be gone already
	})
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			seen()
			chunks <- chunk{time.Now().Add(delay), append([]byte(nil), buffer[:n]...)}
		}
		if err != nil {
			if !errors.Is(err, io.EOF) {
				_ = to.Close()
			}
			close(chunks)
			sender.Wait()
			return
		}
	}
}
