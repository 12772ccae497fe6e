//go:build linux

package privileged

import (
	"bufio"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/netip"
	"os"
	"strings"
	"syscall"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/sys/unix"
)

const (
	server      = "/usr/sbin/sshd"
	configPath  = "/etc/ssh/benchlab_sshd_config"
	hostKeyPath = "/etc/ssh/ssh_host_ed25519_key"
	keysPath    = "/root/.ssh/authorized_keys"
	logPath     = "/var/log/benchlab-host.log"
)

// config needs no MaxStartups: there is one server process for each connection.
// MaxSessions is raised because its default of 10 refuses the 11th of the many sessions
// that one pooled connection carries. StrictModes would only judge the modes of
// the machine's own directories. internal-sftp needs no path, which differs between
// distributions, and no shell.
const config = `HostKey ` + hostKeyPath + `
AuthorizedKeysFile ` + keysPath + `
PermitRootLogin prohibit-password
AuthenticationMethods publickey
UsePAM no
UseDNS no
StrictModes no
PrintMotd no
MaxSessions 1000
Subsystem sftp internal-sftp
`

// checkServer tells early what a host would fail on late.
func checkServer() error {
	info, err := os.Stat(server)
	if err != nil {
		return fmt.Errorf("%s not found (%w): install the OpenSSH server, e.g. apt-get install openssh-server", server, err)
	}
	if !info.Mode().IsRegular() || info.Mode().Perm()&0o111 == 0 {
		return fmt.Errorf("%s is no program (%s): install the OpenSSH server, e.g. apt-get install openssh-server", server, info.Mode())
	}
	return nil
}

// prepareServer writes what sshd needs, inside the host, and returns the public host
// key in authorized_keys form.
func prepareServer(authorizedKey string) (hostKey string, err error) {
	if _, err := os.Stat(server); err != nil {
		return "", fmt.Errorf("the machine has %s, but not on the file systems that a host is made from (/ and %s): %w",
			server, strings.Join(ownFileSystems, " "), err)
	}
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return "", fmt.Errorf("host key: %w", err)
	}
	block, err := ssh.MarshalPrivateKey(private, "")
	if err != nil {
		return "", fmt.Errorf("host key: %w", err)
	}
	key, err := ssh.NewPublicKey(public)
	if err != nil {
		return "", fmt.Errorf("host key: %w", err)
	}
	hostKey = string(ssh.MarshalAuthorizedKey(key))
	for _, file := range []struct {
		path string
		mode os.FileMode
		text string
	}{
		{configPath, 0o644, config},
		{hostKeyPath, 0o600, string(pem.EncodeToMemory(block))},
		{hostKeyPath + ".pub", 0o644, hostKey},
		{keysPath, 0o600, strings.TrimSpace(authorizedKey) + "\n"},
		{logPath, 0o600, ""},
	} {
		if err := replaceFile(file.path, file.mode, file.text); err != nil {
			return "", err
		}
	}
	return strings.TrimSpace(hostKey), nil
}

// serve accepts connections and starts a server inside the host for each, with file as
// its log. It returns only when the listener fails for good.
func serve(listener int, file *os.File) error {
	diagnosis := log.New(file, "", log.LstdFlags)
	// The maker's runtime had it non-blocking; this thread has nothing else to do.
	if err := unix.SetNonblock(listener, false); err != nil {
		return fmt.Errorf("listener: %w", err)
	}
	for {
		conn, _, err := unix.Accept4(listener, unix.SOCK_CLOEXEC)
		switch {
		case errors.Is(err, unix.EINTR), errors.Is(err, unix.ECONNABORTED):
			continue
		case errors.Is(err, unix.EMFILE), errors.Is(err, unix.ENFILE), errors.Is(err, unix.ENOBUFS), errors.Is(err, unix.ENOMEM):
			time.Sleep(100 * time.Millisecond) // the machine is short of something; it will pass
			continue
		case err != nil:
			return fmt.Errorf("accept: %w", err)
		}
		if err := startServer(conn, file); err != nil {
			diagnosis.Printf("%s: %v", server, err)
		}
		if err := unix.Close(conn); err != nil {
			diagnosis.Printf("closing a connection handed on: %v", err)
		}
	}
}

// startServer gives a connection to a new server. Nobody waits for it but reap.
func startServer(conn int, file *os.File) error {
	_, err := syscall.ForkExec(server, []string{server, "-i", "-e", "-f", configPath}, &syscall.ProcAttr{
		Dir:   "/",
		Env:   sessionEnv,
		Files: []uintptr{uintptr(conn), uintptr(conn), file.Fd()},
		// A session of its own: a signal to a whole process group stays in it.
		Sys: &syscall.SysProcAttr{Setsid: true},
	})
	return err
}

// readBanner makes sure that an SSH server answers.
func readBanner(address netip.AddrPort, deadline time.Time) (err error) {
	conn, err := net.DialTimeout("tcp4", address.String(), time.Until(deadline))
	if err != nil {
		return fmt.Errorf("SSH server: %w", err)
	}
	defer closeAll(&err, conn)
	if err := conn.SetDeadline(deadline); err != nil {
		return fmt.Errorf("SSH server: %w", err)
	}
	// The whole line, at most 255 bytes (RFC 4253): with some of it unread, closing the
	// connection would look like a broken one to the server, which logs that.
	line, err := bufio.NewReader(io.LimitReader(conn, 255)).ReadString('\n')
	if err != nil {
		return fmt.Errorf("SSH server on %s: no banner: %w", address, err)
	}
	if !strings.HasPrefix(line, "SSH-2.0-") {
		return fmt.Errorf("SSH server on %s: banner is %q, want SSH-2.0-…", address, line)
	}
	return nil
}

// serverLog returns the end of the host's log, to go behind an error.
func serverLog(pid int) string {
	text, err := readInHost(pid, logPath)
	if err != nil || len(text) == 0 {
		return ""
	}
	return "; it says: " + strings.TrimSpace(string(text[max(0, len(text)-1000):]))
}
