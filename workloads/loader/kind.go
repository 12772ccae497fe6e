package loader

import (
	"context"
	"errors"
	"io"
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// The kinds of errors of a sample.
const (
	DialRefused             = "dial_refused"
	DialTimeout             = "dial_timeout"
	DialAddressNotAvailable = "dial_address_not_available" // no local port is left, or no such source address
	DialTooManyFiles        = "dial_too_many_files"
	DialUnreachable         = "dial_unreachable"
	DialOther               = "dial_other"
	Write                   = "write"
	ReadReset               = "read_reset"
	ReadEOFBeforeResponse   = "read_eof_before_response" // the server closed the connection instead of answering
	ReadEOFMidResponse      = "read_eof_mid_response"
	ReadTimeout             = "read_timeout"
	ReadOther               = "read_other"
	HTTPParse               = "http_parse"  // no strict HTTP/1.1
	HTTPStatus              = "http_status" // another status than 200
	HTTPBody                = "http_body"   // another body than the expected one
)

// dialKind is the kind of an error of a dial.
func dialKind(err error) string {
	var timeout net.Error
	switch {
	case errors.Is(err, unix.ECONNREFUSED):
		return DialRefused
	case errors.Is(err, unix.EADDRNOTAVAIL):
		return DialAddressNotAvailable
	case errors.Is(err, unix.EMFILE), errors.Is(err, unix.ENFILE):
		return DialTooManyFiles
	case errors.Is(err, unix.EHOSTUNREACH), errors.Is(err, unix.ENETUNREACH):
		return DialUnreachable
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return DialTimeout
	}
	return DialOther
}

// readKind is the kind of an error of response.next.
func readKind(err error) string {
	var parse *parseError
	switch {
	case errors.As(err, &parse):
		return HTTPParse
	case errors.Is(err, errShort):
		return ReadEOFMidResponse
	case errors.Is(err, io.EOF):
		return ReadEOFBeforeResponse
	case errors.Is(err, unix.ECONNRESET):
		return ReadReset
	case errors.Is(err, os.ErrDeadlineExceeded):
		return ReadTimeout
	}
	return ReadOther
}
