package loader

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// opError is how package net wraps an errno.
func opError(call string, errno unix.Errno) error {
	return &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError(call, errno)}
}

func TestDialKind(t *testing.T) {
	for _, test := range []struct {
		err  error
		want string
	}{
		{opError("connect", unix.ECONNREFUSED), DialRefused},
		{opError("connect", unix.ETIMEDOUT), DialTimeout},
		{&net.OpError{Op: "dial", Err: context.DeadlineExceeded}, DialTimeout},
		{&net.OpError{Op: "dial", Err: os.ErrDeadlineExceeded}, DialTimeout},
		{opError("connect", unix.EADDRNOTAVAIL), DialAddressNotAvailable},
		{opError("socket", unix.EMFILE), DialTooManyFiles},
		{opError("socket", unix.ENFILE), DialTooManyFiles},
		{opError("connect", unix.EHOSTUNREACH), DialUnreachable},
		{opError("connect", unix.ENETUNREACH), DialUnreachable},
		{opError("connect", unix.EPERM), DialOther},
	} {
		if got := dialKind(test.err); got != test.want {
			t.Errorf("%v: kind %s, want %s", test.err, got, test.want)
		}
	}
}

func TestReadKind(t *testing.T) {
	for _, test := range []struct {
		err  error
		want string
	}{
		{io.EOF, ReadEOFBeforeResponse},
		{errShort, ReadEOFMidResponse},
		{opError("read", unix.ECONNRESET), ReadReset},
		{fmt.Errorf("read: %w", os.ErrDeadlineExceeded), ReadTimeout},
		{malformed("no"), HTTPParse},
		{errors.New("else"), ReadOther},
	} {
		if got := readKind(test.err); got != test.want {
			t.Errorf("%v: kind %s, want %s", test.err, got, test.want)
		}
	}
}
