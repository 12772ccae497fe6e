package loader

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
)

// authorities are the certificates that those of servers must be signed by; nil means
// those that this host trusts.
func (c Config) authorities() (*x509.CertPool, error) {
	if c.CA == "" {
		return nil, nil
	}
	text, err := os.ReadFile(c.CA)
	if err != nil {
		return nil, fmt.Errorf("ca: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("ca %s: want certificates in PEM form (BEGIN CERTIFICATE), found none", c.CA)
	}
	return pool, nil
}

// newTLS is how a connection to host is made secure. Each connection has a full handshake.
func newTLS(host string, authorities *x509.CertPool) *tls.Config {
	return &tls.Config{
		RootCAs:    authorities,
		ServerName: host,
		NextProtos: []string{"http/1.1"},
	}
}

// A handshakeError is why a connection that was made could not be made secure.
type handshakeError struct{ err error }

func (e *handshakeError) Error() string {
	return "TLS handshake: " + e.err.Error() + handshakeHint(e.err)
}

func (e *handshakeError) Unwrap() error { return e.err }

// handshakeHint says what to do about a handshake that failed.
func handshakeHint(err error) string {
	var (
		unknown x509.UnknownAuthorityError
		name    x509.HostnameError
		invalid x509.CertificateInvalidError
		record  tls.RecordHeaderError
	)
	switch {
	case errors.As(err, &unknown):
		return "; give the certificate of the one that signed it with -ca FILE"
	case errors.As(err, &name):
		return "; write a host in the URL that the certificate is for"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "; renew the server's certificate, or set the clock of this host"
	case errors.As(err, &record):
		return "; the server speaks another protocol there: write http:// or another port"
	case errors.Is(err, io.EOF):
		return "; the server closed the connection: see its log"
	}
	return ""
}

// isTLS says that an error is of TLS itself: an alert of the server, or a record that
// cannot be read. Package tls renders both kinds of alerts as an error of the network.
func isTLS(err error) bool {
	var record tls.RecordHeaderError
	var op *net.OpError
	return errors.As(err, &record) ||
		errors.As(err, &op) && (op.Op == "remote error" || op.Op == "local error")
}
