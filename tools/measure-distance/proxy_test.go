package main

import (
	"bytes"
	"crypto/rand"
	"io"
	"net"
	"testing"
	"time"
)

// A proxy changes nothing but the time, and counts what waited for an answer.
func TestProxy(t *testing.T) {
	echo, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = echo.Close() })
	go func() {
		for {
			conn, err := echo.Accept()
			if err != nil {
				return
			}
			go func() {
				_, _ = io.Copy(conn, conn) // the client checks what comes back
				_ = conn.Close()
			}()
		}
	}()
	const delay, turns = 20 * time.Millisecond, 3
	p, err := newProxy(echo.Addr().String(), delay)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := net.Dial("tcp", p.listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	for range turns {
		answer := make([]byte, 4)
		if _, err := conn.Write([]byte("ping")); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(conn, answer); err != nil || string(answer) != "ping" {
			t.Fatalf("answer %q, %v", answer, err)
		}
	}
	if took := time.Since(start); took < turns*delay {
		t.Errorf("%d round trips took %v, less than %v", turns, took, turns*delay)
	}
	if n := p.flights.Load(); n != turns {
		t.Errorf("%d flights counted, want %d", n, turns)
	}
	sent := make([]byte, 3<<20)
	_, _ = rand.Read(sent) // never fails
	go func() {
		_, _ = conn.Write(sent) // the test sees what arrives
		_ = conn.(*net.TCPConn).CloseWrite()
	}()
	if got, err := io.ReadAll(conn); err != nil || !bytes.Equal(got, sent) {
		t.Errorf("%d bytes came back, %v; want the %d that were sent", len(got), err, len(sent))
	}
	if err := conn.Close(); err != nil {
		t.Error(err)
	}
	if err := p.close(); err != nil {
		t.Error(err)
	}
}
