package tuning

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hanzoai/benchlab/tuning/spec"
)

func TestLedgerDocument(t *testing.T) {
	tr := newTree(t)
	tr.apply(spark, sysctlsOf("net.ipv4.tcp_rmem", "4096 131072 33554432"))
	var document map[string]any
	if err := json.Unmarshal([]byte(tr.get("var/lib/benchlab/ledger.json")), &document); err != nil {
		t.Fatal(err)
	}
	entry := document["entries"].([]any)[0].(map[string]any)
	if _, err := time.Parse(time.RFC3339, entry["time"].(string)); err != nil {
		t.Error(err)
	}
	delete(entry, "time")
	want := map[string]any{
		"version": 1.0,
		"claims":  []any{},
		"entries": []any{map[string]any{
			"key":      "sysctl/net.ipv4.tcp_rmem",
			"original": map[string]any{"state": "value", "value": "4096\t131072\t6291456\n"},
			"desired":  "4096 131072 33554432",
			"owner":    map[string]any{"urn": spark.URN, "lab": spark.Lab},
			"bootId":   "boot-1",
		}},
	}
	if d := cmp.Diff(want, document); d != "" {
		t.Error(d)
	}
	if leftover, _ := filepath.Glob(filepath.Join(tr.dir, "*.tmp")); len(leftover) != 0 {
		t.Errorf("left behind: %q", leftover)
	}
}

// The ledger is on the disk with every original before the first value is written.
func TestJournalComesFirst(t *testing.T) {
	tr := newTree(t)
	var seen []Entry
	tr.fault = func(string, []byte) error {
		if seen == nil {
			seen = tr.ledger().Entries
		}
		return nil
	}
	tr.apply(spark, sysctlsOf("net.core.somaxconn", "1", "vm.swappiness", "1"))
	if len(seen) != 2 || seen[0].Original.Value != "4096\n" || seen[1].Original.Value != "60\n" {
		t.Errorf("at the first write the ledger had %+v", seen)
	}
}

func TestLedgerThatCantBeUsed(t *testing.T) {
	for name, tc := range map[string]struct {
		text  string
		words []string
	}{
		"torn":          {`{"version": 1, "entr`, []string{"can't be read", "nothing was changed", "mend"}},
		"empty":         {"", []string{"can't be read", "nothing was changed"}},
		"newer":         {`{"version": 2, "entries": []}`, []string{"version 2", "version 1", "nothing was changed"}},
		"no version":    {`{"version": 0}`, []string{"version 0"}},
		"key twice":     {`{"version": 1, "entries": [{"key": "a", "original": {"state": "value"}}, {"key": "a", "original": {"state": "value"}}]}`, []string{"damaged", `"a"`}},
		"unknown state": {`{"version": 1, "entries": [{"key": "a", "original": {"state": "maybe"}}]}`, []string{"damaged"}},
	} {
		tr := newTree(t)
		tr.put("var/lib/benchlab/ledger.json", tc.text)
		before := tr.snapshot()
		words := append(tc.words, tr.ledgerPath())
		ctx := context.Background()
		_, err := tr.Apply(ctx, spark, sysctlsOf("net.core.somaxconn", "1"), nil)
		mustSay(t, err, words...)
		_, err = tr.Plan(ctx, spark, sysctlsOf("net.core.somaxconn", "1"))
		mustSay(t, err, words...)
		_, err = tr.Restore(ctx, spark)
		mustSay(t, err, words...)
		mustSay(t, tr.Claim(ctx, spark, ClaimHost, "x"), words...)
		if d := cmp.Diff(before, tr.snapshot()); d != "" || tr.get("var/lib/benchlab/ledger.json") != tc.text {
			t.Errorf("%s: something was changed\n%s", name, d)
		}
	}
}

func TestUnknownKeyInTheLedgerStays(t *testing.T) {
	tr := newTree(t)
	tr.put("var/lib/benchlab/ledger.json", `{"version": 1, "entries": [{"key": "nic/eth0/../../../etc/passwd", "original": {"state": "value", "value": "x"}, "owner": {"urn": "u", "lab": "lab-1"}}]}`)
	_, err := tr.RestoreLab(context.Background(), "lab-1")
	mustSay(t, err, "nic/eth0/../../../etc/passwd", "does not know")
	if len(tr.ledger().Entries) != 1 {
		t.Error("the entry was dropped")
	}
}

