package loader

import (
	"errors"

	"golang.org/x/sys/unix"
)

// The kinds of errors of a sample.
const (
	DialRefused             = "dial_refused"
	DialReset               = "dial_reset" // the server took the connection and reset it at once
	DialTimeout             = "dial_timeout"
	DialAddressNotAvailable = "dial_address_not_available" // no local port is left, or no such source address
	DialTooManyFiles        = "dial_too_many_files"
	DialUnreachable         = "dial_unreachable"
	DialOther               = "dial_other"
	TLSHandshake            = "tls_handshake" // no TLS, a bad certificate, or no end of the handshake
	Write                   = "write"
	ReadReset               = "read_reset"
	ReadEOFBeforeResponse   = "read_eof_before_response" // the server closed the connection instead of answering
	ReadEOFMidResponse      = "read_eof_mid_response"
	ReadTimeout             = "read_timeout"
	ReadTLS                 = "read_tls" // the server broke TLS off with an alert, or sent what is none
	ReadOther               = "read_other"
	HTTPParse               = "http_parse"  // no strict HTTP/1.1
	HTTPStatus              = "http_status" // another status than 200
	HTTPBody                = "http_body"   // another body than the expected one
	ClosedIdle              = "closed_idle" // the server closed or reset the connection while no request was in flight
)

// dialKind is the kind of an error of a dial.
func dialKind(err error) string {
	var handshake *handshakeError
	switch {
	case errors.As(err, &handshake):
		return TLSHandshake
	case errors.Is(err, unix.ECONNREFUSED):
		return DialRefused
	case errors.Is(err, unix.ECONNRESET):
		return DialReset
	case errors.Is(err, unix.EADDRNOTAVAIL):
		return DialAddressNotAvailable
	case errors.Is(err, unix.EMFILE), errors.Is(err, unix.ENFILE):
		return DialTooManyFiles
	case errors.Is(err, unix.EHOSTUNREACH), errors.Is(err, unix.ENETUNREACH):
		return DialUnreachable
	case errors.Is(err, unix.ETIMEDOUT):
		return DialTimeout
	}
	return DialOther
}

// hint says what to do about a connection that could not be had.
func hint(kind string) string {
	switch kind {
	case DialRefused:
		return "; nothing listens there: start the server, or correct the address"
	case DialTimeout:
		return "; no answer: see whether the host is up, a firewall drops, or the listen backlog (net.core.somaxconn) is full"
	case DialAddressNotAvailable:
		return "; no local port is left, or the source address is not of this host: widen net.ipv4.ip_local_port_range, " +
			"wait until TIME_WAIT is over, or see `ip address`"
	case DialTooManyFiles:
		return "; raise the limit of open files of this process (ulimit -n) or of the system (fs.file-max)"
	case DialUnreachable:
		return "; no route: see whether the link is up and has its address"
	case ReadTLS:
		return "; see the server's log: it may want the certificate of a client, which this loader has none of"
	case ClosedIdle, DialReset:
		return "; see the server's log: it may allow fewer connections, or close those that are idle before all stand"
	}
	return ""
}

// readKind is the kind of an error of taking a response.
func readKind(err error) string {
	var parse *parseError
	switch {
	case errors.As(err, &parse):
		return HTTPParse
	case errors.Is(err, errShort):
		return ReadEOFMidResponse
	case errors.Is(err, errNone):
		return ReadEOFBeforeResponse
	case errors.Is(err, unix.ECONNRESET):
		return ReadReset
	case errors.Is(err, unix.ETIMEDOUT):
		return ReadTimeout
	case isTLS(err):
		return ReadTLS
	}
	return ReadOther
}
