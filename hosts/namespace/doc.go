// Package namespace makes hosts on this machine: a Linux network, mount, PID, UTS
// and IPC namespace each, with a root file system and an OpenSSH server of their own,
// and veth links between them. It is the unprivileged face: everything that needs
// root is done by the helper program benchlab-netns, which this package runs
// directly as root and through "sudo -n" otherwise.
//
// A namespace host is a process. When its PID 1 dies, everything of it goes, by the
// kernel's own reference counting: no file, mount, interface or process stays.
// It is no security boundary: its root is the machine's root.
//
// The package must not know Pulumi, what is tuned in a host, or how hosts are used
// once SSH answers.
package namespace
