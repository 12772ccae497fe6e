package tuning

import "github.com/hanzoai/benchlab/tuning/spec"

// Original is what was found where a value is now ours.
type Original struct {
	State State `json:"state"`
	// Value holds the exact bytes that were read; only where State is Value.
	Value string `json:"value,omitempty"`
}

// State says whether there was a value at all.
type State string

const (
	// Value: the file held one. It is written back byte for byte.
	Value State = "value"
	// Unset: the kernel has the key but no value yet (EIO). Nothing can be written to
	// make it so again.
	Unset State = "unset"
	// Unreadable: the file may only be written. Nothing is applied there, as nothing
	// could be put back.
	Unreadable State = "unreadable"
	// Missing: there was no such file. Another setting of the lab has brought it, and
	// takes it along when it is restored; or it is benchlab's own, and is removed.
	Missing State = "missing"
)

// show is an original as a report shows it: canonical text, or its state in brackets.
func (o Original) show() string {
	switch o.State {
	case Value:
		return spec.CanonicalText(o.Value)
	case "":
		return ""
	}
	return "(" + string(o.State) + ")"
}

// bytes is what brings an original back: the bytes that were read. Where there were
// none a newline clears the value; an empty write would change nothing.
func (o Original) bytes() []byte {
	if o.Value == "" {
		return []byte("\n")
	}
	return []byte(o.Value)
}
