package loader_test

import (
	"fmt"
	"math/rand/v2"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hanzoai/benchlab/workloads/loader"
)

// Servers that misbehave in all ways at once, in every mode of the loader: it comes to its
// end, its counts agree with each other and with the server's, and it keeps the number of
// connections.
func TestRunOutlivesChaos(t *testing.T) {
	for name, change := range map[string]func(*loader.Config){
		"closed loop": func(*loader.Config) {},
		"one thread":  func(c *loader.Config) { c.Workers = 1 },
		"pipeline":    func(c *loader.Config) { c.Pipeline = 5 },
		"open loop":   func(c *loader.Config) { c.Rate = 3000 },
		"sources":     func(c *loader.Config) { c.Sources = []string{"127.0.0.2", "127.0.0.3", "127.0.0.4"} },
	} {
		t.Run(name, func(t *testing.T) {
			var good, open, most atomic.Int64
			server := serveConns(t, func(n int64, conn *net.TCPConn) {
				for now := open.Add(1); ; {
					if m := most.Load(); now <= m || most.CompareAndSwap(m, now) {
						break
					}
				}
				defer open.Add(-1)
				random := rand.New(rand.NewPCG(7, uint64(n)))
				requests(conn, func(i int) bool { return misbehave(conn, random, i, &good) })
			})
			const connections = 30
			c := config(server.url(), connections)
			// After a warm-up there may be no moment at which all of them stand.
			c.WarmUp = 0
			c.ExpectBody, c.Timeout, c.Duration = "ok", 300*time.Millisecond, time.Second
			change(&c)
			sample := load(t, c)
			checkSums(t, sample)
			kinds := []string{
				loader.HTTPStatus, loader.HTTPBody, loader.HTTPParse, loader.ReadReset,
				loader.ReadEOFBeforeResponse, loader.ReadEOFMidResponse,
			}
			// In a pipeline the answer to the next request passes for the one that never comes.
			if c.Pipeline == 0 {
				kinds = append(kinds, loader.ReadTimeout)
				checkSample(t, sample)
			}
			if sample.Requests > good.Load() {
				t.Errorf("%d good responses counted, %d given", sample.Requests, good.Load())
			}
			for _, kind := range kinds {
				if sample.Errors[kind] == 0 {
					t.Errorf("no %s in %v", kind, sample.Errors)
				}
				if text := sample.ErrorSamples[kind]; !strings.Contains(text, server.Addr().String()) {
					t.Errorf("%s: %q does not name the target", kind, text)
				}
			}
			if sample.Errors[loader.DialOther]+sample.Errors[loader.ReadOther] > 0 {
				t.Errorf("errors without a kind: %v", sample.ErrorSamples)
			}
			// One that is closed here may stand there for a moment.
			if most.Load() > 2*connections {
				t.Errorf("%d connections at the same time, %d were asked for", most.Load(), connections)
			}
			if l, r := sample.Connections.Lost, sample.Connections.Reopened; r > l+connections || r < l-connections {
				t.Errorf("%d lost, %d reopened", l, r)
			}
			if sample.OpenLoop != nil {
				checkOpenLoop(t, sample)
			}
		})
	}
}

// misbehave answers request number i of a connection, mostly well. It says whether the
// connection goes on.
func misbehave(conn net.Conn, random *rand.Rand, i int, good *atomic.Int64) bool {
	const body = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;x\r\nok\r\n0\r\nA: b\r\n\r\n"
	how := random.IntN(200)
	if i < 3 {
		how = 100 // else the pauses after failures would be all of the run
	}
	switch how {
	case 0, 1:
		reset(conn)
	case 2, 3:
	case 4, 5:
		say(conn, body[:1+random.IntN(len(body)-1)])
	case 6:
		say(conn, body[:1+random.IntN(len(body)-1)])
		reset(conn)
	case 7:
		say(conn, strings.Repeat("\x00\xff\r\n", 100))
		return true
	case 8:
		good.Add(2)
		return say(conn, okResponse+body)
	case 9:
		return say(conn, "HTTP/1.1 500 Oh\r\nContent-Length: 3\r\n\r\noh!")
	case 10:
		say(conn, "HTTP/1.1 503 Oh\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
	case 11:
		return say(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nno")
	case 12:
		return true // never
	case 13:
		good.Add(1)
		say(conn, "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok")
	case 14:
		good.Add(1)
		say(conn, okResponse)
	case 15:
		good.Add(1)
		for j := range body {
			say(conn, body[j:j+1])
		}
		return true
	case 16:
		return say(conn, fmt.Sprintf("HTTP/1.1 200 OK\r\nX: %s\r\nContent-Length: 2\r\n\r\nok", strings.Repeat("y", 5000)))
	default:
		good.Add(1)
		return say(conn, okResponse)
	}
	return false
}
