package spec

import (
	"errors"
	"fmt"
	"strings"
)

// SysctlKey brings a sysctl name into its canonical form: components joined by dots,
// and a slash where a component itself holds a dot ("net.ipv4.conf.eth0/100.rp_filter").
//
// The grammar is that of sysctl.d(5): the first separator decides. After a slash all
// further dots are plain characters; after a dot, dots separate and slashes stand for
// dots. So "net/ipv4/conf/eth0.100/rp_filter" names the same value, and one value has
// one key however it is spelled. The one exception is kinder than that grammar: what is
// below net.ipv4.conf and its like is always an interface and a key, so there the dots
// between are the interface's ("net.ipv4.conf.eth0.100.rp_filter").
func SysctlKey(name string) (string, error) {
	components, err := sysctlComponents(name)
	if err != nil {
		return "", fmt.Errorf("sysctl %q: %w", name, err)
	}
	for i, c := range components {
		components[i] = strings.ReplaceAll(c, ".", "/")
	}
	return strings.Join(components, "."), nil
}

// SysctlPath is the path of a sysctl below /proc/sys, without a leading slash
// ("net/ipv4/conf/eth0.100/rp_filter"). It takes any spelling that SysctlKey takes.
func SysctlPath(name string) (string, error) {
	components, err := sysctlComponents(name)
	if err != nil {
		return "", fmt.Errorf("sysctl %q: %w", name, err)
	}
	return strings.Join(components, "/"), nil
}

func sysctlComponents(name string) ([]string, error) {
	if name == "" {
		return nil, errors.New("the name is empty; write it as in net.core.somaxconn")
	}
	if rest, ok := strings.CutPrefix(name, "/proc/sys/"); ok {
		return nil, fmt.Errorf("write the name without /proc/sys/: %q", rest)
	}
	for _, r := range name {
		if r <= ' ' || r == 0x7f {
			return nil, errors.New("a name holds no blanks and no control characters")
		}
		if strings.ContainsRune("*?[]\\", r) {
			return nil, fmt.Errorf("a name holds no %q: patterns are not expanded, list the keys one by one", r)
		}
	}
	var components []string
	switch i := strings.IndexAny(name, "./"); {
	case i < 0:
		return nil, errors.New("a name has at least two components, as in vm.swappiness")
	case name[i] == '/':
		components = strings.Split(name, "/")
	default:
		components = strings.Split(name, ".")
		for j, c := range components {
			components[j] = strings.ReplaceAll(c, "/", ".")
		}
	}
	for _, c := range components {
		switch c {
		case "":
			return nil, errors.New("a component is empty; write it as in net.core.somaxconn")
		case ".", "..":
			return nil, fmt.Errorf("%q is no component of a name; write the name without it", c)
		}
	}
	return joinInterface(components), nil
}

// joinInterface makes one component of the name of an interface whose dots were written
// as separators: <family>.conf.<interface>.<key>, and likewise with neigh.
func joinInterface(components []string) []string {
	last := len(components) - 1
	if last < 5 || components[0] != "net" || components[2] != "conf" && components[2] != "neigh" {
		return components
	}
	return append(components[:3:3], strings.Join(components[3:last], "."), components[last])
}

// InterfaceKey takes a canonical key of one interface apart: "net.ipv4.conf.", the
// interface ("eth0.100", "all", "default") and the key ("rp_filter").
func InterfaceKey(key string) (family, nic, name string, ok bool) {
	components := strings.Split(key, ".")
	if len(components) != 5 || components[0] != "net" || components[2] != "conf" && components[2] != "neigh" {
		return "", "", "", false
	}
	return strings.Join(components[:3], ".") + ".", strings.ReplaceAll(components[3], "/", "."), components[4], true
}

// MachineWide says whether a canonical sysctl key belongs to the whole machine, so
// that a host which is only a namespace of its machine must leave it alone. Of the
// network namespace are net.*, of the UTS namespace kernel.hostname and
// kernel.domainname, of the IPC namespace kernel.msg*, sem*, shm* and fs.mqueue.*
// (namespaces(7), ipc_namespaces(7)).
func MachineWide(key string) bool {
	switch key {
	case "kernel.hostname", "kernel.domainname":
		return false
	}
	for _, prefix := range []string{"net.", "fs.mqueue.", "kernel.msg", "kernel.sem", "kernel.shm"} {
		if strings.HasPrefix(key, prefix) {
			return false
		}
	}
	return true
}
