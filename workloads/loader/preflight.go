package loader

import (
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"

	"golang.org/x/sys/unix"
)

const (
	// filesPerWorker are those of a worker's poller.
	filesPerWorker = 3
	// spareFiles are the other descriptors that the process needs besides its connections:
	// standard streams, the resolver, and those of a program around it.
	spareFiles = 64
)

// portRangeFile holds the first and the last local port (Documentation/networking/ip-sysctl.rst).
// It is also the range of IPv6.
const portRangeFile = "/proc/sys/net/ipv4/ip_local_port_range"

// preflight finds out whether so many connections can be had here at all, before the
// first is opened.
func preflight(connections int, paths []*path, workers int) error {
	// Fewer would leave a path idle, unseen in the sum.
	if connections < len(paths) {
		return fmt.Errorf("%d connections over %d paths (each from one source to one target): want at least one for each", connections, len(paths))
	}
	if err := checkFiles(connections, workers); err != nil {
		return err
	}
	return checkPorts(connections, len(paths), alike(paths))
}

// checkFiles compares the connections with the limit of open files. A Go program has
// raised its soft limit to the hard one when it started (package os), so that the limit
// is the hard one.
func checkFiles(connections, workers int) error {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return fmt.Errorf("read the limit of open files (RLIMIT_NOFILE): %w", err)
	}
	if wanted := uint64(connections + workers*filesPerWorker + spareFiles); wanted > limit.Cur {
		return fmt.Errorf("%d connections need %d open files, and the limit of this process is %d (RLIMIT_NOFILE, hard limit %d): "+
			"raise it with `ulimit -n %d` as root, with nofile in /etc/security/limits.conf or with LimitNOFILE= of the service, or ask for fewer connections",
			connections, wanted, limit.Cur, limit.Max, wanted)
	}
	return nil
}

// alike is how many paths at most have the same ends, and so share the ports between them:
// those of targets that differ only in what is requested.
func alike(paths []*path) (most int) {
	type ends struct {
		source netip.Addr
		target netip.AddrPort
	}
	seen := map[ends]int{}
	for _, p := range paths {
		e := ends{p.source, p.target.address}
		seen[e]++
		most = max(most, seen[e])
	}
	return most
}

// checkPorts compares the connections with the local ports that their paths have. One port
// serves once for each pair of ends, as IP_BIND_ADDRESS_NO_PORT leaves its choice to connect;
// alike paths share one pair. Ports that are reserved (net.ipv4.ip_local_reserved_ports) or
// in use are for the dials to tell.
func checkPorts(connections, paths, alike int) error {
	text, err := os.ReadFile(portRangeFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // no Linux, or no /proc: the dials will tell
	}
	if err != nil {
		return fmt.Errorf("read the range of local ports: %w", err)
	}
	first, last, err := parsePortRange(string(text))
	if err != nil {
		return err
	}
	ports := last - first + 1
	if capacity := ports * paths / alike; connections > capacity {
		return fmt.Errorf("%d connections need as many local ports, and there are %d (%d between a source and a target's address, over %d paths of which up to %d share them; net.ipv4.ip_local_port_range is %d %d): "+
			"widen it with `sysctl net.ipv4.ip_local_port_range=\"1024 65535\"`, give more source addresses, or ask for fewer connections",
			connections, capacity, ports, paths, alike, first, last)
	}
	return nil
}

// parsePortRange parses the content of portRangeFile.
func parsePortRange(text string) (first, last int, err error) {
	if _, err := fmt.Sscan(text, &first, &last); err != nil || first < 1 || last < first {
		return 0, 0, fmt.Errorf("%s: want two ports, found %q", portRangeFile, text)
	}
	return first, last, nil
}
