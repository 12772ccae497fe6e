package loader

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"time"
)

// DefaultTimeout is the longest that a dial or a request may take unless told otherwise.
const DefaultTimeout = 2 * time.Second

// maxTimeout is the end of the histogram's range.
const maxTimeout = time.Minute

// Config says what a run does.
type Config struct {
	// URL of the request: "http://10.99.0.1:8080/health". A host name is resolved once.
	URL string
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
}

// Args are the arguments with which benchlab-loader does what c says and reports in
// JSON. ParseArgs is their inverse.
func (c Config) Args() []string {
	return []string{
		"-url", c.URL,
		"-connections", strconv.Itoa(c.Connections),
		"-warm-up", c.WarmUp.String(),
		"-duration", c.Duration.String(),
		"-timeout", c.Timeout.String(),
		"-expect-body", c.ExpectBody,
		"-json",
	}
}

// ParseArgs reads the arguments of benchlab-loader and checks them. It writes the
// flags' help to usage where it is asked for, and returns flag.ErrHelp then.
func ParseArgs(args []string, usage io.Writer) (c Config, asJSON bool, err error) {
	flags := flag.NewFlagSet("benchlab-loader", flag.ContinueOnError)
	// The flag package would print each error, and its caller prints it again.
	flags.SetOutput(io.Discard)
	flags.StringVar(&c.URL, "url", "", "`URL` to request: http://HOST:PORT/PATH")
	flags.IntVar(&c.Connections, "connections", 100, "how many connections stand at the same time")
	flags.DurationVar(&c.WarmUp, "warm-up", time.Second, "how long requests are sent before measuring")
	flags.DurationVar(&c.Duration, "duration", 5*time.Second, "how long is measured")
	flags.DurationVar(&c.Timeout, "timeout", DefaultTimeout, "longest time of a dial or a request, at most 1m")
	flags.StringVar(&c.ExpectBody, "expect-body", "", "`body` that each response must have; empty means any")
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
	if _, err := c.target(); err != nil {
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
	}
	return nil
}

// target is the parsed URL.
func (c Config) target() (*url.URL, error) {
	u, err := url.Parse(c.URL)
	if err != nil {
		return nil, fmt.Errorf("url: %w", err)
	}
	switch {
	case u.Scheme != "http":
		return nil, fmt.Errorf("url %q: unknown scheme %q; known: http (as in http://10.99.0.1:8080/health)", c.URL, u.Scheme)
	case u.Hostname() == "":
		return nil, fmt.Errorf("url %q: no host; want http://HOST:PORT/PATH", c.URL)
	case u.User != nil:
		return nil, fmt.Errorf("url %q: user names are not supported", u.Redacted())
	}
	return u, nil
}
