package hosts_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hanzoai/benchlab/hosts"
	"github.com/hanzoai/benchlab/hosts/hosttest"
	"github.com/hanzoai/benchlab/tuning/spec"
)

// What the lab has made a host of is in the host's ledger: a link made anew takes the
// place of the one before, and what another lab holds is refused with its name.
func TestClaimsOfLinks(t *testing.T) {
	t.Parallel()
	host := hosttest.New(t, "links")
	h := mustConnect(t, host.Connection)
	claimed := func() (names []string) {
		var ledger struct {
			Claims []struct{ Kind, Name string }
		}
		if err := json.Unmarshal([]byte(host.Run(t, "cat /var/lib/benchlab/ledger.json")), &ledger); err != nil {
			t.Fatal(err)
		}
		for _, c := range ledger.Claims {
			names = append(names, c.Kind+" "+c.Name)
		}
		return names
	}
	for _, step := range []struct {
		links, want []string
	}{
		{[]string{"one", "two"}, []string{"host this", "namespace links/7.1", "link one", "link two"}},
		{[]string{"two", "three"}, []string{"host this", "namespace links/7.1", "link two", "link three"}},
		{nil, []string{"host this", "namespace links/7.1"}},
		{[]string{"three"}, []string{"host this", "namespace links/7.1", "link three"}},
	} {
		if _, _, err := h.Claim(t.Context(), owner, hosts.Claim{Namespace: "links/7.1", Links: step.links}); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(step.want, claimed()); diff != "" {
			t.Errorf("links %q (-want +got):\n%s", step.links, diff)
		}
	}
	other := spec.Owner{URN: "urn:other", Lab: "lab-two"}
	_, _, err := h.Claim(t.Context(), other, hosts.Claim{Links: []string{"three"}})
	if err == nil || !strings.Contains(err.Error(), owner.URN) || !strings.Contains(err.Error(), "link three") {
		t.Errorf("a second lab claims a taken link: %v; want an error that names the link and %s", err, owner.URN)
	}
	if _, err := h.Release(t.Context(), owner); err != nil {
		t.Fatal(err)
	}
}
