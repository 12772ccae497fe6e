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

	"github.com/hanzoai/benchlab/workloads/zap/zapserver"
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
	"zap":  newZAP,
}

// newHTTP is a fasthttp server as it comes, but silent: a log line per bad request would
// be measured along with it.
func newHTTP(handler fasthttp.RequestHandler) transport {
	return &fasthttp.Server{Handler: handler, Logger: log.New(io.Discard, "", 0)}
}

// newZAP answers the same requests in ZAP frames, with the limits that it has by default,
// and as silently.
func newZAP(handler fasthttp.RequestHandler) transport {
	return &zapserver.Server{Handler: handler}
}

// parseListen takes a listen address apart: "http://10.0.0.1:8080" is http on that
// address, and "10.0.0.1:8080" zap. The host may be empty, which means all addresses; the
// port may be 0.
func parseListen(listen string) (scheme, address string, err error) {
	if !strings.Contains(listen, "://") {
		listen = "zap://" + listen
	}
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
