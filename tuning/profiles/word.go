package profiles

import (
	"fmt"
	"math"
	"strconv"

	"github.com/hanzoai/benchlab/tuning/profiles/syntax"
	"github.com/hanzoai/benchlab/tuning/spec"
	"github.com/zclconf/go-cty/cty"
)

// target is what a value is put into: the host's tunables, and of a value that is a
// NIC's, the NIC.
type target struct {
	*spec.Tunables
	nic *spec.NIC
}

// word is an attribute of the language.
type word struct {
	syntax.Attribute
	// read adds what the attribute, which is there, says to the plan.
	read func(r *body, b *syntax.Block, name, key string)
}

// group is a kind of block whose attributes are values, each of its own.
type group struct {
	kind  string
	words []word
	// there is what the block itself says, even an empty one; nil where it says nothing.
	there func(target)
}

func (g group) shape() syntax.Shape {
	return syntax.Shape{Kind: g.kind, Attributes: attributes(g.words)}
}

func attributes(words []word) []syntax.Attribute {
	list := make([]syntax.Attribute, 0, len(words))
	for _, w := range words {
		list = append(list, w.Attribute)
	}
	return list
}

func optional(name, example string, read func(r *body, b *syntax.Block, name, key string)) word {
	return word{syntax.Attribute{Name: name, Example: example, Optional: true}, read}
}

// text is a word that takes a string.
func text(name, example string, put func(target, string)) word {
	return optional(name, example, func(r *body, b *syntax.Block, name, key string) {
		if s, ok := syntax.Parsed(b, name, syntax.NotEmpty); ok {
			r.add(b, name, value{key: key, at: b.At(name), put: func(t target) { put(t, s) }})
		}
	})
}

// toggle is a word that takes true or false.
func toggle(name, example string, put func(target, bool)) word {
	return optional(name, example, func(r *body, b *syntax.Block, name, key string) {
		if v, ok := b.Bool(name); ok {
			r.add(b, name, value{key: key, at: b.At(name), put: func(t target) { put(t, v) }})
		}
	})
}

// number is a word that takes a whole number from low up to what 32 bits hold.
func number(name, example string, low int, put func(target, int)) word {
	return optional(name, example, func(r *body, b *syntax.Block, name, key string) {
		if n, ok := b.Whole(b.Expr(name), name, "a whole number", low, math.MaxInt32); ok {
			r.add(b, name, value{key: key, at: b.At(name), put: func(t target) { put(t, n) }})
		}
	})
}

// count is a word that takes a whole number, or "max" for the most that the driver has.
func count(name, example string, put func(target, string)) word {
	return optional(name, example, func(r *body, b *syntax.Block, name, key string) {
		e := b.Expr(name)
		want := fmt.Sprintf("%q or a whole number", spec.Max)
		v, ok := b.Constant(e, name, want)
		if !ok {
			return
		}
		written := spec.Max
		if v.IsNull() || v.Type() != cty.String || v.AsString() != spec.Max {
			if v.IsNull() || v.Type() != cty.Number {
				b.WrongType(e.Range(), name, want, syntax.Describe(v))
				return
			}
			n, ok := b.Whole(e, name, want, 0, math.MaxInt32)
			if !ok {
				return
			}
			written = strconv.Itoa(n)
		}
		r.add(b, name, value{key: key, at: e.Range(), put: func(t target) { put(t, written) }})
	})
}

// ensure makes the part of a structure that a value stands in.
func ensure[T any](part **T) *T {
	if *part == nil {
		*part = new(T)
	}
	return *part
}
