package profiles

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hanzoai/benchlab/tuning/profiles/syntax"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// Library knows profiles by name: those of a file, and the shipped ones.
type Library struct {
	r      *syntax.Reader
	blocks map[string]*syntax.Block
	plans  map[string]*Plan
	// open are the names of the profiles that are being read, each the extension of the
	// next.
	open []string
}

// NewLibrary reads the profile blocks of a file, whether they are used or not. Of two with
// one name the first counts; that there are two is for the file's reader to report.
func NewLibrary(r *syntax.Reader, own []*syntax.Block) *Library {
	l := &Library{r: r, blocks: map[string]*syntax.Block{}, plans: map[string]*Plan{}}
	shipped := Names()
	for _, b := range own {
		switch {
		case b.Name == "":
		case slices.Contains(shipped, b.Name):
			b.Report(b.Header, fmt.Sprintf("Profile %q is a shipped one", b.Name),
				"Give yours a name of its own; it can say extends = %q.", b.Name)
		case l.blocks[b.Name] == nil:
			l.blocks[b.Name] = b
		}
	}
	for _, b := range own {
		if l.blocks[b.Name] == b {
			l.named(b.Name)
		} else {
			l.profile(b, b.String())
		}
	}
	return l
}

// named returns the plan of a profile that the library has.
func (l *Library) named(name string) *Plan {
	if p := l.plans[name]; p != nil {
		return p
	}
	l.open = append(l.open, name)
	b := l.blocks[name]
	if b == nil {
		var ok bool
		if b, ok = l.r.Open(source(name), path(name), fileShape()); !ok {
			return &Plan{broken: true} // a test holds the shipped files against this
		}
	}
	p := l.profile(b, fmt.Sprintf("profile %q", name))
	l.open = l.open[:len(l.open)-1]
	l.plans[name] = p
	return p
}

// lookUp returns the plan of the profile that an attribute names; nil where there is
// none, which it has reported.
func (l *Library) lookUp(b *syntax.Block, attribute string) *Plan {
	name, ok := b.Text(attribute)
	if !ok {
		return nil
	}
	known := append(slices.Sorted(maps.Keys(l.blocks)), Names()...)
	switch {
	case !slices.Contains(known, name):
		b.Report(b.At(attribute), fmt.Sprintf("Unknown profile %q", name),
			"No profile of that name is declared here or shipped%s", oneOf(name, known))
	case slices.Contains(l.open, name):
		b.Report(b.At(attribute), fmt.Sprintf("Profile %q extends itself", name),
			"The chain is %s. Let one of them extend no other of these.",
			strings.Join(append(l.open[slices.Index(l.open, name):], name), ", "))
	default:
		return l.named(name)
	}
	return nil
}

// oneOf ends a message with the nearest name, or with all of them.
func oneOf(given string, known []string) string {
	if meant := syntax.DidYouMean(given, known); meant != "" {
		return meant
	}
	return ". There are " + strings.Join(known, ", ") + "."
}

// profile reads a profile; by is what messages call it.
func (l *Library) profile(b *syntax.Block, by string) *Plan {
	before := l.r.Errors()
	p := &Plan{}
	without, withoutKeys := b.Items("without", "a list of keys")
	switch {
	case b.Expr("extends") != nil:
		base := l.lookUp(b, "extends")
		if base == nil {
			p.broken = true
			break
		}
		p = base.without(l.leftOut(b, base, without))
		p.remedy = `; without = ["KEY"] leaves that one out`
	case withoutKeys:
		b.Report(b.At("without"), "without leaves nothing out", "It names keys of the profile that this one extends. Add extends = \"…\", or leave the line out.")
	}
	(&body{plan: p, by: by}).read(b)
	p.finish(b, before)
	return p
}

// finish looks at the plan as a whole, if every part of it was found sound. Before is the
// number of errors when the block was begun.
func (p *Plan) finish(b *syntax.Block, before int) {
	if b.Errors() == before && !p.broken {
		p.judge(b)
	}
	p.broken = p.broken || b.Errors() > before
}

// leftOut reads the keys that a profile leaves out of the one it extends.
func (l *Library) leftOut(b *syntax.Block, base *Plan, items []hclsyntax.Expression) []string {
	var keys []string
	for _, item := range items {
		written, ok := b.TextOf(item, "without", "a list of keys in quotes")
		if !ok {
			continue
		}
		key := canonical(written)
		keys = append(keys, key)
		if base.broken || slices.ContainsFunc(base.values, func(v value) bool { return v.has(key) }) {
			continue
		}
		b.Report(item.Range(), fmt.Sprintf("Unknown key %q", written),
			"The extended profile sets no such value%s", keyHint(key, base.keys()))
	}
	return keys
}

// keyHint offers the nearest key, or else says what keys look like.
func keyHint(key string, known []string) string {
	if meant := syntax.Nearest(key, known); meant != "" {
		return fmt.Sprintf(". Did you mean %q?", meant)
	}
	word, _, _ := strings.Cut(key, "/")
	var alike []string
	for _, k := range known {
		if strings.HasPrefix(k, word+"/") {
			alike = append(alike, k)
		}
	}
	if alike == nil {
		return ". A key is the words that lead to a value, as in \"sysctl/net.core.somaxconn\" or \"nic/ring/rx\"."
	}
	return "; of " + word + " it has " + strings.Join(alike, ", ") + "."
}
