package profiles

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/hanzoai/benchlab/tuning/profiles/syntax"
	"github.com/hanzoai/benchlab/tuning/spec"
)

//go:embed *.hcl
var shipped embed.FS

const suffix = ".hcl"

// Names are those of the shipped profiles, sorted.
func Names() []string {
	entries, err := shipped.ReadDir(".")
	if err != nil {
		// The directory is a part of the program.
		panic("profiles: " + err.Error())
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), suffix))
	}
	return names
}

// source is the text of a shipped profile.
func source(name string) []byte {
	src, err := shipped.ReadFile(name + suffix)
	if err != nil {
		panic("profiles: " + err.Error())
	}
	return src
}

// path is where a shipped profile stands in the project.
func path(name string) string { return "tuning/profiles/" + name + suffix }

// Named is a shipped profile used on NICs, in their order. A profile that tunes NICs needs
// one at least; one that tunes none takes none.
func Named(name string, nics []string) (spec.Tunables, error) {
	if known := Names(); !slices.Contains(known, name) {
		return spec.Tunables{}, fmt.Errorf("profile %q is not shipped%s", name, oneOf(name, known))
	}
	return use(source(name), path(name), name, nics)
}

// Parse is the profile of a file used on NICs, as Named is; filename only names it in
// messages. What is wrong with the text comes as a [*syntax.Diagnostics].
func Parse(src []byte, filename string, nics []string) (spec.Tunables, error) {
	return use(src, filename, filename, nics)
}

func use(src []byte, filename, name string, nics []string) (spec.Tunables, error) {
	var none spec.Tunables
	p, err := read(src, filename, name)
	if err != nil {
		return none, err
	}
	for i, nic := range nics {
		if err := spec.CheckNIC(nic); err != nil {
			return none, fmt.Errorf("profile %q: %w", name, err)
		}
		if slices.Contains(nics[:i], nic) {
			return none, fmt.Errorf("profile %q: NIC %q is named twice; name it once", name, nic)
		}
	}
	switch per := p.tunesNICs(); {
	case per && len(nics) == 0:
		return none, fmt.Errorf("profile %q tunes NICs and knows none by name; name those of this host that it is for", name)
	case !per && len(nics) > 0:
		return none, fmt.Errorf("profile %q tunes no NIC; use it without %s", name, strings.Join(nics, ", "))
	}
	return p.on(nics).Tunables(), nil
}

// read reads a profile that stands alone; it may extend shipped ones.
func read(src []byte, filename, name string) (*Plan, error) {
	var r syntax.Reader
	var p *Plan
	if b, ok := r.Open(src, filename, fileShape()); ok {
		p = NewLibrary(&r, nil).profile(b, fmt.Sprintf("profile %q", name))
	}
	return p, r.Err()
}