func TestLedgerThatCantBeWrittenStopsTheApply(t *testing.T) {
	tr := newTree(t)
	before := tr.snapshot()
	// A directory in the place of the temporary file is in root's way too.
	if err := os.MkdirAll(tr.ledgerPath()+".tmp/x", 0o755); err != nil {
		t.Fatal(err)
	}
	_, err := tr.Apply(context.Background(), spark, sysctlsOf("net.core.somaxconn", "1"), nil)
	mustSay(t, err, tr.ledgerPath(), "no value was changed")
	if d := cmp.Diff(before, tr.snapshot()); d != "" {
		t.Error(d)
	}
}

func TestLock(t *testing.T) {
	tr := newTree(t)
	unlock, err := tr.lock(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = tr.Apply(ctx, spark, sysctlsOf("net.core.somaxconn", "1"), nil)
	mustSay(t, err, "ledger.lock", "another benchlab", "nothing was changed")
	unlock()
	tr.apply(spark, sysctlsOf("net.core.somaxconn", "1"))
}

func TestConcurrentAppliesKeepEachOthersEntries(t *testing.T) {
	tr := newTree(t)
	before := tr.snapshot()
	// A Host of its own for each: only the lock on the file is between them.
	var wg sync.WaitGroup
	for i, key := range []string{"net.core.somaxconn", "vm.swappiness", "net.core.rps_sock_flow_entries"} {
		wg.Go(func() {
			h := NewHost(Options{Root: tr.root, LedgerDir: tr.dir})
			owner := spec.Owner{URN: key, Lab: "lab-1"}
			if _, err := h.Apply(context.Background(), owner, sysctlsOf(key, strings.Repeat("1", i+1)), nil); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if l := tr.ledger(); len(l.Entries) != 3 {
		t.Errorf("ledger: %+v", l.Entries)
	}
	if _, err := tr.RestoreLab(context.Background(), "lab-1"); err != nil {
		t.Error(err)
	}
	if d := cmp.Diff(before, tr.snapshot()); d != "" {
		t.Error(d)
	}
}

func TestClaims(t *testing.T) {
	tr := newTree(t)
	ctx := context.Background()
	claim := func(o spec.Owner, kind, name string) {
		t.Helper()
		if err := tr.Claim(ctx, o, kind, name); err != nil {
			t.Error(err)
		}
	}
	release := func(o spec.Owner, kind, name string, want bool) {
		t.Helper()
		if held, err := tr.Release(ctx, o, kind, name); err != nil || held != want {
			t.Errorf("Release(%s, %s %s) = %v, %v; want %v", o.URN, kind, name, held, err, want)
		}
	}
	claim(spark, "unit", "server")
	claim(spark, "unit", "server")
	mustSay(t, tr.Claim(ctx, other, "unit", "server"), "unit server belongs to", spark.URN, "lab-1", "since 20")
	claim(other, "port", "8080")

	claim(spark, ClaimHost, "machine")
	claim(other, ClaimHost, "machine")

	claim(renamed, "unit", "server")
	release(spark, "unit", "server", false)
	release(renamed, "unit", "server", true)
	release(renamed, "unit", "server", false)

	mine, err := tr.Claims("lab-1")
	if err != nil || len(mine) != 1 || mine[0].Kind != ClaimHost || mine[0].Owner != spark {
		t.Errorf("%+v, %v", mine, err)
	}
	if all, err := tr.Claims(""); err != nil || len(all) != 3 {
		t.Errorf("%+v, %v", all, err)
	}
	mustSay(t, tr.Claim(ctx, spark, "", "x"), "must not be empty")
	// Values and claims share the document and leave each other alone.
	tr.apply(spark, sysctlsOf("net.core.somaxconn", "1"))
	tr.restoreOwner(spark)
	if all, err := tr.Claims(""); err != nil || len(all) != 3 {
		t.Errorf("%+v, %v", all, err)
	}
}

// Nobody waits for ever for a benchlab that hangs.
func TestLockPatience(t *testing.T) {
	tr := newTree(t)
	unlock, err := tr.lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	f, err := os.Open(filepath.Join(tr.dir, "ledger.lock"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	mustSay(t, flock(t.Context(), f, time.Millisecond), "ledger.lock for 1ms", "hangs", "nothing was changed")
}
