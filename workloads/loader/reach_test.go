package loader_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/hanzoai/benchlab/workloads/loader"
	"github.com/hanzoai/benchlab/workloads/results"
)

// IPv6, with the source given and with the one that the kernel takes.
func TestRunOverIPv6(t *testing.T) {
	listener, err := net.Listen("tcp", "[::1]:0")
	if err != nil {
		t.Fatal(err)
	}
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			serving.Go(func() {
				quickly(0, conn.(*net.TCPConn))
				_ = conn.Close()
			})
		}
	})
	defer serving.Wait()
	defer func() {
		if err := listener.Close(); err != nil {
			t.Error(err)
		}
	}()
	for _, sources := range [][]string{nil, {"::1"}} {
		c := config("http://"+listener.Addr().String()+"/", 4)
		c.Sources = sources
		sample := load(t, c)
		onlyErrors(t, sample)
		checkSums(t, sample)
		checkSample(t, sample)
		if len(sample.Paths) != 1 || sample.Paths[0].Source != "::1" || sample.Paths[0].Target != listener.Addr().String() {
			t.Errorf("sources %v: paths %+v", sources, sample.Paths)
		}
	}
	c := config("http://"+listener.Addr().String()+"/", 4)
	c.Sources = []string{"127.0.0.1"}
	if _, err := loader.Run(t.Context(), c, nil, nil); err == nil || !strings.Contains(err.Error(), "one is IPv4 and the other IPv6") {
		t.Errorf("IPv4 source, IPv6 target: %v", err)
	}
}

// A listener with a full backlog drops what comes, and the kernel comes again: that takes
// seconds, and is no error.
func TestRunWaitsForAFullBacklog(t *testing.T) {
	server := listen(t)
	raw, err := server.Listener.(*net.TCPListener).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	// Room for one more than it says.
	if err := raw.Control(func(fd uintptr) { err = unix.Listen(int(fd), 1) }); err != nil {
		t.Fatal(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	var serving sync.WaitGroup
	serving.Go(func() {
		time.Sleep(200 * time.Millisecond) // until it is full
		for {
			conn, err := server.Accept()
			if err != nil {
				return
			}
			serving.Go(func() {
				quickly(0, conn.(*net.TCPConn))
				_ = conn.Close()
			})
		}
	})
	defer serving.Wait()
	defer closeListener(t, server)
	sample := load(t, config(server.url(), 4))
	onlyErrors(t, sample)
	checkSums(t, sample)
	if got := server.accepted.Load(); got != 4 {
		t.Errorf("%d connections were accepted, want 4", got)
	}
}

// A target that cannot be had beside one that can: nothing is measured, and the error says
// of which target, and once.
func TestRunToldOfBadTargets(t *testing.T) {
	full := listen(t)
	defer closeListener(t, full)
	raw, err := full.Listener.(*net.TCPListener).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	// Never accepted from: the third and all later get no answer.
	if err := raw.Control(func(fd uintptr) { err = unix.Listen(int(fd), 1) }); err != nil {
		t.Fatal(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	good := serveFasthttp(t, healthy)
	for url, want := range map[string][]string{
		full.url():                                     {loader.DialTimeout, "no answer within 300ms", "somaxconn"},
		"http://127.255.255.255:1/":                    {"127.255.255.255:1"},
		"http://127.0.0.1:0/":                          {"127.0.0.1:0"},
		"http://nowhere.invalid:80/":                   {"nowhere.invalid"},
		"http://127.0.0.1:99999/":                      {"port"},
		"http://" + good.Addr().String() + "/\r\nX: y": {"url"},
	} {
		c := config(good.url(), 12)
		c.URLs = append(c.URLs, url)
		c.Timeout = 300 * time.Millisecond
		_, err := loader.Run(t.Context(), c, nil, nil)
		if err == nil {
			t.Errorf("%s: no error", url)
			continue
		}
		for _, text := range want {
			if !strings.Contains(err.Error(), text) {
				t.Errorf("%s: error %v, want %q in it", url, err, text)
			}
		}
		if strings.Count(err.Error(), "nothing was measured") > 1 {
			t.Errorf("%s: error %v says it twice", url, err)
		}
	}
}

// Stopped at the barrier: said once, and why.
func TestRunStoppedAtTheBarrier(t *testing.T) {
	server := serveFasthttp(t, healthy)
	c := config(server.url(), 3)
	c.Barrier = true
	ctx, cancel := context.WithCancelCause(t.Context())
	_, err := loader.Run(ctx, c, make(chan error), func(results.Progress) { cancel(fmt.Errorf("the lab is over")) })
	if err == nil || !strings.Contains(err.Error(), "the lab is over") || strings.Count(err.Error(), "nothing was measured") != 1 {
		t.Errorf("error %v", err)
	}
	if err != nil && strings.Contains(err.Error(), "connecting") {
		t.Errorf("error %v, though all connections stand", err)
	}
}

// portsEnv makes TestRunSharesPorts the part of itself that runs in a network namespace.
const portsEnv = "BENCHLAB_TEST_PORTS"

// With a hundred local ports there are a hundred connections for each pair of a source and
// a target, also where sources are bound. Elsewhere there is no route.
func TestRunSharesPorts(t *testing.T) {
	if os.Getenv(portsEnv) == "" {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestRunSharesPorts$", "-test.v")
		cmd.Env = append(os.Environ(), portsEnv+"=1")
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET, Pdeathsig: syscall.SIGKILL}
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: TestRunSharesPorts") {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	lo, err := netlink.LinkByName("lo")
	if err != nil {
		t.Fatal(err)
	}
	if err := netlink.LinkSetUp(lo); err != nil {
		t.Fatal(err)
	}
	if _, err := loader.Run(t.Context(), config("http://192.0.2.1:80/", 1), nil, nil); err == nil ||
		!strings.Contains(err.Error(), loader.DialUnreachable) || !strings.Contains(err.Error(), "no route") {
		t.Errorf("error %v, want %s", err, loader.DialUnreachable)
	}
	const file, ports = "/proc/sys/net/ipv4/ip_local_port_range", 100
	one, two := serveFasthttp(t, healthy), serveFasthttp(t, healthy)
	if err := os.WriteFile(file, []byte("20000 20099"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		urls, sources []string
		capacity      int
	}{
		{urls: []string{one.url()}, capacity: ports},
		{urls: []string{one.url(), two.url()}, capacity: 2 * ports},
		{urls: []string{one.url()}, sources: []string{"127.0.0.2", "127.0.0.3"}, capacity: 2 * ports},
		{urls: []string{one.url(), two.url()}, sources: []string{"127.0.0.2", "127.0.0.3"}, capacity: 4 * ports},
		// Two targets at the same address share its ports.
		{urls: []string{one.url(), one.url() + "/other"}, capacity: ports},
	} {
		c := config(test.urls[0], test.capacity)
		c.URLs, c.Sources = test.urls, test.sources
		sample := load(t, c)
		onlyErrors(t, sample)
		checkSums(t, sample)
		c.Connections++
		if _, err := loader.Run(t.Context(), c, nil, nil); err == nil || !strings.Contains(err.Error(), "local ports") {
			t.Errorf("%d connections from %v to %v: error %v", c.Connections, c.Sources, c.URLs, err)
		}
	}
}
