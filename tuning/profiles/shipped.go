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

// Profile is what a host, and each NIC that it is used on, is tuned to.
type Profile struct {
	// Name of a shipped profile, or the name of a file.
	Name string
	plan *Plan
}

// Load returns a shipped profile.
func Load(name string) (*Profile, error) {
	if known := Names(); !slices.Contains(known, name) {
		return nil, fmt.Errorf("profile %q is not shipped%s", name, oneOf(name, known))
	}
	return read(source(name), path(name), name)
}

// read reads a profile that stands alone; it may extend shipped ones.
func read(src []byte, filename, name string) (*Profile, error) {
	var r syntax.Reader
	p := &Profile{Name: name}
	if b, ok := r.Open(src, filename, fileShape()); ok {
		p.plan = NewLibrary(&r, nil).profile(b, fmt.Sprintf("profile %q", name))
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	return p, nil
}

// On is the profile used on NICs, in their order. A profile that tunes NICs needs one at
// least; one that tunes none takes none.
func (p *Profile) On(nics ...string) (spec.Tunables, error) {
	var none spec.Tunables
	for i, nic := range nics {
		if err := spec.CheckNIC(nic); err != nil {
			return none, fmt.Errorf("profile %q: %w", p.Name, err)
		}
		if slices.Contains(nics[:i], nic) {
			return none, fmt.Errorf("profile %q: NIC %q is named twice; name it once", p.Name, nic)
		}
	}
	switch per := p.plan.tunesNICs(); {
	case per && len(nics) == 0:
		return none, fmt.Errorf("profile %q tunes NICs and knows none by name; name those of this host that it is for", p.Name)
	case !per && len(nics) > 0:
		return none, fmt.Errorf("profile %q tunes no NIC; use it without %s", p.Name, strings.Join(nics, ", "))
	}
	return p.plan.on(nics).Tunables(), nil
}

// Named is a shipped profile used on NICs.
func Named(name string, nics []string) (spec.Tunables, error) {
	p, err := Load(name)
	if err != nil {
		return spec.Tunables{}, err
	}
	return p.On(nics...)
}

// Parse is the profile of a file used on NICs; filename only names it in messages. What
// is wrong with the text comes as a [*syntax.Diagnostics].
func Parse(src []byte, filename string, nics []string) (spec.Tunables, error) {
	p, err := read(src, filename, filename)
	if err != nil {
		return spec.Tunables{}, err
	}
	return p.On(nics...)
}
