package tuning

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/hanzoai/benchlab/tuning/spec"
)

// ledgerVersion is the version of the document that this package reads and writes.
const ledgerVersion = 1

// Ledger is the host's journal: the original of every value that a lab changed, and
// all else that labs claim here. It is kept as <dir>/ledger.json.
type Ledger struct {
	Version int `json:"version"`
	// Entries in the order of their first write; they are restored backwards.
	Entries []Entry `json:"entries"`
	Claims  []Claim `json:"claims"`
}

// Entry is what the ledger knows of one setting.
type Entry struct {
	// Key is canonical: "sysctl/net.core.somaxconn", "nic/eth0/rx-0/rps_cpus".
	Key string `json:"key"`
	// Original is what was found before the first write. It is never taken again.
	Original Original `json:"original"`
	// Desired is what the owner wants, in canonical text.
	Desired string `json:"desired"`
	// Settled is what the kernel made of Desired where that is another value.
	Settled string     `json:"settled,omitempty"`
	Owner   spec.Owner `json:"owner"`
	// Resets are the originals of what the first write of this value was going to reset.
	Resets []Reset `json:"resets,omitempty"`
	// Persist is true where Boot is to bring Desired back after a reboot.
	Persist bool `json:"persist,omitempty"`
	// Suspended is true while the original is back for a comparison.
	Suspended bool `json:"suspended,omitempty"`
	// HandedFrom is the URN that owned the entry before, within the same lab.
	HandedFrom string `json:"handedFrom,omitempty"`
	// BootID is that of the boot in which Original was found.
	BootID string    `json:"bootId"`
	Time   time.Time `json:"time"`
}

// Reset is the original of a value that nobody wants but that another one's write resets.
type Reset struct {
	Key string `json:"key"`
	// Value holds the exact bytes that were read.
	Value string `json:"value"`
}

// Ledger reads the host's ledger. A host without one has an empty one.
func (h *Host) Ledger() (Ledger, error) {
	empty := Ledger{Version: ledgerVersion, Entries: []Entry{}, Claims: []Claim{}}
	path := h.ledgerPath()
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return empty, nil
	}
	if err != nil {
		return Ledger{}, fmt.Errorf("ledger: %w", err)
	}
	l := empty
	if err := json.Unmarshal(text, &l); err != nil {
		return Ledger{}, fmt.Errorf("ledger %s can't be read (%w); nothing was changed; mend the file, or move it away if its originals need not come back", path, err)
	}
	if l.Version != ledgerVersion {
		return Ledger{}, fmt.Errorf("ledger %s has version %d and this benchlab knows version %d; nothing was changed; use the benchlab that wrote it", path, l.Version, ledgerVersion)
	}
	seen := map[string]bool{}
	for _, e := range l.Entries {
		if e.Key == "" || seen[e.Key] || !slices.Contains([]State{Value, Unset, Unreadable, Missing}, e.Original.State) {
			return Ledger{}, fmt.Errorf("ledger %s is damaged at entry %q; nothing was changed; mend the file, or move it away if its originals need not come back", path, e.Key)
		}
		seen[e.Key] = true
	}
	return l, nil
}

// lockedLedger waits for the lock and reads the ledger under it.
func (h *Host) lockedLedger(ctx context.Context) (l Ledger, unlock func(), err error) {
	if unlock, err = h.lock(ctx); err != nil {
		return Ledger{}, nil, err
	}
	if l, err = h.Ledger(); err != nil {
		unlock()
		return Ledger{}, nil, err
	}
	return l, unlock, nil
}

func (h *Host) ledgerPath() string { return filepath.Join(h.dir, "ledger.json") }

// save replaces the ledger so that a crash at any moment leaves the old one or the new
// one whole on the disk. It must be called under the lock.
func (h *Host) save(l Ledger) error {
	text, err := json.MarshalIndent(l, "", "  ")
	if err != nil {
		return fmt.Errorf("ledger: %w", err)
	}
	path := h.ledgerPath()
	if err := replaceFile(path, append(text, '\n')); err != nil {
		return fmt.Errorf("ledger %s could not be written (%w); is the disk full or read-only?", path, err)
	}
	return nil
}

func replaceFile(path string, text []byte) (err error) {
	f, err := os.OpenFile(path+".tmp", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(path+".tmp", path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(path+".tmp"))
	}
	// The rename itself must be on the disk before the first kernel write.
	return syncDir(filepath.Dir(path))
}

func syncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// saveChanged saves a ledger unless it is what the disk has.
func (h *Host) saveChanged(onDisk, l Ledger) error {
	before, err := json.Marshal(onDisk)
	if err != nil {
		return fmt.Errorf("ledger: %w", err)
	}
	after, err := json.Marshal(l)
	if err != nil {
		return fmt.Errorf("ledger: %w", err)
	}
	if bytes.Equal(before, after) {
		return nil
	}
	return h.save(l)
}

// clone shares nothing with the original document.
func (l Ledger) clone() Ledger {
	l.Entries = append([]Entry{}, l.Entries...)
	l.Claims = append([]Claim{}, l.Claims...)
	return l
}

// entry is the entry of a key, or nil. The pointer is good until an entry is added or
// dropped.
func (l *Ledger) entry(key string) *Entry {
	for i := range l.Entries {
		if l.Entries[i].Key == key {
			return &l.Entries[i]
		}
	}
	return nil
}

// original is what to enter of a value that was found now. Where it is ours already, or
// was reset by what is ours, its true original is in the ledger; but not where a boot came
// in between.
func (l *Ledger) original(o observed, bootID string) Original {
	if e := l.entry(o.key); e != nil && e.BootID == bootID {
		return e.Original
	}
	for _, e := range l.Entries {
		at := slices.IndexFunc(e.Resets, func(r Reset) bool { return r.Key == o.key })
		if at >= 0 && e.BootID == bootID {
			return Original{State: Value, Value: e.Resets[at].Value}
		}
	}
	return o.before
}

// resets is what to enter of values that are about to be reset.
func (l *Ledger) resets(beside []observed, bootID string) []Reset {
	var all []Reset
	for _, o := range beside {
		if original := l.original(o, bootID); original.State == Value {
			all = append(all, Reset{Key: o.key, Value: original.Value})
		}
	}
	return all
}

func (l *Ledger) drop(key string) {
	l.Entries = slices.DeleteFunc(l.Entries, func(e Entry) bool { return e.Key == key })
}

// ours says whether the live value is the one that the entry's owner gave it.
func (e *Entry) ours(k knob, live Original) bool {
	return k.same(e.Desired, live) || (e.Settled != "" && k.same(e.Settled, live))
}

// taken is the error of a second lab.
func (e *Entry) taken() error {
	return fmt.Errorf("%s belongs to %s since %s, and one value has one owner; take it out of one of the labs, destroy that lab, or end it on this host with: benchlab-agent restore %s",
		e.Key, e.Owner, e.Time.Format(time.RFC3339), e.Owner.Lab)
}
