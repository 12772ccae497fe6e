package loader

import (
	"errors"
	"fmt"
	"testing"

	"golang.org/x/sys/unix"
)

func TestDialKind(t *testing.T) {
	for _, test := range []struct {
		err  error
		want string
	}{
		{unix.ECONNREFUSED, DialRefused},
		{unix.ECONNRESET, DialReset},
		{&handshakeError{unix.ECONNRESET}, TLSHandshake},
		{fmt.Errorf("no answer within 2s: %w", unix.ETIMEDOUT), DialTimeout},
		{unix.EADDRNOTAVAIL, DialAddressNotAvailable},
		{unix.EMFILE, DialTooManyFiles},
		{unix.ENFILE, DialTooManyFiles},
		{unix.EHOSTUNREACH, DialUnreachable},
		{unix.ENETUNREACH, DialUnreachable},
		{unix.EPERM, DialOther},
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
		{errNone, ReadEOFBeforeResponse},
		{errShort, ReadEOFMidResponse},
		{unix.ECONNRESET, ReadReset},
		{unix.ETIMEDOUT, ReadTimeout},
		{malformed("no"), HTTPParse},
		{errors.New("else"), ReadOther},
	} {
		if got := readKind(test.err); got != test.want {
			t.Errorf("%v: kind %s, want %s", test.err, got, test.want)
		}
	}
}
