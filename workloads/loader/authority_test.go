package loader_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// An authority signs the certificates of a test's servers.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	// file has its own certificate.
	file string
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{file: filepath.Join(t.TempDir(), "ca.pem")}
	der, key := sign(t, &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority of a test"},
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}, nil)
	var err error
	if a.certificate, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	a.key = key
	if err := os.WriteFile(a.file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return a
}

// issue makes a certificate for a server at 127.0.0.1, valid until then.
func (a *authority) issue(t *testing.T, until time.Time) tls.Certificate {
	t.Helper()
	der, key := sign(t, &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "server of a test"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore:   time.Now().Add(-time.Hour), NotAfter: until,
	}, a)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// sign makes a key and its certificate, signed by a or, where that is nil, by itself.
func sign(t *testing.T, template *x509.Certificate, a *authority) ([]byte, *ecdsa.PrivateKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	parent, signer := template, key
	if a != nil {
		parent, signer = a.certificate, a.key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	if err != nil {
		t.Fatal(err)
	}
	return der, key
}

// serveTLS is serveConns behind TLS, with a good certificate.
func (a *authority) serveTLS(t *testing.T, handle func(n int64, conn *tls.Conn)) *tcpServer {
	t.Helper()
	return serveSecure(t, &tls.Config{
		Certificates: []tls.Certificate{a.issue(t, time.Now().Add(time.Hour))},
		NextProtos:   []string{"h2", "http/1.1"},
	}, handle)
}

func serveSecure(t *testing.T, config *tls.Config, handle func(n int64, conn *tls.Conn)) *tcpServer {
	t.Helper()
	return serveConns(t, func(n int64, socket *net.TCPConn) {
		conn := tls.Server(socket, config)
		if conn.HandshakeContext(t.Context()) == nil {
			handle(n, conn)
			_ = conn.Close()
		}
	})
}
