//go:build linux

package privileged

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"
)

// systemds are where distributions keep systemd.
var systemds = []string{"/usr/lib/systemd/systemd", "/lib/systemd/systemd"}

// unitDirs are where distributions keep their units.
var unitDirs = []string{"/usr/lib/systemd", "/lib/systemd"}

// faultFD takes the error of a boot that fails; the listener is at listenerFD.
const faultFD = 4

// wanted are the units that a host starts of those that the distribution wants in its
// targets. All else is for hardware, for people who log in, or writes values that
// are the machine's.
var wanted = []string{"systemd-journald.service", "systemd-journald.socket", "systemd-journald-dev-log.socket"}

// ownValues are the files below /proc/sys that are not the machine's but of the network,
// UTS and IPC namespaces.
var ownValues = []string{
	"net", "fs/mqueue", "kernel/hostname", "kernel/domainname",
	"kernel/msg*", "kernel/sem*", "kernel/shm*",
}

// socketUnit takes the listener that the machine has for the host: systemd looks among
// the files it is started with for those of its sockets.
const socketUnit = `[Unit]
Description=OpenSSH server socket

[Socket]
ListenStream=%s
Accept=yes
MaxConnections=1000
TriggerLimitIntervalSec=0
`

// serverUnit is one server for each connection. What a session leaves running outlives
// it, as under any SSH server.
const serverUnit = `[Unit]
Description=OpenSSH server for one connection
CollectMode=inactive-or-failed

[Service]
ExecStart=-` + server + ` -i -e -f ` + configPath + `
StandardInput=socket
StandardError=journal
KillMode=process
RuntimeDirectory=sshd
RuntimeDirectoryMode=0755
RuntimeDirectoryPreserve=yes
`

// checkSystemd tells early what a host would fail on late.
func checkSystemd() error {
	_, err := findSystemd()
	return err
}

func findSystemd() (string, error) {
	for _, path := range systemds {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0 {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s not found: install systemd, e.g. apt-get install systemd, or do without it in the host", systemds[0])
}

// Boot is what a host's system does until it is systemd. It returns only on an error.
func Boot(hostname string) error {
	if os.Getpid() != 1 {
		return fmt.Errorf("%s %s is the first process of a system: \"%s create\" starts it", Program, bootVerb, Program)
	}
	unix.CloseOnExec(faultFD)
	fault := os.NewFile(faultFD, "fault")
	// A new cgroup namespace is one thread's, and so must the exec be.
	runtime.LockOSThread()
	err := boot(hostname) // has not become systemd
	_, writeErr := fmt.Fprintf(fault, "booting: %v", err)
	return errors.Join(err, writeErr)
}

func boot(hostname string) error {
	unix.Umask(0o022)
	systemd, err := findSystemd()
	if err != nil {
		return err
	}
	if err := startUp(hostname); err != nil {
		return err
	}
	// Made only now, when this process is in the host's cgroup, which becomes its root.
	if err := unix.Unshare(unix.CLONE_NEWCGROUP); err != nil {
		return fmt.Errorf("cgroup namespace: %w", err)
	}
	if err := mountAll(mounted{"cgroup2", "/sys/fs/cgroup", quiet | unix.MS_NOEXEC, ""}); err != nil {
		return err
	}
	if err := protectMachine(); err != nil {
		return err
	}
	if err := newBootID(); err != nil {
		return err
	}
	if err := writeUnits(); err != nil {
		return err
	}
	unix.Umask(0)
	err = syscall.Exec(systemd, []string{systemd, "--unit=multi-user.target"}, append(slices.Clone(sessionEnv), "container=benchlab"))
	return fmt.Errorf("%s: %w", systemd, err)
}

// newBootID tells this boot from the others, and from the machine's, where everyone
// looks for it.
func newBootID() error {
	id := make([]byte, 16)
	if _, err := rand.Read(id); err != nil {
		return err
	}
	id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80 // a random UUID (RFC 9562)
	const file, path = "/run/boot_id", "/proc/sys/kernel/random/boot_id"
	text := fmt.Sprintf("%x-%x-%x-%x-%x\n", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
	if err := os.WriteFile(file, []byte(text), 0o444); err != nil {
		return err
	}
	if err := unix.Mount(file, path, "", unix.MS_BIND, ""); err != nil {
		return fmt.Errorf("boot id: bind %s on %s: %w", file, path, err)
	}
	return os.Remove(file) // the mount holds it
}

// protectMachine makes what is the machine's below /proc/sys read-only: systemd itself
// and its units write there as if the machine were theirs.
func protectMachine() error {
	const values = "/proc/sys"
	paths := []string{}
	for _, pattern := range ownValues {
		found, err := filepath.Glob(filepath.Join(values, pattern))
		if err != nil {
			return err
		}
		paths = append(paths, found...)
	}
	for _, path := range append([]string{values}, paths...) {
		if err := unix.Mount(path, path, "", unix.MS_BIND, ""); err != nil {
			return fmt.Errorf("bind of %s: %w", path, err)
		}
	}
	// Only the mount of this directory, not those in it.
	if err := unix.Mount("", values, "", unix.MS_REMOUNT|unix.MS_BIND|unix.MS_RDONLY|quiet|unix.MS_NOEXEC, ""); err != nil {
		return fmt.Errorf("read-only %s: %w", values, err)
	}
	return nil
}

// writeUnits says what systemd is to start. It stands in /run, so that /etc is the
// host's own.
func writeUnits() error {
	address, err := unix.Getsockname(listenerFD)
	if err != nil {
		return fmt.Errorf("listener: %w", err)
	}
	inet4, ok := address.(*unix.SockaddrInet4)
	if !ok {
		return fmt.Errorf("listener: address is a %T, want IPv4", address)
	}
	const units = "/run/systemd/system"
	for path, text := range map[string]string{
		units + "/ssh.socket":   fmt.Sprintf(socketUnit, netip.AddrPortFrom(netip.AddrFrom4(inet4.Addr), uint16(inet4.Port))),
		units + "/ssh@.service": serverUnit,
	} {
		if err := replaceFile(path, 0o644, text); err != nil {
			return err
		}
	}
	links := map[string]string{
		units + "/sockets.target.wants/ssh.socket": "../ssh.socket",
		// The kernel has one audit log, the machine's.
		units + "/systemd-journald-audit.socket": os.DevNull,
	}
	for _, dir := range unitDirs {
		dependencies, err := filepath.Glob(dir + "/system/*.wants/*")
		if err != nil {
			return err
		}
		for _, path := range dependencies {
			if target, unit := filepath.Base(filepath.Dir(path)), filepath.Base(path); !slices.Contains(wanted, unit) {
				links[filepath.Join(units, target, unit)] = os.DevNull
			}
		}
		// Generators make units of the machine's /etc/fstab and the like.
		generators, err := filepath.Glob(dir + "/system-generators/*")
		if err != nil {
			return err
		}
		for _, path := range generators {
			links[filepath.Join("/run/systemd/system-generators", filepath.Base(path))] = os.DevNull
		}
	}
	for link, target := range links {
		if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
			return err
		}
		if err := os.Symlink(target, link); err != nil {
			return err
		}
	}
	return nil
}
