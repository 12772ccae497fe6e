package lab

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

// TestDescribe holds what each valid file makes, in words, against the text beside it.
func TestDescribe(t *testing.T) {
	files, err := filepath.Glob("testdata/valid/*.hcl")
	if err != nil || len(files) == 0 {
		t.Fatalf("no valid files: %v", err)
	}
	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".hcl"), func(t *testing.T) {
			d, err := Load(path)
			if err != nil {
				t.Fatal(err)
			}
			var got strings.Builder
			if err := d.Describe(&got); err != nil {
				t.Fatal(err)
			}
			golden(t, path, got.String())
		})
	}
}

// full is a disk that has no room left.
type full struct{}

var errFull = errors.New("no space left on device")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestDescribeFails(t *testing.T) {
	d, err := Load("testdata/valid/everything.hcl")
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Describe(full{}); !errors.Is(err, errFull) {
		t.Errorf("got %v, want %v", err, errFull)
	}
}
