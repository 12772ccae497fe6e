package lab

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// packed is text as a Benchmark has it.
func packed(t *testing.T, text string) string {
	t.Helper()
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(zipped.Bytes())
}

func TestWriteTelemetry(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lab.telemetry", "health.json")
	hold := func(want string) os.FileInfo {
		t.Helper()
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("the file has %q, %v; want %q", got, err, want)
		}
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != 0o644 {
			t.Fatalf("mode %v, %v", info, err)
		}
		return info
	}
	if err := writeTelemetry(path, packed(t, "first\n")); err != nil {
		t.Fatal(err)
	}
	hold("first\n")
	// What is there already is left alone.
	old := time.Now().Add(-time.Hour).Truncate(time.Second)
	if err := os.Chtimes(path, old, old); err != nil {
		t.Fatal(err)
	}
	if err := writeTelemetry(path, packed(t, "first\n")); err != nil {
		t.Fatal(err)
	}
	if info := hold("first\n"); !info.ModTime().Equal(old) {
		t.Error("the same text was written again")
	}
	if err := writeTelemetry(path, packed(t, "second\n")); err != nil {
		t.Fatal(err)
	}
	hold("second\n")
	whole := packed(t, "third\n")
	for name, broken := range map[string]string{"no base64": "?", "no gzip": "QUJD", "cut short": whole[:len(whole)-8]} {
		if err := writeTelemetry(path, broken); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	hold("second\n")
	if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}
