//go:build linux

package namespace_test

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pkg/sftp"
	"golang.org/x/crypto/ssh"

	"github.com/hanzoai/benchlab/hosts/namespace"
)

func TestTwoHosts(t *testing.T) {
	t.Setenv("BENCHLAB_TEST_LEAK", "1") // no host may see it
	names := [2]string{unique(t, "spark"), unique(t, "evo")}
	var states [2]namespace.State
	start := time.Now()
	for i, hostname := range []string{"spark", "evo"} {
		states[i] = create(t, namespace.Spec{Name: names[i], Hostname: hostname})
	}
	t.Logf("two hosts up in %v", time.Since(start))
	spark, evo := dial(t, states[0]), dial(t, states[1])

	t.Run("state", func(t *testing.T) {
		for i, state := range states {
			again, found := inspect(t, names[i])
			equal(t, "found", found, true)
			equal(t, "state", again, state)
			equal(t, "alive", state.Alive, true)
		}
	})
	t.Run("identity", func(t *testing.T) {
		equal(t, "hostname", sh(t, spark, "hostname; cat /etc/hostname"), "spark\nspark")
		equal(t, "hostname", sh(t, evo, "uname -n"), "evo")
		ids := map[string]bool{}
		for _, client := range []*ssh.Client{spark, evo} {
			id := sh(t, client, "cat /etc/machine-id")
			if len(id) != 32 || strings.Trim(id, "0123456789abcdef") != "" {
				t.Errorf("machine-id %q: want 32 hex digits", id)
			}
			ids[id] = true
		}
		machine, err := os.ReadFile("/etc/machine-id")
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		ids[strings.TrimSpace(string(machine))] = true
		equal(t, "different machine-ids", len(ids), 3)
		if states[0].HostKey == states[1].HostKey {
			t.Error("both hosts have one host key")
		}
		equal(t, "host keys in /etc/ssh", sh(t, spark, "ls /etc/ssh | grep ssh_host_"), "ssh_host_ed25519_key\nssh_host_ed25519_key.pub")
	})
	t.Run("environment", func(t *testing.T) {
		equal(t, "leaked", sh(t, spark, "env | grep -c BENCHLAB || true"), "0")
		equal(t, "HOME, place, umask and open files", sh(t, spark, "echo $HOME; pwd; umask; ulimit -Sn"), "/root\n/root\n0022\n1024")
		equal(t, "PID 1", sh(t, spark, `tr '\0' ' ' < /proc/1/cmdline; cat /proc/1/comm`),
			fmt.Sprintf("benchlab-netns init %s 127.0.0.1:%d benchlab-netns", names[0], states[0].Port))
	})
	t.Run("homes are hidden", func(t *testing.T) {
		equal(t, "/root and /home", sh(t, spark, "ls -A /root /home"), "/home:\n\n/root:\n.ssh")
	})
	t.Run("devices", func(t *testing.T) {
		equal(t, "/dev", sh(t, spark, "echo gone > /dev/null; head -c 4 /dev/zero | wc -c; head -c 4 /dev/urandom | wc -c; echo in | cat /dev/stdin; ls /dev/shm /dev/pts"),
			"4\n4\nin\n/dev/pts:\nptmx\n\n/dev/shm:")
	})
	t.Run("terminal", func(t *testing.T) {
		session, err := spark.NewSession()
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = session.Close() }()
		if err := session.RequestPty("xterm", 24, 80, ssh.TerminalModes{}); err != nil {
			t.Fatal(err)
		}
		out, err := session.Output("tty && stty size")
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "terminal", string(out), "/dev/pts/0\r\n24 80\r\n")
	})
	t.Run("files stay in their host", func(t *testing.T) {
		for _, dir := range []string{"/etc", "/var", "/usr/local", "/tmp", "/run", "/root", "/"} {
			path := filepath.Join(dir, names[0]+".mark")
			sh(t, spark, "echo mark > "+path)
			equal(t, path+" on evo", sh(t, evo, "test -e "+path+" && echo there || echo absent"), "absent")
			if err := asRoot("test", "!", "-e", path).Run(); err != nil {
				t.Errorf("%s is on the machine (%v)", path, err)
			}
		}
		// A file of the machine, changed in a host, is as it was on the machine.
		before, err := os.ReadFile("/etc/passwd")
		if err != nil {
			t.Fatal(err)
		}
		sh(t, spark, "echo x:x:9:9::/:/bin/false >> /etc/passwd; rm /etc/group")
		if after, err := os.ReadFile("/etc/passwd"); err != nil || string(after) != string(before) {
			t.Errorf("the machine's /etc/passwd has changed (error %v)", err)
		}
		if _, err := os.Stat("/etc/group"); err != nil {
			t.Error(err)
		}
	})
	t.Run("only its own interfaces and processes", func(t *testing.T) {
		equal(t, "NICs", sh(t, spark, "ls /sys/class/net; cat /sys/class/net/lo/flags"), "lo\n0x9")
		equal(t, "PID 1 and few others", sh(t, spark, "ls -d /proc/[1-9]* | wc -l | grep -cx '[1-9]'"), "1")
	})
	t.Run("SFTP", func(t *testing.T) {
		files, err := sftp.NewClient(spark)
		if err != nil {
			t.Fatal(err)
		}
		file, err := files.Create("/root/file")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(file, "text"); err != nil {
			t.Error(err)
		}
		if err := file.Close(); err != nil {
			t.Error(err)
		}
		if err := files.Close(); err != nil {
			t.Error(err)
		}
		equal(t, "file", sh(t, spark, "cat /root/file"), "text")
	})
	t.Run("many sessions on one connection", func(t *testing.T) {
		var sessions []*ssh.Session
		for range 40 { // sshd's own limit is 10
			session, err := spark.NewSession()
			if err != nil {
				t.Fatalf("session %d: %v", len(sessions)+1, err)
			}
			sessions = append(sessions, session)
		}
		for _, session := range sessions {
			if err := session.Close(); err != nil {
				t.Error(err)
			}
		}
	})
	t.Run("ssh", func(t *testing.T) {
		known := filepath.Join(t.TempDir(), "known_hosts")
		line := fmt.Sprintf("[127.0.0.1]:%d %s\n", states[1].Port, states[1].HostKey)
		if err := os.WriteFile(known, []byte(line), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command("ssh", "-F", "none", "-p", fmt.Sprint(states[1].Port), "-i", identity,
			"-o", "BatchMode=yes", "-o", "IdentitiesOnly=yes", "-o", "StrictHostKeyChecking=yes", "-o", "UserKnownHostsFile="+known,
			"root@127.0.0.1", "hostname").CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		equal(t, "hostname", string(out), "evo\n")
	})
	t.Run("a stranger's key", func(t *testing.T) {
		config := clientConfig(t, states[0])
		config.Auth = []ssh.AuthMethod{ssh.Password(""), ssh.PublicKeys(strangerKey(t))}
		if client, err := ssh.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", states[0].Port), config); err == nil {
			t.Error("a key that isn't authorized gets in")
			_ = client.Close()
		} else if !strings.Contains(err.Error(), "attempted methods [none publickey]") {
			t.Errorf("more than a key may be tried: %v", err)
		}
	})
	t.Run("the name is taken", func(t *testing.T) {
		_, err := namespace.New(helper).Create(t.Context(), namespace.Spec{Name: names[0], AuthorizedKey: authorizedKey})
		want := fmt.Sprintf("runs already as PID %d", states[0].PID)
		if err == nil || !strings.Contains(err.Error(), names[0]) || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want one with %q and %q", err, names[0], want)
		}
		if state, _ := inspect(t, names[0]); state.PID != states[0].PID {
			t.Errorf("PID %d, want %d still", state.PID, states[0].PID)
		}
	})
}

