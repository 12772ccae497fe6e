package loader

import (
	"context"
	"fmt"
	"net"
	"net/url"
)

// newRequest is the request for u, written once and sent again and again.
func newRequest(u *url.URL) []byte {
	return fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", u.RequestURI(), u.Host)
}

// resolve finds the address of u's host. All connections of a run go to the one that is
// found here: a name with several addresses would measure several servers.
func resolve(ctx context.Context, u *url.URL) (string, error) {
	port := u.Port()
	if port == "" {
		port = "80"
	}
	addresses, err := net.DefaultResolver.LookupNetIP(ctx, "ip", u.Hostname())
	if err != nil {
		return "", fmt.Errorf("target %s: %w", u.Host, err)
	}
	return net.JoinHostPort(addresses[0].Unmap().String(), port), nil
}
