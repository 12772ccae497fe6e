// Package serverspec is what can be asked of a server: the words and limits that a lab
// file, the provider and the server itself judge by. It is a leaf that does no I/O.
package serverspec

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Above these a number is a slip of the pen.
const (
	MostProcs     = 8192 // GOMAXPROCS: CPUs that a Linux kernel can be built for
	MostListeners = 1024 // sockets that share one address
	MostGOGC      = 1<<31 - 1
)

// The frameworks that benchlab-server can answer with.
const (
	FastHTTP = "fasthttp"
	Fiber    = "fiber"
)

// CheckFramework reports a name that is no framework.
func CheckFramework(name string) error {
	if name != FastHTTP && name != Fiber {
		return fmt.Errorf("%q is no framework of a server; %s and %s are", name, FastHTTP, Fiber)
	}
	return nil
}

// DefaultHealth is the path that a server answers when it is well.
const DefaultHealth = "/health"

// StatsVariable is the environment variable with the path of a unix socket. A server that
// listens there and answers GET /stats with a results.ServerStats has runtime figures.
const StatsVariable = "BENCHLAB_STATS"

var variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// CheckVariable reports an environment variable that a server's program can't be given.
func CheckVariable(name, value string) error {
	switch {
	case !variable.MatchString(name):
		return fmt.Errorf("%q is no name of an environment variable: want letters, digits and _, and no digit first", name)
	case strings.HasPrefix(name, "BENCHLAB_"):
		return fmt.Errorf("%s is set by benchlab: names that start with BENCHLAB_ are its own", name)
	case slices.Contains([]string{"GOGC", "GOMAXPROCS"}, name):
		return fmt.Errorf("%s is set by %s of the server, for any Go program: write it there", name, strings.ToLower(name))
	case strings.HasPrefix(value, "secret:") || strings.HasPrefix(value, "env:"):
		return fmt.Errorf("%s refers to a secret, which the environment of a server can't hold: the state of the stack and the host keep it in clear. Let the program read a file that is on the host", name)
	case strings.ContainsRune(value, 0):
		return fmt.Errorf("%s has a NUL in its value, which no environment can hold", name)
	}
	return nil
}
