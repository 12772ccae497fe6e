package provider

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// TestTextChanged: in a list each item counts, and what is not known yet is no change.
func TestTextChanged(t *testing.T) {
	machines := func(ids ...property.Value) property.Map {
		var loaders []property.Value
		for _, id := range ids {
			loaders = append(loaders, property.New(map[string]property.Value{"host": property.New(map[string]property.Value{"machineId": id})}))
		}
		return property.NewMap(map[string]property.Value{"loaders": property.New(loaders)})
	}
	a, b := property.New("a"), property.New("b")
	for name, test := range map[string]struct {
		old, new       property.Map
		known, changed bool
	}{
		"the same": {machines(a, b), machines(a, b), true, false},
		"another":  {machines(a, b), machines(a, a), true, true},
		"one more": {machines(a), machines(a, b), true, true},
		"unknown":  {machines(a, b), machines(a, property.New(property.Computed)), false, true},
		"no list":  {machines(a), property.Map{}, false, true},
	} {
		known, changed := textChanged(test.old, test.new, "loaders", "host", "machineId")
		if known != test.known || known && changed != test.changed {
			t.Errorf("%s: known %t, changed %t; want %t, %t", name, known, changed, test.known, test.changed)
		}
	}
}
