package tuning

import (
	"fmt"
	"slices"
)

// writer writes values, counts, and remembers what to undo.
type writer struct {
	done          []change
	reads, writes int
}

// change is a write that had an effect, or may have had one.
type change struct {
	knob
	before Original
}

// set writes a value and reads it back. A write that fails may have changed part of a
// value all the same (the kernel takes the fields of a vector one by one), so only the
// value read afterwards tells whether there is something to undo.
func (w *writer) set(k knob, text []byte, before Original) (after Original, err error) {
	w.writes++
	writeErr := k.write(text)
	w.reads++
	after, readErr := k.observe()
	if writeErr == nil || readErr != nil || after != before {
		w.done = append(w.done, change{k, before})
	}
	switch {
	case writeErr != nil && readErr == nil && after != before:
		return after, fmt.Errorf("%w; the write had a partial effect: %q became %q", k.rejected(text, writeErr), before.show(), after.show())
	case writeErr != nil:
		return after, fmt.Errorf("%w; found %q there", k.rejected(text, writeErr), after.show())
	}
	return after, readErr
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
	if c.before.State != Value {
		return fmt.Errorf("%s: %s was %s, which no write can bring back", c.key, c, c.before.State)
	}
	w.writes++
	if err := c.write(c.before.bytes()); err != nil {
		return c.rejected(c.before.bytes(), err)
	}
	w.reads++
	after, err := c.observe()
	if err != nil {
		return err
	}
	if !c.back(c.before, after) {
		return fmt.Errorf("%s: wrote the former %q to %s and found %q there afterwards", c.key, c.before.show(), c, after.show())
	}
	return nil
}
