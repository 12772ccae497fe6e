package tuning

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"
)

// lacksQdisc says why the kernel can't have a kind of queue discipline; empty where it
// can. The kernel is asked by setting it on the loopback of a network namespace that is
// made for this. As any use of a kind, that loads its module.
func lacksQdisc(kind string) (unsupported string, err error) {
	switch err := setInNewNamespace(kind); {
	case errors.Is(err, unix.ENOENT):
		return fmt.Sprintf("this kernel has no queue discipline %s: its module sch_%[1]s is neither built in nor installed", kind), nil
	case err != nil:
		return "", fmt.Errorf("asking the kernel for queue discipline %s: %w", kind, err)
	}
	return "", nil
}

func setInNewNamespace(kind string) (err error) {
	runtime.LockOSThread()
	origin, err := netns.Get()
	if err != nil {
		runtime.UnlockOSThread()
		return fmt.Errorf("network namespace of this thread: %w", err)
	}
	defer func() {
		// A thread that can't go back stays locked: nobody else may run on it. It may be the
		// main one, in whose namespace everyone sees /proc/net.
		if back := errors.Join(netns.Set(origin), origin.Close()); back != nil {
			err = errors.Join(err, back)
			return
		}
		runtime.UnlockOSThread()
	}()
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		return fmt.Errorf("making a network namespace to ask in: %w; run as root", err)
	}
	lo, err := netlink.LinkByName("lo")
	if err != nil {
		return err
	}
	return netlink.QdiscReplace(&netlink.GenericQdisc{QdiscAttrs: attributes(lo, netlink.HANDLE_ROOT), QdiscType: kind})
}
