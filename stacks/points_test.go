//go:build linux

package main

import (
	"fmt"
	"strings"
)

// point is a moment in the work of a lab at which something is killed.
type point struct {
	name string
	// before is the lab that stands already; none where it is empty. then is what the
	// run that is killed makes of it.
	before, then string
	// destroys is true where that run is a destroy.
	destroys bool
	// without names victims that are not there at the point.
	without []string
	// on is the host that is held at the point; empty means box.
	on   string
	trap trap
	// settled is true where the provider connects again and brings the run to its end, as it
	// does for a victim of which the host is left.
	settled bool
	// wanted is the lab that up makes in the end, where it is not then; live is what its
	// host shows by then, by path.
	wanted string
	live   map[string]string
}

func (p point) where() string {
	if p.on == "" {
		return "box"
	}
	return p.on
}

func (p point) command() []string {
	if p.destroys {
		return []string{"destroy", "--skip-preview"}
	}
	return []string{"up", "--skip-preview"}
}

func (p point) goal() string {
	switch {
	case p.wanted != "":
		return p.wanted
	case p.destroys:
		return p.before
	}
	return p.then
}

const (
	somaxconn  = "/proc/sys/net/core/somaxconn"
	finTimeout = "/proc/sys/net/ipv4/tcp_fin_timeout"
	// lastWritten is the last file of the tuning, in the order of its writes.
	lastWritten = "/sys/class/net/eth1/queues/tx-2/xps_cpus"
)

var points = []point{
	{
		// The state does not know the host yet, and the program for it is on its way there.
		name: "agent-upload", settled: true, then: bare + tuned("box", "65535"), without: []string{"agent", "host"},
		trap: inUpload, live: map[string]string{somaxconn: "65535"},
	},
	{
		// The state does not know the host yet, but the host knows the lab.
		name: "claim", settled: true, then: bare + tuned("box", "65535"), without: []string{"host"},
		trap: atLedger, live: map[string]string{somaxconn: "65535"},
	},
	{
		// The originals are in the ledger, and nothing is written yet.
		name: "first", settled: true, before: bare, then: bare + tuned("box", "65535"),
		trap: atLedger, live: map[string]string{somaxconn: "65535"},
	},
	{
		name: "between", settled: true, before: bare, then: bare + tuned("box", "65535"),
		trap: atWrite(finTimeout), live: map[string]string{somaxconn: "65535", finTimeout: "11"},
	},
	{
		name: "last", settled: true, before: bare, then: bare + tuned("box", "65535"),
		trap: atWrite(lastWritten), live: map[string]string{somaxconn: "65535", finTimeout: "11"},
	},
	{
		// A tuning moves to another host: it is undone here, and half done there.
		name: "replace", settled: true, before: bare + tuned("box", "65535"), then: bare + tuned("peer", "65535"),
		on: "peer", trap: atWrite(finTimeout), live: map[string]string{somaxconn: "65535", finTimeout: "11"},
	},
	{
		// One value is back at its original, another changed, and one is still to change.
		name: "update", settled: true, before: bare + tuned("box", "65535"), then: bare + retuned,
		trap: atWrite(somaxconn), live: map[string]string{somaxconn: "3000", finTimeout: "60"},
	},
	{
		// Some originals are back for the untuned half of a comparison, others not yet.
		name: "suspending", before: bare + tuned("box", "65535") + server, then: bare + tuned("box", "65535") + server + comparison("3s", 20),
		trap: atWrite(finTimeout), wanted: bare + tuned("box", "65535") + server + comparison("100ms", 1),
		live: map[string]string{somaxconn: "65535", finTimeout: "11"},
	},
	{
		name: "suspended", before: bare + tuned("box", "65535") + server, then: bare + tuned("box", "65535") + server + comparison("3s", 20),
		trap: whileLoaded, wanted: bare + tuned("box", "65535") + server + comparison("100ms", 1),
		live: map[string]string{somaxconn: "65535", finTimeout: "11"},
	},
	{
		name: "destroy", settled: true, before: bare + tuned("box", "65535") + server, destroys: true,
		trap: atWrite(finTimeout), live: map[string]string{somaxconn: "65535", finTimeout: "11"},
	},
	{
		name: "upload", settled: true, before: bare + tuned("box", "65535"), then: bare + tuned("box", "65535") + server,
		trap: inUpload, live: map[string]string{somaxconn: "65535"},
	},
	{
		// The server's process is recorded and about to become the server.
		name: "start", settled: true, before: bare + tuned("box", "65535"), then: bare + tuned("box", "65535") + server,
		trap: atStart, live: map[string]string{somaxconn: "65535"},
	},
}

// bare stands for the two hosts, joined by a wire, that every lab of the matrix has.
const bare = "$hosts\n"

const server = `
server "health" {
  host   = host.box
  listen = "http://127.0.0.1:8080"
}
`

// tuned has three values of the host and those of three queues.
func tuned(host, somaxconn string) string {
	return `
tune "box" {
  host = host.` + host + `
  sysctl = {
    "net.core.somaxconn"       = ` + somaxconn + `
    "net.ipv4.tcp_fin_timeout" = 11
    "net.ipv4.tcp_rmem"        = "4096 131072 16777216"
  }
  nic "eth1" {
    packet_steering {
      cpus = "0"
    }
  }
}
`
}

const retuned = `
tune "box" {
  host = host.box
  sysctl = {
    "net.core.somaxconn" = 3000
    "net.ipv4.tcp_rmem"  = "4096 131072 8388608"
  }
  nic "eth1" {
    packet_steering {
      cpus = "0"
    }
  }
}
`

func load(duration string) string {
	return strings.Replace(comparison(duration, 1), "  baseline    = \"untuned\"\n", "", 1)
}

// comparison has so many rounds, as the untuned half may be the second one of a round.
func comparison(duration string, rounds int) string {
	return fmt.Sprintf(`
benchmark "health" {
  server      = server.health
  loader      = host.box
  connections = [2]
  warm_up     = "0s"
  duration    = %q
  rounds      = %d
  baseline    = "untuned"
}
`, duration, rounds)
}
