package provider

import (
	"errors"
	"strings"
	"testing"

	"github.com/hanzoai/benchlab/hosts"
	"github.com/hanzoai/benchlab/hosts/hosttest"
)

func TestMain(m *testing.M) { hosttest.Main(m) }

// newLab is what the resources of a run share, closed when the test is over.
func newLab(t *testing.T) *lab {
	t.Helper()
	l := &lab{pool: hosts.NewPool(hosts.Binaries(hosttest.Programs()), nil), machine: hosttest.Machine()}
	t.Cleanup(func() {
		if err := l.pool.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

// reference is what other resources know of a host that is a Namespace of the lab.
func reference(t *testing.T, host *hosttest.Host) HostRef {
	t.Helper()
	c := host.Connection
	c.Namespace = namespaceInstance(host.State)
	return HostRef{Connection: Connection{c}, MachineID: host.Run(t, "cat /etc/machine-id"), Lab: "lab-one"}
}

func TestHostIdentity(t *testing.T) {
	host := hosttest.New(t, "spark")
	ref := reference(t, host)
	l := newLab(t)
	if _, err := l.host(t.Context(), ref); err != nil {
		t.Fatal(err)
	}
	other := ref
	other.MachineID = "0123456789abcdef0123456789abcdef"
	_, err := l.host(t.Context(), other)
	if err == nil || errors.Is(err, errGone) {
		t.Fatalf("another machine: got error %v", err)
	}
	for _, text := range []string{ref.MachineID, other.MachineID, ref.Connection.String(), "pulumi state delete"} {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("no %q in the error: %v", text, err)
		}
	}
}

// Only a namespace host that is provably gone is gone; any other that can't be reached is
// an error.
func TestHostGone(t *testing.T) {
	host := hosttest.New(t, "spark")
	ref := reference(t, host)
	unknown := ref // the same host, of which nobody has said that it is a namespace
	unknown.Connection.Namespace = ""
	wrongKey := ref
	wrongKey.Connection.HostKey = hosttest.AuthorizedKey()
	if _, err := newLab(t).host(t.Context(), wrongKey); err == nil || errors.Is(err, errGone) {
		t.Errorf("a host that stands, with another key: got error %v", err)
	}
	if err := hosttest.Machine().Delete(t.Context(), host.Name); err != nil {
		t.Fatal(err)
	}
	if _, err := newLab(t).host(t.Context(), ref); !errors.Is(err, errGone) || !strings.Contains(err.Error(), ref.Connection.Namespace) {
		t.Errorf("got error %v, want that %s is gone", err, ref.Connection.Namespace)
	}
	if _, err := newLab(t).host(t.Context(), unknown); err == nil || errors.Is(err, errGone) || !strings.Contains(err.Error(), "connection refused") {
		t.Errorf("no namespace: got error %v, want connection refused", err)
	}
}
