package agent

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
)

// uploaded is how the provider names what it brings here: program, half a SHA-256, and
// the rest of an upload that was cut short. Nothing else in the directory is ours.
var uploaded = regexp.MustCompile(`^.+-[0-9a-f]{16}(\.[0-9]+\.part)?$`)

// removeUploads removes the uploads, this program among them, and the directories that
// were made for them.
func removeUploads() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	return removeUploadsIn(filepath.Dir(self))
}

func removeUploadsIn(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) { // it was below the ledger's
		return nil
	}
	if err != nil {
		return fmt.Errorf("uploads: %w", err)
	}
	left := 0
	for _, entry := range entries {
		if !entry.Type().IsRegular() || !uploaded.MatchString(entry.Name()) {
			left++
			continue
		}
		if err := os.Remove(filepath.Join(dir, entry.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("uploads: %w", err)
		}
	}
	if left > 0 {
		return nil
	}
	if err := os.Remove(dir); err != nil {
		return fmt.Errorf("uploads: %w", err)
	}
	// The directory above stays if something else is in it.
	_ = os.Remove(filepath.Dir(dir))
	return nil
}
