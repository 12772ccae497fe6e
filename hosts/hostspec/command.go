package hostspec

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// Command is the OpenSSH command line that logs in to the host, with its key verified
// the same way. It is quoted for a POSIX shell.
func (c Connection) Command() string {
	port := strconv.Itoa(cmp.Or(c.Port, 22))
	words := []string{"ssh", "-p", port}
	if c.Identity != "" {
		words = append(words, "-i", c.Identity, "-o", "IdentitiesOnly=yes")
	}
	if c.HostKey != "" {
		words = append(words, "-o", "StrictHostKeyChecking=yes",
			"-o", "UserKnownHostsFile=/dev/null", "-o", "GlobalKnownHostsFile=/dev/null",
			"-o", "KnownHostsCommand=/bin/echo "+percent(c.knownHost(port)))
	} else if c.KnownHosts != "" {
		words = append(words, "-o", "StrictHostKeyChecking=yes",
			"-o", "GlobalKnownHostsFile=/dev/null", "-o", `UserKnownHostsFile="`+percent(c.KnownHosts)+`"`)
	}
	words = append(words, c.LoginUser()+"@"+c.Address)
	for i, w := range words {
		words[i] = shellWord(w)
	}
	return strings.Join(words, " ")
}

// knownHost is the pinned key as a line of a known_hosts file, without its comment.
func (c Connection) knownHost(port string) string {
	host := c.Address
	if port != "22" {
		host = fmt.Sprintf("[%s]:%s", c.Address, port)
	}
	key := strings.Fields(c.HostKey)
	return host + " " + strings.Join(key[:min(2, len(key))], " ")
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
