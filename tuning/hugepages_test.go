package tuning

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hanzoai/benchlab/tuning/spec"
)

const thpDir = "sys/kernel/mm/transparent_hugepage/"

func TestHugepages(t *testing.T) {
	tr := newTree(t)
	wanted := spec.Tunables{Hugepages: &spec.Hugepages{Enabled: "never", Defrag: "defer+madvise"}}
	if d := cmp.Diff([]string{"hugepages/enabled unsupported", "hugepages/defrag unsupported"}, statuses(tr.apply(spark, wanted))); d != "" {
		t.Errorf("a kernel without them: %s", d)
	}
	tr.put(thpDir+"enabled", "always [madvise] never\n")
	tr.put(thpDir+"defrag", "always defer defer+madvise [madvise] never\n")
	before := tr.snapshot()
	r := tr.apply(spark, wanted)
	if s := setting1(t, r, "hugepages/enabled"); s.Status != spec.Applied || s.Original != "madvise" || s.Live != "never" {
		t.Errorf("%+v", s)
	}
	if got := tr.get(thpDir + "defrag"); got != "always defer [defer+madvise] madvise never\n" {
		t.Errorf("defrag is %q", got)
	}
	if r := tr.apply(spark, wanted); r.Writes != 0 {
		t.Errorf("second apply: %+v", r)
	}
	tr.put(thpDir+"enabled", "[always] madvise never\n")
	if s := setting1(t, tr.plan(spark, wanted), "hugepages/enabled"); s.Status != spec.Differs || s.Live != "always" {
		t.Errorf("drift: %+v", s)
	}
	mustWarn(t, tr.restoreOwner(spark), "hugepages/enabled", `"always"`)
	if d := cmp.Diff(before, tr.snapshot()); d != "" {
		t.Error(d)
	}
}

func TestHugepagesNotOffered(t *testing.T) {
	tr := newTree(t)
	tr.put(thpDir+"defrag", "always [madvise] never\n") // before Linux 4.12
	wanted := sysctlsOf("net.core.somaxconn", "1")
	wanted.Hugepages = &spec.Hugepages{Defrag: "defer+madvise"}
	_, err := tr.Apply(context.Background(), spark, wanted, nil)
	mustSay(t, err, "hugepages/defrag", thpDir+"defrag", `"defer+madvise"`, "always, madvise, never")
	if len(tr.writes) != 0 {
		t.Errorf("written: %q", tr.writes)
	}
	tr.becomeNamespace()
	if s := setting1(t, tr.apply(spark, wanted), "hugepages/defrag"); s.Status != spec.Unsupported || s.Live != "madvise" {
		t.Errorf("%+v", s)
	}
}

func TestParseChoice(t *testing.T) {
	for _, tc := range []struct {
		text, chosen string
		offered      []string
		ok           bool
	}{
		{"always [madvise] never\n", "madvise", []string{"always", "madvise", "never"}, true},
		{"[none]", "none", []string{"none"}, true},
		{"none [mq-deadline] kyber ", "mq-deadline", []string{"none", "mq-deadline", "kyber"}, true},
		{"60\n", "", nil, false},
		{"[a] [b]", "", nil, false},
		{"[] a", "", nil, false},
		{"[a", "", nil, false},
		{"", "", nil, false},
	} {
		chosen, offered, ok := parseChoice(tc.text)
		if chosen != tc.chosen || ok != tc.ok || ok && !cmp.Equal(offered, tc.offered) {
			t.Errorf("%q: %q, %q, %t", tc.text, chosen, offered, ok)
		}
	}
}
