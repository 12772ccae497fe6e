//go:build linux

package loader

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// eventsAtOnce bounds what one wait returns.
const eventsAtOnce = 256

// What an event is of where it is not of a connection, whose index is never negative.
const (
	ofWake  = -1
	ofTimer = -2
)

// A poller waits for the events of one worker's sockets.
type poller struct {
	epoll int
	// wake is an eventfd by which other threads end a wait.
	wake int
	// timer ends a wait to the microsecond; epoll itself counts in milliseconds.
	timer  int
	events [eventsAtOnce]unix.EpollEvent
}

func newPoller() (p *poller, err error) {
	p = &poller{epoll: -1, wake: -1, timer: -1}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("epoll: %w", err), p.close())
		}
	}()
	if p.epoll, err = unix.EpollCreate1(unix.EPOLL_CLOEXEC); err != nil {
		return p, err
	}
	if p.wake, err = unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK); err != nil {
		return p, err
	}
	if p.timer, err = unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_CLOEXEC|unix.TFD_NONBLOCK); err != nil {
		return p, err
	}
	// Edge-triggered: an event is told once, and nobody has to read the number behind it.
	for fd, of := range map[int]int32{p.wake: ofWake, p.timer: ofTimer} {
		if err = unix.EpollCtl(p.epoll, unix.EPOLL_CTL_ADD, fd, &unix.EpollEvent{Events: unix.EPOLLIN | unix.EPOLLET, Fd: of}); err != nil {
			return p, err
		}
	}
	return p, nil
}

func (p *poller) close() error {
	var errs []error
	for _, fd := range []int{p.epoll, p.wake, p.timer} {
		if fd >= 0 {
			errs = append(errs, unix.Close(fd))
		}
	}
	return errors.Join(errs...)
}

// add makes events of a socket come as those of the given index, for as long as the socket
// is open. Both directions are asked for at once and edge-triggered, so that this is the
// only call of its kind in the life of a connection.
func (p *poller) add(fd int, index int32) error {
	return unix.EpollCtl(p.epoll, unix.EPOLL_CTL_ADD, fd, &unix.EpollEvent{
		Events: unix.EPOLLIN | unix.EPOLLOUT | unix.EPOLLRDHUP | unix.EPOLLET,
		Fd:     index,
	})
}

// wait returns the events that are there, or waits up to a limit for the first.
func (p *poller) wait(limit time.Duration) ([]unix.EpollEvent, error) {
	for {
		// Rounded up: a wait that ends too early would be taken up again at once.
		n, err := unix.EpollWait(p.epoll, p.events[:], int((limit+time.Millisecond-1)/time.Millisecond))
		if err == unix.EINTR {
			continue
		}
		return p.events[:max(n, 0)], err
	}
}

// interrupt ends the wait of another thread, or its next.
func (p *poller) interrupt() error {
	_, err := unix.Write(p.wake, binary.NativeEndian.AppendUint64(nil, 1))
	return err
}

// after sets the timer.
func (p *poller) after(d time.Duration) error {
	return unix.TimerfdSettime(p.timer, 0, &unix.ItimerSpec{Value: unix.NsecToTimespec(max(1, d.Nanoseconds()))}, nil)
}
