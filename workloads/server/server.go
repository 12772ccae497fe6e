package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"
)

// grace is how long connections may take to end after a stop.
const grace = 5 * time.Second

// Config says what a server listens on.
type Config struct {
	// Listen is an address with a scheme: "http://10.99.0.1:8080".
	Listen string
	// Framework answers the requests: "fasthttp", which empty means too, or "fiber".
	Framework string
	// Listeners is how many sockets share the address, with SO_REUSEPORT where there are
	// several; 0 means 1.
	Listeners int
	// Stats is the path of the unix socket that answers GET /stats; empty means none.
	Stats string
}

// Server is a bound server. It answers once Serve runs.
type Server struct {
	scheme  string
	address net.Addr
	serving []serving
}

// serving is a transport and what it listens on.
type serving struct {
	transport transport
	listener  net.Listener
}

// Listen binds what the configuration names. An error names the address, what the
// kernel said, and what can be done; nothing stays bound then.
func Listen(ctx context.Context, config Config) (*Server, error) {
	scheme, address, err := parseListen(config.Listen)
	if err != nil {
		return nil, err
	}
	handler, err := frameworkHandler(config.Framework)
	if err != nil {
		return nil, err
	}
	listeners, err := listenAll(ctx, address, config.Listeners)
	if err != nil {
		return nil, err
	}
	s := &Server{scheme: scheme, address: listeners[0].Addr()}
	for _, listener := range listeners {
		s.serving = append(s.serving, serving{transports[scheme](handler()), listener})
	}
	if config.Stats != "" {
		stats, err := listenUnix(ctx, config.Stats)
		if err != nil {
			return nil, errors.Join(err, closeAll(listeners))
		}
		s.serving = append(s.serving, serving{newHTTP(handleStats), stats})
	}
	return s, nil
}

// URL is the address that the server is bound to, with the real port:
// "http://127.0.0.1:40123".
func (s *Server) URL() string {
	return s.scheme + "://" + s.address.String()
}

// Serve answers until ctx is done. It then lets the requests in hand end, closes the
// connections, removes the stats socket and returns nil. Connections that are busy for
// five seconds more are left to the end of the process, and are an error.
func (s *Server) Serve(ctx context.Context) error {
	ended := make(chan error, len(s.serving))
	for _, serving := range s.serving {
		go func() { ended <- serving.transport.Serve(serving.listener) }()
	}
	var failed error
	running := len(s.serving)
	select {
	case <-ctx.Done():
	case failed = <-ended:
		running--
	}

	// The grace outlasts ctx, which is done.
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	for _, serving := range s.serving {
		if err := serving.transport.ShutdownWithContext(stop); err != nil {
			failed = errors.Join(failed, fmt.Errorf("stop of %s: connections are still busy after %s: %w",
				serving.listener.Addr(), grace, err))
		}
		// A transport that had not begun to serve has nothing to shut down: it ends when
		// it finds its listener closed.
		if err := serving.listener.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
			failed = errors.Join(failed, err)
		}
	}
	for range running {
		failed = errors.Join(failed, <-ended)
	}
	return failed
}