func strangerKey(t *testing.T) ssh.Signer {
	t.Helper()
	path := filepath.Join(t.TempDir(), "stranger")
	if _, err := namespace.NewIdentity(path); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.ParsePrivateKey(text)
	if err != nil {
		t.Fatal(err)
	}
	return signer
}

// Of creates that race for one name, one wins, and its host is the one that stands.
func TestCreateRace(t *testing.T) {
	name := unique(t, "race")
	deleteLater(t, name)
	var (
		group  sync.WaitGroup
		mu     sync.Mutex
		winner []namespace.State
	)
	for range 6 {
		group.Go(func() {
			state, err := namespace.New(helper).Create(t.Context(), namespace.Spec{Name: name, AuthorizedKey: authorizedKey})
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				winner = append(winner, state)
			} else if !strings.Contains(err.Error(), "runs already as PID") && !strings.Contains(err.Error(), "another create of that name is under way") {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if len(winner) != 1 {
		t.Fatalf("%d creates have won, want 1: %+v", len(winner), winner)
	}
	state, found := inspect(t, name)
	equal(t, "found", found, true)
	equal(t, "state", state, winner[0])
}

func TestWantedPort(t *testing.T) {
	first := create(t, namespace.Spec{Name: unique(t, "first")})
	second := unique(t, "second")
	deleteLater(t, second)
	spec := namespace.Spec{Name: second, AuthorizedKey: authorizedKey, Port: first.Port}
	_, err := namespace.New(helper).Create(t.Context(), spec)
	if err == nil || !strings.Contains(err.Error(), "address already in use") || !strings.Contains(err.Error(), fmt.Sprint(first.Port)) {
		t.Errorf("over a taken port: got error %v", err)
	}
	// Made again, a host is where it was.
	if err := namespace.New(helper).Delete(t.Context(), first.Name); err != nil {
		t.Fatal(err)
	}
	again := create(t, namespace.Spec{Name: first.Name, Port: first.Port})
	equal(t, "port", again.Port, first.Port)
	equal(t, "whoami", sh(t, dial(t, again), "whoami"), "root")
}
