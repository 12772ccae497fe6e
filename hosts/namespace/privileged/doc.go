// Package privileged does what package namespace asks for, on a machine where it runs
// as root: it makes namespace hosts, finds them, ends them and links them. The helper
// program benchlab-netns is a thin shell around it; nothing else uses it, so that the
// programs of unprivileged users stay free of it.
//
// It keeps no file: a host is found by the command line of its PID 1, and everything
// of a host is held by the kernel for as long as that process lives.
//
// It must not know sudo, Pulumi or what is done in a host.
package privileged
