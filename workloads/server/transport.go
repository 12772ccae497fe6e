package server

import (
	"context"
	"fmt"
	"io"
	"log"
	"maps"
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/valyala/fasthttp"
)

// A transport speaks one protocol on the connections of a listener.
type transport interface {
	// Serve answers until ShutdownWithContext is called, and then returns nil.
	Serve(net.Listener) error
	// ShutdownWithContext stops accepting, lets requests in hand end and closes the
	// connections; it returns the context's error if that took too long.
	ShutdownWithContext(context.Context) error
}

// transports makes the transport of each scheme of a listen address.
var transports = map[string]func(fasthttp.RequestHandler) transport{
	"http": newHTTP,
}

// newHTTP is a fasthttp server as it comes, but silent: a log line per bad request would
// be measured along with it.
func newHTTP(handler fasthttp.RequestHandler) transport {
	return &fasthttp.Server{Handler: handler, Logger: log.New(io.Discard, "", 0)}
}

// parseListen takes a listen address apart: "http://10.0.0.1:8080" is http on that
// address. The host may be empty, which means all addresses; the port may be 0.
func parseListen(listen string) (scheme, address string, err error) {
	u, err := url.Parse(listen)
	if err != nil {
		return "", "", fmt.Errorf("listen address %q: %w; want SCHEME://HOST:PORT", listen, err)
	}
	if transports[u.Scheme] == nil {
		known := slices.Sorted(maps.Keys(transports))
		return "", "", fmt.Errorf("listen address %q: unknown scheme %q; known: %s (as in %s://0.0.0.0:8080)",
			listen, u.Scheme, strings.Join(known, ", "), known[0])
	}
	if u.Port() == "" || u.User != nil || u.Opaque != "" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
		return "", "", fmt.Errorf("listen address %q: want %s://HOST:PORT and nothing else", listen, u.Scheme)
	}
	return u.Scheme, u.Host, nil
}
