package tuning

import (
	"os"
	"path/filepath"
	"strings"
)

// processes has the id of a process for each program that runs here, by its name as the
// kernel shortens it.
func (h *Host) processes() map[string]string {
	running := map[string]string{}
	for _, path := range h.glob("proc/[0-9]*/comm") {
		if text, err := os.ReadFile(path); err == nil { // else it has just ended
			running[strings.TrimSpace(string(text))] = filepath.Base(filepath.Dir(path))
		}
	}
	return running
}

// shortened is a program's name as the kernel keeps it: its first 15 bytes.
func shortened(name string) string { return name[:min(len(name), 15)] }
