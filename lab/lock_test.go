package lab

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func loadLock(t *testing.T, path string) *Lock {
	t.Helper()
	l, err := LoadLock(path)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// A lock file gets the hosts that it has not, and never loses or changes one.
func TestLockRecord(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lab.lock.json")
	spark := map[string]string{"kernel": "6.18.1", "CPU": "Cortex-X925"}
	if added, err := loadLock(t, path).record(map[string]map[string]string{"spark": spark, "silent": nil}); err != nil || !slices.Equal(added, []string{"spark"}) {
		t.Fatalf("added %q, %v", added, err)
	}
	first, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	// A state of an older benchlab has hosts without an identity; such a one is not recorded.
	want := "{\n  \"spark\": {\n    \"CPU\": \"Cortex-X925\",\n    \"kernel\": \"6.18.1\"\n  }\n}\n"
	if string(first) != want {
		t.Errorf("got %s, want %s", first, want)
	}
	changed := map[string]string{"kernel": "6.18.4"}
	if added, err := loadLock(t, path).record(map[string]map[string]string{"spark": changed}); err != nil || added != nil {
		t.Errorf("added %q, %v", added, err)
	}
	if added, err := loadLock(t, path).record(map[string]map[string]string{"spark": changed, "evo": changed}); err != nil || !slices.Equal(added, []string{"evo"}) {
		t.Errorf("added %q, %v", added, err)
	}
	l := loadLock(t, path)
	if diff := cmp.Diff(map[string]map[string]string{"spark": spark, "evo": changed}, l.hosts); diff != "" {
		t.Error(diff)
	}
	// A file for a repository, and nothing beside it.
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

func TestLockDifferences(t *testing.T) {
	l := &Lock{hosts: map[string]map[string]string{"spark": {"kernel": "6.18.1", "CPU": "X925", "NIC eno1 speed": "2500 Mbit/s full"}}}
	got := l.differences("spark", map[string]string{"kernel": "6.18.4", "CPU": "X925", "microcode": "0x2"})
	const end = ": results are of another system; `make lock` accepts it"
	want := []string{
		`host spark: NIC eno1 speed was "2500 Mbit/s full" when this lab was locked, it is not there now` + end,
		`host spark: kernel was "6.18.1" when this lab was locked, it is "6.18.4" now` + end,
		`host spark: microcode was not there when this lab was locked, it is "0x2" now` + end,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for name, now := range map[string]map[string]string{"spark": l.hosts["spark"], "evo": {"kernel": "6.18.4"}} {
		if got := l.differences(name, now); got != nil {
			t.Errorf("%s: got %q", name, got)
		}
	}
	if got := l.differences("spark", nil); got != nil {
		t.Errorf("a host that says nothing: got %q", got)
	}
}

func TestLoadLock(t *testing.T) {
	dir := t.TempDir()
	if l := loadLock(t, filepath.Join(dir, "none.lock.json")); l.hosts != nil {
		t.Errorf("got %v", l.hosts)
	}
	path := filepath.Join(dir, "lab.lock.json")
	for _, text := range []string{"", "{", `{"spark": 7}`, "<<<<<<< HEAD"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := LoadLock(path); err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "repository") {
			t.Errorf("%q: got error %v", text, err)
		}
	}
}
