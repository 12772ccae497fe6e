package namespace

import (
	"fmt"
	"regexp"
	"strings"

	"golang.org/x/crypto/ssh"
)

// Spec is what a host is made from.
type Spec struct {
	// Name finds the host again on this machine; it is unique there. Lowercase letters,
	// digits and dashes, at most 63 bytes.
	Name string `json:"name"`
	// Hostname is what the host calls itself, by the same rule; empty means Name.
	Hostname string `json:"hostname,omitempty"`
	// AuthorizedKey may log in as root: one line in authorized_keys form, without options.
	AuthorizedKey string `json:"authorizedKey"`
	// Port is the TCP port on the machine's 127.0.0.1 that reaches the host's SSH server;
	// 0 takes a free one.
	Port int `json:"port,omitempty"`
	// Systemd makes systemd the host's PID 1, with the SSH server as its unit. Such a host
	// can be rebooted from inside: /etc, /var and /root stay, and with them the machine id;
	// network, processes and boot id are new.
	Systemd bool `json:"systemd,omitempty"`
}

// State is a host as it was found running.
type State struct {
	Name string `json:"name"`
	// PID is the host's first process, as the machine numbers it. Where systemd is the
	// host's PID 1, it is the process that holds the host through its reboots.
	PID int `json:"pid"`
	// StartTime of that process, in clock ticks since boot. With PID it names this
	// very process: PIDs are used again, pairs of both are not.
	StartTime uint64 `json:"startTime"`
	// Port on 127.0.0.1.
	Port int `json:"port"`
	// HostKey is the SSH server's public key, in authorized_keys form.
	HostKey string `json:"hostKey"`
	// Alive is true where the SSH server answered with its banner.
	Alive bool `json:"alive"`
}

// Inspection is the helper's answer to "inspect".
type Inspection struct {
	Found bool  `json:"found"`
	State State `json:"state"`
}

// nameRule is that of a DNS label, so that a name can serve as a host name.
var nameRule = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`)

// CheckName reports what is wrong with the name of a host.
func CheckName(name string) error {
	if !nameRule.MatchString(name) {
		return fmt.Errorf("host name %q: want 1 to 63 lowercase letters, digits and dashes, with no dash at either end", name)
	}
	return nil
}

// Check reports the first thing that is wrong with s, so that bad input fails before
// anything is made.
func (s Spec) Check() error {
	if err := CheckName(s.Name); err != nil {
		return err
	}
	if s.Hostname != "" {
		if err := CheckName(s.Hostname); err != nil {
			return fmt.Errorf("host %q: hostname: %w", s.Name, err)
		}
	}
	if s.Port < 0 || s.Port > 65535 {
		return fmt.Errorf("host %q: port %d: want 1 to 65535, or 0 for a free one", s.Name, s.Port)
	}
	_, _, options, rest, err := ssh.ParseAuthorizedKey([]byte(s.AuthorizedKey))
	if err != nil {
		return fmt.Errorf("host %q: authorized key: want one line like %q: %w", s.Name, "ssh-ed25519 AAAA…", err)
	}
	if len(options) > 0 || len(strings.TrimSpace(string(rest))) > 0 || strings.ContainsAny(strings.TrimSpace(s.AuthorizedKey), "\r\n") {
		return fmt.Errorf("host %q: authorized key: want one line with one key and no options", s.Name)
	}
	return nil
}
