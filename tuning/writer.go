package tuning

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
)

// writer writes values, counts, and remembers what to undo.
type writer struct {
	done          []change
	reads, writes int
	// reset is what writes of other values may have changed.
	reset keys
}

// keys are keys of values, and of directories that stand for all values in them.
type keys map[string]bool

func (k keys) has(key string) bool { return k[key] || k[path.Dir(key)] }

// change is a write that had an effect, or may have had one.
type change struct {
	observed
	// beside is what the write may have reset, as it was before.
	beside []observed
}

// observed is a knob and what it was found at.
type observed struct {
	knob
	before Original
}

// set writes a value and reads it back. A write that fails may have changed part of a
// value all the same (the kernel takes the fields of a vector one by one), so only the
// value read afterwards tells whether there is something to undo.
func (w *writer) set(k knob, text []byte, before Original) (after Original, err error) {
	return w.bring(k, Original{State: Value, Value: string(text)}, before)
}

// bring is set for an original, which may be that there was nothing.
func (w *writer) bring(k knob, wanted, before Original) (after Original, err error) {
	beside, err := w.beside(k)
	if err != nil {
		return before, fmt.Errorf("%w; it was not changed", err)
	}
	w.writes++
	writeErr := k.bring(wanted)
	w.reads++
	after, readErr := k.observe()
	if writeErr == nil || readErr != nil || after != before {
		w.changed(change{observed{k, before}, beside})
	}
	switch {
	case writeErr != nil && readErr == nil && after != before:
		return after, fmt.Errorf("%w; the write had a partial effect: %q became %q", k.rejected(wanted.bytes(), writeErr), before.show(), after.show())
	case writeErr != nil:
		return after, fmt.Errorf("%w; found %q there", k.rejected(wanted.bytes(), writeErr), after.show())
	}
	return after, readErr
}

// beside reads what a write of a knob may reset.
func (w *writer) beside(k knob) ([]observed, error) {
	if k.resets == nil {
		return nil, nil
	}
	unread := func(err error) error { return fmt.Errorf("%s: reading what its change may reset: %w", k.key, err) }
	knobs, err := k.resets()
	if err != nil {
		return nil, unread(err)
	}
	var all []observed
	for _, other := range knobs {
		w.reads++
		live, err := other.observe()
		if err != nil {
			return nil, unread(err)
		}
		all = append(all, observed{other, live})
	}
	return all, nil
}

// resets is what to enter in a ledger of what a write of a knob may reset.
func (w *writer) resets(k knob, l *Ledger, bootID string) ([]Reset, error) {
	beside, err := w.beside(k)
	if err != nil {
		return nil, err
	}
	return l.resets(beside, bootID), nil
}

// changed keeps what an undo needs, and the keys of what may have been reset: what was
// there before, and what came with the change.
func (w *writer) changed(c change) {
	w.done = append(w.done, c)
	if w.reset == nil {
		w.reset = keys{}
	}
	if c.movesAlike {
		w.reset[path.Dir(c.key)] = true
	}
	for _, o := range c.beside {
		w.reset[o.key] = true
	}
	if c.resets == nil {
		return
	}
	// What can't be listed now is missing, and would be found so.
	now, _ := c.resets()
	for _, other := range now {
		w.reset[other.key] = true
	}
}

// changedNIC says whether a device was changed that the caller may be connected through.
func (w *writer) changedNIC() bool {
	return slices.ContainsFunc(w.done, func(c change) bool { return strings.HasPrefix(c.key, nicPrefix) })
}

// undo puts everything back, last write first. It says what is back, and for each key
// that is not, why.
func (w *writer) undo() (back []string, failed map[string]error) {
	failed = map[string]error{}
	for _, c := range slices.Backward(w.done) {
		if err := w.revert(c); err != nil {
			failed[c.key] = err
			continue
		}
		back = append(back, fmt.Sprintf("%s = %q", c.key, c.before.show()))
	}
	w.done = nil
	return back, failed
}

func (w *writer) revert(c change) error {
	var err error
	if !c.comesWith(c.before) {
		err = w.putBack(c.observed)
	}
	for _, o := range c.beside {
		if o.before.State == Value {
			err = errors.Join(err, w.putBack(o))
		}
	}
	if c.comesWith(c.before) {
		err = errors.Join(err, w.putBack(c.observed))
	}
	return err
}

// putBack writes what was there before, unless it is there, and verifies it. A value
// that has gone with its interface is not missed.
func (w *writer) putBack(o observed) error {
	w.reads++
	if live, err := o.observe(); err == nil && (o.back(o.before, live) || live.State == Missing) {
		return nil
	}
	if !o.canBring(o.before) {
		return fmt.Errorf("%s: %s was %s, which no write can bring back", o.key, o, o.before.State)
	}
	w.writes++
	writeErr := o.bring(o.before)
	w.reads++
	after, err := o.observe()
	switch {
	case err == nil && o.back(o.before, after):
		return nil
	case writeErr != nil:
		return o.rejected(o.before.bytes(), writeErr)
	case err == nil:
		err = fmt.Errorf("%s: wrote the former %q to %s and found %q there afterwards", o.key, o.before.show(), o, after.show())
	}
	return err
}
