package agent

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// lease keeps a benchmark alone on this host: it holds the lease exclusively, and calls
// that change the host hold it shared. It is a lock on a file, so it ends with the
// process that holds it, whatever happens to that. Starts and stops of servers have another
// one of the kind.
type lease struct{ path string }

// exclusive waits until nobody else holds the lease.
func (l lease) exclusive(ctx context.Context, holder string, waiting func(holder string)) (release func(), err error) {
	f, err := l.take(ctx, unix.LOCK_EX, waiting)
	if err != nil {
		return nil, err
	}
	// For the message of those who wait.
	err = f.Truncate(0)
	if err == nil {
		_, err = f.WriteAt([]byte(holder), 0)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lease: %w", err), f.Close())
	}
	return func() {
		_ = f.Truncate(0) // only the message of those who wait is at stake
		_ = f.Close()
	}, nil
}

// shared waits until no benchmark holds the lease.
func (l lease) shared(ctx context.Context, waiting func(holder string)) (release func(), err error) {
	f, err := l.take(ctx, unix.LOCK_SH, waiting)
	if err != nil {
		return nil, err
	}
	return func() { _ = f.Close() }, nil
}

// holder names who holds the lease, as far as it is known.
func (l lease) holder() string {
	text, err := os.ReadFile(l.path)
	if err != nil || len(text) == 0 {
		return "another call"
	}
	return strings.TrimSpace(string(text))
}

// free takes the lease only where nobody holds it.
func (l lease) free() (release func(), ok bool) {
	f, err := l.open()
	if err != nil {
		return nil, false
	}
	if unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil {
		_ = f.Close()
		return nil, false
	}
	return func() { _ = f.Close() }, true
}

func (l lease) open() (*os.File, error) {
	err := os.MkdirAll(filepath.Dir(l.path), 0o755)
	var f *os.File
	if err == nil {
		f, err = os.OpenFile(l.path, os.O_RDWR|os.O_CREATE, 0o644)
	}
	if err != nil {
		return nil, fmt.Errorf("lease: %w; is the disk full or read-only? no value was changed", err)
	}
	return f, nil
}

func (l lease) take(ctx context.Context, how int, waiting func(holder string)) (*os.File, error) {
	told := ""
	for {
		f, err := l.open()
		if err != nil {
			return nil, err
		}
		err = unix.Flock(int(f.Fd()), how|unix.LOCK_NB)
		// A lock on a file that was removed with its directory meanwhile keeps nobody out.
		if err == nil && l.isAt(f) {
			return f, nil
		}
		_ = f.Close()
		if err != nil && !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) {
			return nil, fmt.Errorf("lease %s: %w", l.path, err)
		}
		if holder := l.holder(); holder != told {
			told = holder
			if waiting != nil {
				waiting(holder)
			}
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("waiting for %s, which has this host to itself: %w; nothing was changed", told, ctx.Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (l lease) isAt(f *os.File) bool {
	ours, err := f.Stat()
	if err != nil {
		return false
	}
	now, err := os.Stat(l.path)
	return err == nil && os.SameFile(ours, now)
}
