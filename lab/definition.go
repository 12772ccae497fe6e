package lab

import (
	"time"

	"github.com/hanzoai/benchlab/hosts/hostspec"
	"github.com/hanzoai/benchlab/tuning/profiles"
	"github.com/hanzoai/benchlab/tuning/spec"
)

// Definition is a whole lab: what a lab file says, or what a Go program builds.
// Names are unique within their kind; references are by name.
type Definition struct {
	Hosts      []Host
	Links      []Link
	Tunes      []Tune
	Servers    []Server
	Benchmarks []Benchmark
	Outputs    []Output
	// Lock has what the hosts were before; with none nothing is compared or recorded.
	Lock *Lock
	// TelemetryDir is where an up writes what the hosts counted during each benchmark, as
	// <benchmark>.json; empty for nowhere.
	TelemetryDir string
}

// Host is a machine of the lab. Exactly one of Namespace and Connection is set.
type Host struct {
	Name string
	// Namespace makes the host on this machine.
	Namespace *Namespace
	// Connection reaches a machine that is there already.
	Connection *hostspec.Connection
	// Adopt takes up what another lab has left on the host: for a lab whose state was lost.
	Adopt bool
	// Decommissioned says that the host is out of reach for good: nothing is asked of it
	// any more, and what this lab has changed there stays.
	Decommissioned bool
}

// Namespace is a host made on this machine out of Linux namespaces.
type Namespace struct{}

// Link is a veth pair between two namespace hosts.
type Link struct {
	Name string
	Ends [2]LinkEnd
	// Queues is the number of rx and of tx queues at each end; 0 means 1.
	Queues int
	// RateBits limits each direction, in bit/s; 0 means no limit.
	RateBits int64
}

// LinkEnd is one end of a Link.
type LinkEnd struct {
	Host string
	NIC  string
	// Address in CIDR form.
	Address string
}

// Tune is the tuning of one host.
type Tune struct {
	Name     string
	Host     string
	Tunables spec.Tunables
	// Said is the tunables in the words of a lab file, with the places that say them; a
	// definition built in Go has none.
	Said []profiles.Said
}

// Server is a benchmark server on a host.
type Server struct {
	Name string
	Host string
	// Listen are addresses with a scheme, "http://10.99.0.1:8080": at least one.
	Listen []string
	// Program serves in the place of ours; nil for ours.
	Program *Program
	// CPUs are those that it may run on, "0-3,8"; empty means all.
	CPUs string
	// GOGC is the garbage collector's target percentage; 0 means the default of 100.
	GOGC int
	// GOMAXPROCS is how many threads run Go at once; 0 means what Go chooses.
	GOMAXPROCS int
	// Framework is "fasthttp" or "fiber"; empty means fasthttp.
	Framework string
	// Listeners is how many sockets share each address; 0 means 1.
	Listeners int
}

// Program is a server of the user's own.
type Program struct {
	// Command is the path of its file on this machine; one that is not absolute is relative
	// to the working directory.
	Command string
	Args    []string
	Env     map[string]string
	// Health is the path that it answers when it is well; empty means /health.
	Health string
}

// Loader is a host that load comes from.
type Loader struct {
	Host string
	// Sources are the addresses of the host to connect from; with none its kernel chooses.
	Sources []string
}

// Benchmark loads a server from other hosts (or its own) at several connection counts.
type Benchmark struct {
	Name   string
	Server string
	// Loaders are the hosts that the load comes from, each once, together.
	Loaders []Loader
	// Path of the request; empty means that of the server's health check.
	Path        string
	Connections []int
	WarmUp      time.Duration
	Duration    time.Duration
	// Rate is how many requests a second are sent in all (open loop); 0 means the closed loop.
	Rate float64
	// Pipeline is how many requests a connection of the closed loop has in flight; 0 means one.
	Pipeline int
	// Rounds is how often each connection count is measured; 0 means once.
	Rounds int
	// Baseline is another server that Server is compared with; the two are measured in turn.
	Baseline string
	// BaselineUntuned compares the hosts tuned with the hosts untuned, in turn. At most one
	// of the two baselines is set.
	BaselineUntuned bool
}

// Output is a value of the lab file that becomes an output of the stack.
type Output struct {
	Name        string
	Description string
	// Value is what encoding/json makes of it.
	Value any
}
