package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"time"

	"github.com/valyala/fasthttp"
)

// grace is how long connections may take to end after a stop.
const grace = 5 * time.Second

// Config says what a server listens on.
type Config struct {
	// Listen are addresses with a scheme, "http://10.99.0.1:8080": at least one.
	Listen []string
	// Framework answers the requests: "fasthttp", which empty means too, or "fiber".
	Framework string
	// Listeners is how many sockets share each address, with SO_REUSEPORT where there are
	// several; 0 means 1.
	Listeners int
	// Stats is the path of the unix socket that answers GET /stats; empty means none.
	Stats string
}

// Server is a bound server. It answers once Serve runs.
type Server struct {
	urls    []string
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
	makeHandler, err := frameworkHandler(config.Framework)
	if err != nil {
		return nil, err
	}
	if len(config.Listen) == 0 {
		return nil, errors.New("no address to listen on: want at least one")
	}
	s, handler := &Server{}, makeHandler()
	for _, listen := range config.Listen {
		if err := s.listen(ctx, listen, config.Listeners, handler); err != nil {
			return nil, errors.Join(err, s.close())
		}
	}
	if config.Stats != "" {
		stats, err := listenUnix(ctx, config.Stats)
		if err != nil {
			return nil, errors.Join(err, s.close())
		}
		s.serving = append(s.serving, serving{newHTTP(handleStats), stats})
	}
	return s, nil
}

// listen binds one address.
func (s *Server) listen(ctx context.Context, listen string, sockets int, handler fasthttp.RequestHandler) error {
	scheme, address, err := parseListen(listen)
	if err != nil {
		return err
	}
	listeners, err := listenAll(ctx, address, sockets)
	if err != nil {
		return err
	}
	s.urls = append(s.urls, scheme+"://"+listeners[0].Addr().String())
	for _, listener := range listeners {
		s.serving = append(s.serving, serving{transports[scheme](handler), listener})
	}
	return nil
}

// close unbinds a server that has not served.
func (s *Server) close() error {
	var failed error
	for _, serving := range s.serving {
		failed = errors.Join(failed, serving.listener.Close())
	}
	return failed
}

// URLs are the addresses that the server is bound to, in the order of Config.Listen, with
// the real ports: "http://127.0.0.1:40123".
func (s *Server) URLs() []string { return slices.Clone(s.urls) }

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
