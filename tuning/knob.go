package tuning

import (
	"errors"
	"fmt"
	"io/fs"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"github.com/hanzoai/benchlab/tuning/ethtool"
	"github.com/hanzoai/benchlab/tuning/spec"
)

// knob is one value of the kernel or of a device. It is found by its key alone, so that
// a restore needs nothing but the ledger.
type knob struct {
	key  string
	kind spec.Kind
	place
	// resets lists what a write of this value may change as well, as it is on the host
	// now; nil where there is nothing.
	resets func() ([]knob, error)
	// lacks says in words why the host can't have the value where that shows only as the
	// error of a write; empty for any other error. nil means that none tells.
	lacks func(error) string
	// inForce asks, after a write, whether the kernel does what it took; nil where what
	// is read back tells. The note is for the setting's reason.
	inForce func(desired string) (note string, err error)
	// passing: it comes and goes with the device's doings, as an interrupt's number does, so
	// that nobody misses it.
	passing bool
	// movesAlike: values whose keys differ in their last part only, as those of a NIC's
	// offloads, may follow a write of this one, and come back with it. So they need no
	// original for that, unlike what resets lists.
	movesAlike bool
	// onlyRead is a value that is found here and can't be written: it is there while one of
	// resets is in force. Empty where there is none.
	onlyRead string
}

// comesWith says whether an original is brought back by what the knob resets, and by
// nothing else.
func (k knob) comesWith(o Original) bool {
	return k.onlyRead != "" && o.State == Value && o.show() == k.onlyRead
}

// place is where a value is read and written.
type place interface {
	read() ([]byte, error)
	write(text []byte) error
	// String names the place to a person: a path.
	String() string
}

// removable is a place that benchlab makes itself, and takes away where it was missing.
type removable interface {
	remove() error
}

// replaceable is a place whose device may be another one by now, with other limits. tooMuch
// says why that can't have a former value; empty where it can.
type replaceable interface {
	tooMuch(text string) string
}

// observe reads the live value of a knob. What the kernel says instead of a value is an
// observation too, not an error.
func (k knob) observe() (Original, error) {
	text, err := k.read()
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, unix.ENODEV), errors.Is(err, unix.EOPNOTSUPP):
		return Original{State: Missing}, nil
	case errors.Is(err, unix.EIO):
		return Original{State: Unset}, nil
	case errors.Is(err, fs.ErrPermission):
		return Original{State: Unreadable}, nil
	case err != nil:
		return Original{}, fmt.Errorf("%s: %w", k.key, err)
	case !utf8.Valid(text):
		return Original{}, fmt.Errorf("%s: %s holds bytes that are no text, which the ledger can't keep", k.key, k)
	}
	return Original{State: Value, Value: string(text)}, nil
}

// same says whether a live value needs no write to be the wanted one.
func (k knob) same(wanted string, live Original) bool {
	return live.State == Value && k.kind.Same(wanted, live.Value)
}

// back says whether live is the original again; of a switch, whether it is asked for again.
func (k knob) back(original, live Original) bool {
	if original.State != Value || live.State != Value {
		return original.State == live.State
	}
	if k.kind == spec.Switch {
		// What it is beside that is the doing of others that it needs.
		_, was := spec.ParseSwitch(original.Value)
		_, is := spec.ParseSwitch(live.Value)
		return was == is
	}
	return k.kind.Compare(original.Value, live.Value) == spec.Equal
}

// canBring says whether there is a way back to an original.
func (k knob) canBring(o Original) bool {
	_, ok := k.place.(removable)
	return o.State == Value || o.State == Missing && ok
}

// bring makes the place what an original says.
func (k knob) bring(o Original) error {
	if r, ok := k.place.(removable); ok && o.State == Missing {
		return r.remove()
	}
	return k.write(o.bytes())
}

// rejected words a write that the kernel refused: what was wanted, errno, what next.
func (k knob) rejected(wanted []byte, err error) error {
	var inner *fs.PathError
	if errors.As(err, &inner) {
		err = inner.Err // the path stands here already
	}
	var asked *ethtool.Error
	if errors.As(err, &asked) {
		err = asked.Err // so does what was asked
	}
	return fmt.Errorf("%s: writing %q to %s: %w%s", k.key, spec.CanonicalText(string(wanted)), k, err, advice(err))
}

// advice names the errno and says what it means on a kernel file and what to do.
func advice(err error) string {
	var errno unix.Errno
	if !errors.As(err, &errno) {
		return ""
	}
	next := map[unix.Errno]string{
		unix.ENOSPC:     "there is no room for it in the kernel; of an interrupt: no vector is left on the wanted CPUs, choose others",
		unix.EINVAL:     "the kernel does not take this value: check its range and form",
		unix.EACCES:     "the kernel keeps this file read-only here: run as root, on the machine itself rather than in a namespace",
		unix.EPERM:      "not allowed from here: run as root, on the machine itself rather than in a user namespace",
		unix.EROFS:      "the file system is mounted read-only, as containers do: use a host that owns its /proc and /sys",
		unix.ENOENT:     "the kernel knows no such value, or its module is not loaded: load it (modprobe), or choose a value that is there",
		unix.EOVERFLOW:  "the mask names a CPU that this kernel can't have",
		unix.EBUSY:      "the device is in use: try again when it is idle",
		unix.EOPNOTSUPP: "the driver can't do this",
		unix.EFBIG:      "the value is longer than 64 KiB",
	}[errno]
	name := unix.ErrnoName(errno)
	if next == "" {
		return fmt.Sprintf(" (%s)", name)
	}
	return fmt.Sprintf(" (%s): %s", name, next)
}

// line is what a wanted text is written as.
func line(text string) []byte { return []byte(text + "\n") }
