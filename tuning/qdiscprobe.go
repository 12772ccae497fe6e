package tuning

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// lacksQdisc says why the kernel can't have a kind of queue discipline; empty where it
// can. The kernel is asked by setting it on the loopback of a network namespace that is
// made for this, and is gone with its thread. As any use of a kind, that loads its module.
func lacksQdisc(kind string) (unsupported string, err error) {
	answer := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocked, so that the thread ends with the goroutine
		answer <- setInNewNamespace(kind)
	}()
	switch err := <-answer; {
	case errors.Is(err, unix.ENOENT):
		return fmt.Sprintf("this kernel has no queue discipline %s: its module sch_%[1]s is neither built in nor installed", kind), nil
	case err != nil:
		return "", fmt.Errorf("asking the kernel for queue discipline %s: %w", kind, err)
	}
	return "", nil
}

func setInNewNamespace(kind string) error {
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		return fmt.Errorf("making a network namespace to ask in: %w; run as root", err)
	}
	lo, err := netlink.LinkByName("lo")
	if err != nil {
		return err
	}
	return netlink.QdiscReplace(&netlink.GenericQdisc{QdiscAttrs: attributes(lo, netlink.HANDLE_ROOT), QdiscType: kind})
}
