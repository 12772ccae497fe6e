package hostspec

import (
	"cmp"
	"strconv"
	"strings"
)

// Command is the OpenSSH command line that logs in to the host, with its key verified
// the same way. It is quoted for a POSIX shell. User and Port should be those that
// SSHConfig has been asked for: what stands in a command line wins over it.
func (c Connection) Command() string {
	words := []string{"ssh", "-p", strconv.Itoa(cmp.Or(c.Port, 22))}
	if c.SSHConfig != "" {
		words = append(words, "-F", c.SSHConfig)
	}
	if c.Jump == None {
		words = append(words, "-o", "ProxyJump=none")
	} else if c.Jump != "" {
		words = append(words, "-J", c.Jump)
	}
	if c.Identity != "" {
		words = append(words, "-i", c.Identity, "-o", "IdentitiesOnly=yes")
	}
	if c.HostKey != "" {
		words = append(words, "-o", "StrictHostKeyChecking=yes",
			"-o", "UserKnownHostsFile=/dev/null", "-o", "GlobalKnownHostsFile=/dev/null",
			"-o", "KnownHostsCommand=/bin/echo %H "+c.publicKey())
	} else if c.KnownHosts != "" || c.HostKeyCheck != "" {
		check := "yes"
		if c.HostKeyCheck != "" {
			check = c.HostKeyCheck
		}
		words = append(words, "-o", "StrictHostKeyChecking="+check)
	}
	if c.HostKey == "" && c.KnownHosts != "" {
		words = append(words, "-o", "GlobalKnownHostsFile=/dev/null", "-o", `UserKnownHostsFile="`+percent(c.KnownHosts)+`"`)
	}
	words = append(words, c.LoginUser()+"@"+c.Address)
	for i, w := range words {
		words[i] = shellWord(w)
	}
	return strings.Join(words, " ")
}

// publicKey is the pinned key without its comment.
func (c Connection) publicKey() string {
	key := strings.Fields(c.HostKey)
	return strings.Join(key[:min(2, len(key))], " ")
}

// percent keeps ssh from expanding a percent sign (of an IPv6 zone, say) as a token.
func percent(s string) string { return strings.ReplaceAll(s, "%", "%%") }

// shellWord quotes a word for a POSIX shell where it has to be. ssh itself expands a
// leading ~/.
func shellWord(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=@%+,", r)
	}
	if s != "" && strings.TrimFunc(s, plain) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
