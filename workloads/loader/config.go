package loader

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"strconv"
	"time"
)

// DefaultTimeout is the longest that a dial or a request may take unless told otherwise.
const DefaultTimeout = 2 * time.Second

// maxTimeout is the end of the histogram's range.
const maxTimeout = time.Minute

// Config says what a run does.
type Config struct {
	// URLs of the requests, one for each target: "http://10.99.0.1:8080/health". A host name
	// is resolved once. The connections are spread over all targets. Where one is of https
	// all are loaded by goroutines, in the closed loop.
	URLs []string
	// CA is a file of certificates in PEM form; a server of https must have one that is
	// signed by one of these. Empty means those that this host trusts.
	CA string
	// Connections is how many stand at the same time.
	Connections int
	// WarmUp is how long requests are sent before measuring; it may be zero.
	WarmUp time.Duration
	// Duration is how long is measured.
	Duration time.Duration
	// Timeout is the longest that a dial or a request may take, at most a minute.
	Timeout time.Duration
	// ExpectBody is the body that each response must have; empty means any.
	ExpectBody string
	// ExpectLength is the length in bytes that each body must have, and ExpectSHA256 the
	// hash in hexadecimal digits; 0 and empty mean any.
	ExpectLength int64
	ExpectSHA256 string
	// Sources are the IP addresses of this host to connect from; with none the kernel
	// chooses. Each target is loaded from all of them, but one in the subnet of some of the
	// sources only from those: so the paths between two pairs of NICs stay apart.
	Sources []string
	// Rate is how many requests a second are to be sent in all (open loop). 0 means the
	// closed loop: each connection sends its next request when it has its response.
	Rate float64
	// Pipeline is how many requests a connection of the closed loop has in flight; 0 and
	// 1 mean one.
	Pipeline int
	// Workers is how many threads load, or where a target is of https how many parts the
	// goroutines are in; 0 means as many as the process may use CPUs, but not more than
	// connections.
	Workers int
	// Barrier makes the run wait, with all its connections established and reported, for a
	// line on stdin before its warm-up: several loaders can so be let go together.
	Barrier bool
}

const (
	// maxPipeline keeps what is written at once within a socket's buffer.
	maxPipeline = 1024
	// maxRate is where a request has less than a nanosecond.
	maxRate = 1e9
)

// Args are the arguments with which benchlab-loader does what c says and reports in
// JSON. ParseArgs is their inverse.
func (c Config) Args() []string {
	args := []string{
		"-connections", strconv.Itoa(c.Connections),
		"-warm-up", c.WarmUp.String(),
		"-duration", c.Duration.String(),
		"-timeout", c.Timeout.String(),
		"-expect-body", c.ExpectBody,
		"-json",
	}
	for _, u := range c.URLs {
		args = append(args, "-url", u)
	}
	if c.CA != "" {
		args = append(args, "-ca", c.CA)
	}
	for _, source := range c.Sources {
		args = append(args, "-source", source)
	}
	if c.ExpectLength != 0 {
		args = append(args, "-expect-length", strconv.FormatInt(c.ExpectLength, 10))
	}
	if c.ExpectSHA256 != "" {
		args = append(args, "-expect-sha256", c.ExpectSHA256)
	}
	if c.Rate != 0 {
		args = append(args, "-rate", strconv.FormatFloat(c.Rate, 'g', -1, 64))
	}
	if c.Pipeline != 0 {
		args = append(args, "-pipeline", strconv.Itoa(c.Pipeline))
	}
	if c.Workers != 0 {
		args = append(args, "-workers", strconv.Itoa(c.Workers))
	}
	if c.Barrier {
		args = append(args, "-barrier")
	}
	return args
}

