//go:build linux

package namespace_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/crypto/ssh"

	"github.com/hanzoai/benchlab/hosts/namespace"
)

// The helper program and the client's key, made by TestMain.
var helper, identity, authorizedKey string

// TestMain builds the helper. The tests work as root, and as a user who may "sudo -n".
func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == "init" {
		// An impostor of TestImpostor's, which says that it is up, and ends with its stdin.
		if err := os.WriteFile("/proc/self/comm", []byte("benchlab-netns"), 0); err == nil {
			fmt.Println("up")
		}
		_, _ = io.Copy(io.Discard, os.Stdin)
		return
	}
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "benchlab-namespace-test-")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer func() { _ = os.RemoveAll(dir) }()
		helper, identity = filepath.Join(dir, "benchlab-netns"), filepath.Join(dir, "id")
		build := exec.Command("go", "build", "-o", helper, "./benchlab-netns")
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n%s", build, err, out)
			return 1
		}
		if authorizedKey, err = namespace.NewIdentity(identity); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return m.Run()
	}())
}

// unique returns a host name that no other run of these tests has.
func unique(t *testing.T, name string) string {
	t.Helper()
	suffix := make([]byte, 4)
	if _, err := rand.Read(suffix); err != nil {
		t.Fatal(err)
	}
	return name + "-" + hex.EncodeToString(suffix)
}

// create makes a host that is gone when the test is over.
func create(t *testing.T, spec namespace.Spec) namespace.State {
	t.Helper()
	machine := namespace.New(helper)
	deleteLater(t, spec.Name)
	spec.AuthorizedKey = authorizedKey
	state, err := machine.Create(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	return state
}

func deleteLater(t *testing.T, name string) {
	t.Helper()
	t.Cleanup(func() {
		if err := namespace.New(helper).Delete(context.Background(), name); err != nil {
			t.Error(err)
		}
	})
}

func inspect(t *testing.T, name string) (namespace.State, bool) {
	t.Helper()
	state, found, err := namespace.New(helper).Inspect(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return state, found
}

// clientConfig logs in as root and pins the host's key.
func clientConfig(t *testing.T, state namespace.State) *ssh.ClientConfig {
	t.Helper()
	text, err := os.ReadFile(identity)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.ParsePrivateKey(text)
	if err != nil {
		t.Fatal(err)
	}
	hostKey, _, _, _, err := ssh.ParseAuthorizedKey([]byte(state.HostKey))
	if err != nil {
		t.Fatal(err)
	}
	return &ssh.ClientConfig{
		User: "root", Auth: []ssh.AuthMethod{ssh.PublicKeys(signer)},
		HostKeyCallback: ssh.FixedHostKey(hostKey), Timeout: 20 * time.Second,
	}
}

func dial(t *testing.T, state namespace.State) *ssh.Client {
	t.Helper()
	client, err := ssh.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", state.Port), clientConfig(t, state))
	if err != nil {
		t.Fatalf("host %s: %v", state.Name, err)
	}
	t.Cleanup(func() {
		if err := client.Close(); err != nil && !errors.Is(err, net.ErrClosed) && !errors.Is(err, io.EOF) {
			t.Error(err)
		}
	})
	return client
}

// sh runs a command in a host and returns what it prints, without the last newline.
func sh(t *testing.T, client *ssh.Client, command string) string {
	t.Helper()
	session, err := client.NewSession()
	if err != nil {
		t.Fatalf("%s: %v", command, err)
	}
	defer func() { _ = session.Close() }() // EOF: it ended with the command
	out, err := session.CombinedOutput(command)
	if err != nil {
		t.Fatalf("%s: %v: %s", command, err, out)
	}
	return strings.TrimSuffix(string(out), "\n")
}

// asRoot is a command to run as root.
func asRoot(args ...string) *exec.Cmd {
	if os.Geteuid() != 0 {
		args = append([]string{"sudo", "-n", "--"}, args...)
	}
	return exec.Command(args[0], args[1:]...)
}

// createUnder runs "benchlab-netns create" behind shell commands that change the machine
// for it: in a mount namespace of its own, so for it alone. No mount of the host's may
// come back to that.
func createUnder(t *testing.T, setup string, spec namespace.Spec) (state namespace.State, stderr string, err error) {
	t.Helper()
	deleteLater(t, spec.Name)
	spec.AuthorizedKey = authorizedKey
	request, err := json.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	cmd := asRoot("unshare", "--mount", "sh", "-ec", "exec 9<\"$0\"; "+setup+"\n/proc/self/fd/9 create\n! grep benchlab-netns /proc/self/mountinfo >&2", helper)
	var out, diagnosis bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(request), &out, &diagnosis
	if err := cmd.Run(); err != nil {
		return state, diagnosis.String(), err
	}
	if err := json.Unmarshal(out.Bytes(), &state); err != nil {
		t.Fatalf("%q: %v", out.String(), err)
	}
	return state, diagnosis.String(), nil
}

// eventually waits for what the kernel does in its own time.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !ok(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not so after a minute", what)
		}
	}
}

func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}
