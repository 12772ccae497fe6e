package zapserver

import (
	"bytes"
	"encoding/binary"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/valyala/fasthttp"
	"golang.org/x/sys/unix"

	"github.com/hanzoai/benchlab/workloads/zap/zaphttp"
)

// eventually waits for what another goroutine is to bring about.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not so after 30 s: %s", what)
		}
	}
}

// count is how many connections a server has.
func (s *Server) count() int {
	s.lock.Lock()
	defer s.lock.Unlock()
	return len(s.connections)
}

// heap is how much memory is in use.
func heap() uint64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc + stats.StackInuse
}

// wantService asks for what every other client gets.
func wantService(t *testing.T, address string) {
	t.Helper()
	c := dial(t, address)
	c.send(get("/health"))
	wantAnswer(t, c.answer(), 200, "ok")
}

// A length of 64 MiB and silence: little is held, and the time for it ends.
func TestAttackLengthAndSilence(t *testing.T) {
	log := &lines{}
	s := &Server{Codec: zaphttp.Codec{Limits: zaphttp.Limits{Body: 64 << 20}}, Read: 4 * time.Second, Logger: log}
	address, _ := start(t, s)
	wantService(t, address)
	before := heap()
	const connections = 100
	clients := make([]*client, connections)
	for i := range clients {
		clients[i] = dial(t, address)
		clients[i].write([]byte{4, 0, 0, 0})
	}
	eventually(t, "all of them are within a request", func() bool { return s.in(reading) == connections })
	if more := (int64(heap()) - int64(before)) / connections; more > 256<<10 {
		t.Errorf("%d bytes are held for each length, want 256 KiB at most", more)
	}
	wantService(t, address)
	for _, c := range clients {
		c.closed()
	}
	if !log.has("closed, for more than 4s within a request") {
		t.Errorf("log %q", log.text)
	}
}

// in is how many connections are in a phase.
func (s *Server) in(p phase) (n int) {
	s.lock.Lock()
	defer s.lock.Unlock()
	for c := range s.connections {
		if phase(c.state.Load()&(1<<phaseBits-1)) == p {
			n++
		}
	}
	return n
}

