// Package tuning reads, writes and puts back the kernel and device values of the host
// it runs on. It turns tunables into an ordered list of settings, keeps the original of
// each in a ledger on the host before the first write, and restores from that ledger.
//
// It works on local files; it knows neither SSH nor Pulumi, and nothing of the lab that
// wants the values but the name of the owner.
package tuning

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/hanzoai/benchlab/tuning/ethtool"
)

// DefaultLedgerDir is where the ledger of originals lives on a host.
const DefaultLedgerDir = "/var/lib/benchlab"

// Host is the host that this process runs on: its kernel files and its ledger. Its
// methods may be called concurrently, also from several processes.
type Host struct {
	root  string
	dir   string
	files files
	// dialEthtool opens a client of the kernel's ethtool in the host's network namespace.
	dialEthtool func() (*ethtool.Client, error)
}

// Options says where a Host finds its files. The zero value is the running system.
type Options struct {
	// Root is the directory that proc and sys are looked for in; empty means "/".
	Root string
	// LedgerDir is the directory of the ledger; empty means DefaultLedgerDir. It must be
	// on a local file system that outlives a reboot, as it is all that knows the
	// originals when a lab's state is lost.
	LedgerDir string
}

// NewHost does no I/O.
func NewHost(o Options) *Host {
	h := &Host{root: o.Root, dir: o.LedgerDir, files: system{}, dialEthtool: ethtool.Dial}
	if h.root == "" {
		h.root = "/"
	}
	if h.dir == "" {
		h.dir = DefaultLedgerDir
	}
	return h
}

// path is where a file of the running system is found below the host's root.
func (h *Host) path(elements ...string) string {
	return filepath.Join(append([]string{h.root}, elements...)...)
}

// bootID is the kernel's UUID of the running boot (random(4)).
func (h *Host) bootID() (string, error) {
	path := h.path("proc/sys/kernel/random/boot_id")
	text, err := h.files.read(path)
	if err != nil {
		return "", fmt.Errorf("boot id: %w; is /proc mounted?", err)
	}
	return strings.TrimSpace(string(text)), nil
}