// ParseArgs reads the arguments of benchlab-loader and checks them. It writes the
// flags' help to usage where it is asked for, and returns flag.ErrHelp then.
func ParseArgs(args []string, usage io.Writer) (c Config, asJSON bool, err error) {
	flags := flag.NewFlagSet("benchlab-loader", flag.ContinueOnError)
	// The flag package would print each error, and its caller prints it again.
	flags.SetOutput(io.Discard)
	flags.Func("url", "`URL` to request: http://HOST:PORT/PATH or https://HOST:PORT/PATH; given again, the connections are spread over all", func(u string) error {
		c.URLs = append(c.URLs, u)
		return nil
	})
	flags.StringVar(&c.CA, "ca", "", "`file` of the certificates (PEM) that sign those of https servers; empty means those that this host trusts")
	flags.Func("source", "IP `address` of this host to connect from; given again, the connections are spread over all", func(address string) error {
		c.Sources = append(c.Sources, address)
		return nil
	})
	flags.Float64Var(&c.Rate, "rate", 0, "requests a second to send in all (open loop); 0 means as many as are answered (closed loop)")
	flags.IntVar(&c.Pipeline, "pipeline", 0, "requests in flight on each connection of the closed loop; 0 means one")
	flags.IntVar(&c.Workers, "workers", 0, "threads that load; 0 means one for each CPU, but not more than connections")
	flags.BoolVar(&c.Barrier, "barrier", false, "wait for a line on stdin once all connections stand")
	flags.IntVar(&c.Connections, "connections", 100, "how many connections stand at the same time")
	flags.DurationVar(&c.WarmUp, "warm-up", time.Second, "how long requests are sent before measuring")
	flags.DurationVar(&c.Duration, "duration", 5*time.Second, "how long is measured")
	flags.DurationVar(&c.Timeout, "timeout", DefaultTimeout, "longest time of a dial or a request, at most 1m")
	flags.StringVar(&c.ExpectBody, "expect-body", "", "`body` that each response must have; empty means any")
	flags.Int64Var(&c.ExpectLength, "expect-length", 0, "`bytes` that each body must have; 0 means any")
	flags.StringVar(&c.ExpectSHA256, "expect-sha256", "", "`hash` that each body must have, in hexadecimal digits; empty means any")
	flags.BoolVar(&asJSON, "json", false, "write progress and sample to stdout as one JSON document a line")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			flags.SetOutput(usage)
			flags.Usage()
		}
		return Config{}, false, err
	}
	if flags.NArg() > 0 {
		return Config{}, false, fmt.Errorf("unexpected argument %q: all is said with flags", flags.Arg(0))
	}
	return c, asJSON, c.Validate()
}

// Validate reports what is wrong with a configuration before anything is touched.
func (c Config) Validate() error {
	if len(c.URLs) == 0 {
		return errors.New("url: want at least one, as in http://10.99.0.1:8080/health")
	}
	for _, u := range c.URLs {
		if _, err := parseTarget(u); err != nil {
			return err
		}
	}
	if _, err := c.sources(); err != nil {
		return err
	}
	switch {
	case c.Connections < 1:
		return fmt.Errorf("connections: want at least 1, found %d", c.Connections)
	case c.WarmUp < 0:
		return fmt.Errorf("warm-up: want 0 or more, found %s", c.WarmUp)
	case c.Duration <= 0:
		return fmt.Errorf("duration: want more than 0, found %s", c.Duration)
	case c.Timeout <= 0 || c.Timeout > maxTimeout:
		return fmt.Errorf("timeout: want more than 0 and at most %s, found %s", maxTimeout, c.Timeout)
	case !(c.Rate >= 0 && c.Rate <= maxRate):
		return fmt.Errorf("rate: want 0 to %g requests a second, found %g", maxRate, c.Rate)
	case c.Pipeline < 0 || c.Pipeline > maxPipeline:
		return fmt.Errorf("pipeline: want 0 to %d, found %d", maxPipeline, c.Pipeline)
	case c.Pipeline > 1 && c.Rate > 0:
		return fmt.Errorf("pipeline %d at a rate of %g: in the open loop a connection has one request in flight; leave one of them out", c.Pipeline, c.Rate)
	case c.secure() && c.Rate > 0:
		return fmt.Errorf("rate %g: the open loop needs http:// in all URLs, as goroutines cannot keep its times; leave the rate out", c.Rate)
	case c.CA != "" && !c.secure():
		return fmt.Errorf("ca %s: no URL is of https://; leave it out", c.CA)
	case c.Workers < 0:
		return fmt.Errorf("workers: want 0 or more, found %d", c.Workers)
	}
	return c.checkExpectation()
}

// secure says that a target needs TLS.
func (c Config) secure() bool {
	return slices.ContainsFunc(c.URLs, func(text string) bool {
		u, err := parseTarget(text)
		return err == nil && u.Scheme == "https"
	})
}

// sources are the parsed source addresses.
func (c Config) sources() ([]netip.Addr, error) {
	var sources []netip.Addr
	for _, text := range c.Sources {
		source, err := netip.ParseAddr(text)
		if err != nil {
			return nil, fmt.Errorf("source %q: want an IP address of this host, as `ip address` lists them", text)
		}
		source = source.Unmap()
		if slices.Contains(sources, source) {
			return nil, fmt.Errorf("source %s is given twice", source)
		}
		sources = append(sources, source)
	}
	return sources, nil
}

// depth is how many requests a connection may have in flight.
func (c Config) depth() int { return max(1, c.Pipeline) }