// A byte now and then is no progress: the time counts from the first.
func TestAttackSlowRequest(t *testing.T) {
	address, _ := start(t, &Server{Read: 200 * time.Millisecond})
	c := dial(t, address)
	frame, err := c.codec.AppendRequest(nil, get("/health"))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; ; i++ {
		if _, err := c.conn.Write(frame[i%len(frame):][:1]); err != nil {
			break // the server has closed it
		}
		if i == len(frame)-2 {
			t.Fatal("the whole request was let in")
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// A request that takes its time, but less than the limit, is answered.
func TestSlowRequest(t *testing.T) {
	address, _ := start(t, &Server{Idle: 500 * time.Millisecond, Read: time.Minute})
	c := dial(t, address)
	frame, err := c.codec.AppendRequest(nil, get("/health"))
	if err != nil {
		t.Fatal(err)
	}
	c.write(frame[:50])
	time.Sleep(time.Second) // longer than it may idle
	c.write(frame[50:])
	wantAnswer(t, c.answer(), 200, "ok")
	c.closed() // now it idles
}

// Who does not take the answer loses the connection.
func TestAttackSlowReader(t *testing.T) {
	log := &lines{}
	s := &Server{Write: 100 * time.Millisecond, Logger: log, Handler: func(ctx *fasthttp.RequestCtx) {
		ctx.SetBody(make([]byte, 60<<20)) // more than sockets hold
	}}
	address, _ := start(t, s)
	c := dial(t, address)
	c.send(get("/"))
	eventually(t, "the connection is gone", func() bool { return log.has("closed, for more than 100ms within an answer") && s.count() == 0 })
}

// A handler has no limit.
func TestSlowHandler(t *testing.T) {
	short := 300 * time.Millisecond
	address, _ := start(t, &Server{Idle: short, Read: short, Write: short, Handler: func(ctx *fasthttp.RequestCtx) {
		time.Sleep(3 * short)
		ctx.SetBodyString("done")
	}})
	c := dial(t, address)
	c.send(get("/"))
	wantAnswer(t, c.answer(), 200, "done")
}

// Many connections that do nothing cost little, and serve again when they speak.
func TestAttackIdle(t *testing.T) {
	const connections, perConnection = 10_000, 16 << 10
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	n := min(connections, int(limit.Cur)/2-200) // both ends are here
	s := &Server{}
	address, _ := start(t, s)
	wantService(t, address)
	eventually(t, "no connection", func() bool { return s.count() <= 1 })
	before := heap()
	conns := make([]net.Conn, n)
	for i := range conns {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close() //nolint:errcheck // it has nothing to lose
		conns[i] = conn
	}
	eventually(t, "all are accepted", func() bool { return s.count() >= n })
	if each := (int64(heap()) - int64(before)) / int64(n); each > perConnection {
		t.Errorf("%d bytes for each of %d idle connections, want %d at most", each, n, perConnection)
	}
	wantService(t, address)
	c := &client{t: t, conn: conns[n-1], reader: zaphttp.NewReader(conns[n-1], 1000)}
	c.send(get("/health"))
	wantAnswer(t, c.answer(), 200, "ok")
}

// Slots that point at the same bytes many times make no more of them.
func TestAttackAliases(t *testing.T) {
	address, _ := start(t, &Server{})
	c := dial(t, address)
	request := get("/health")
	request.Body = bytes.Repeat([]byte("x"), 1<<20)
	frame, err := c.codec.AppendRequest(nil, request)
	if err != nil {
		t.Fatal(err)
	}
	copy(frame[4+16:], frame[4+16+32:4+16+40]) // the method is where the body is, less 32
	binary.LittleEndian.PutUint32(frame[4+16:], binary.LittleEndian.Uint32(frame[4+16:])+32)
	c.write(frame)
	if r := c.answer(); r.Status != fasthttp.StatusBadRequest || !strings.Contains(string(r.Body), "the slot at 8 begins at 67, within") {
		t.Errorf("answer %d, %q", r.Status, r.Body)
	}
	c.closed()
}

// A connection that had a large body holds no large buffer when it idles, whether the body
// was sent from where it was, or in one piece with trailers.
func TestMemoryGivenBack(t *testing.T) {
	s := &Server{Codec: zaphttp.Codec{Limits: zaphttp.Limits{Body: 32 << 20}}}
	address, _ := start(t, s)
	for _, target := range []string{"/echo", "/echo?trailer"} {
		c := dial(t, address)
		request := get(target)
		c.send(request)
		c.answer()
		before := heap()
		request.Body = make([]byte, 32<<20)
		c.send(request)
		c.answer()
		request.Body = nil
		c.send(request)
		c.answer()
		*c = client{} // its own buffers
		runtime.GC()  // the pool's, which take two collections to go
		if more := int64(heap()) - int64(before); more > 1<<20 {
			t.Errorf("%s: %d bytes are held after a body of 32 MiB", target, more)
		}
	}
}

// A shortage of descriptors ends nothing: who is connected is served, who waits is accepted
// when there are descriptors again.
func TestAttackDescriptors(t *testing.T) {
	log := &lines{}
	address, _ := start(t, &Server{Logger: log})
	served := dial(t, address)
	served.send(get("/health"))
	wantAnswer(t, served.answer(), 200, "ok")

	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	// The client's socket takes the last one.
	free, err := unix.Dup(0)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Close(free); err != nil {
		t.Fatal(err)
	}
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: uint64(free + 1), Max: limit.Max}); err != nil {
		t.Fatal(err)
	}
	restore := func() {
		if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
			t.Error(err)
		}
	}
	defer restore()
	waiting, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer waiting.Close() //nolint:errcheck // it has nothing to lose
	eventually(t, "an accept fails", func() bool { return log.has("too many open files") })
	served.send(get("/health"))
	wantAnswer(t, served.answer(), 200, "ok")
	restore()
	c := &client{t: t, conn: waiting, reader: zaphttp.NewReader(waiting, 1000)}
	c.send(get("/health"))
	wantAnswer(t, c.answer(), 200, "ok")
}

func TestConnectionLimit(t *testing.T) {
	log := &lines{}
	s := &Server{Connections: 2, Logger: log}
	address, _ := start(t, s)
	first, second := dial(t, address), dial(t, address)
	for _, c := range []*client{first, second} {
		c.send(get("/health"))
		wantAnswer(t, c.answer(), 200, "ok")
	}
	dial(t, address).closed()
	if !log.has("closed, there are 2 connections") {
		t.Errorf("log %q", log.text)
	}
	if err := first.conn.Close(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "one has gone", func() bool { return s.count() == 1 })
	wantService(t, address)
}
