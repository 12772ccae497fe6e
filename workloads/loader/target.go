package loader

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
)

// A target is one of the servers' addresses that are loaded.
type target struct {
	index   int
	address netip.AddrPort
	// tls is how to make a connection secure; nil for one that is not.
	tls *tls.Config
	// requests is the request as often as a connection may have it in flight, so that
	// those of a pipeline leave with one write. size is that of one.
	requests []byte
	size     int
}

// parseTarget parses the URL of a target.
func parseTarget(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("url: %w", err)
	}
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("url %q: unknown scheme %q; known: http, https (as in http://10.99.0.1:8080/health)", text, u.Scheme)
	case u.Hostname() == "":
		return nil, fmt.Errorf("url %q: no host; want %s://HOST:PORT/PATH", text, u.Scheme)
	case u.User != nil:
		return nil, fmt.Errorf("url %q: user names are not supported", u.Redacted())
	}
	return u, nil
}

// newRequest is the request for u, written once and sent again and again.
func newRequest(u *url.URL) []byte {
	return fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", u.RequestURI(), u.Host)
}

// newTargets resolves the targets of a configuration.
func newTargets(ctx context.Context, c Config) ([]*target, error) {
	authorities, err := c.authorities()
	if err != nil {
		return nil, err
	}
	var targets []*target
	for i, text := range c.URLs {
		u, err := parseTarget(text)
		if err != nil {
			return nil, err
		}
		address, err := resolve(ctx, u)
		if err != nil {
			return nil, err
		}
		request := newRequest(u)
		t := &target{
			index: i, address: address,
			requests: bytes.Repeat(request, c.depth()), size: len(request),
		}
		if u.Scheme == "https" {
			t.tls = newTLS(u.Hostname(), authorities)
		}
		targets = append(targets, t)
	}
	return targets, nil
}

// resolve finds the address of u's host. All connections of a target go to the one that
// is found here: a name with several addresses would measure several servers.
func resolve(ctx context.Context, u *url.URL) (netip.AddrPort, error) {
	port := uint64(80)
	if u.Scheme == "https" {
		port = 443
	}
	if text := u.Port(); text != "" {
		var err error
		if port, err = strconv.ParseUint(text, 10, 16); err != nil {
			return netip.AddrPort{}, fmt.Errorf("target %s: port %s: want 1 to 65535", u.Host, text)
		}
	}
	addresses, err := net.DefaultResolver.LookupNetIP(ctx, "ip", u.Hostname())
	if err != nil {
		return netip.AddrPort{}, fmt.Errorf("target %s: %w", u.Host, err)
	}
	return netip.AddrPortFrom(addresses[0].Unmap(), uint16(port)), nil
}
