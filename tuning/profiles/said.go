package profiles

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
)

// Said is a value of a plan in words.
type Said struct {
	// Key is the words that lead to the value, with the name of the NIC in them: as a claim
	// has it, but for what goes by several names.
	Key string
	// Value is what it is set to; "default" of a block that says all by being there.
	Value string
	// At is the place that says it.
	At hcl.Range
}

// Said is the plan in words, in the order of the keys.
func (p *Plan) Said() ([]Said, error) {
	said := make([]Said, 0, len(p.values))
	for _, v := range p.values {
		if v.block && slices.ContainsFunc(p.values, func(other value) bool { return within([]string{v.path() + "/"}, other.path()) }) {
			continue
		}
		// By itself, each value is the only one of the tunables that it makes.
		text, err := json.Marshal((&Plan{values: []value{v}}).Tunables())
		if err != nil {
			return nil, err
		}
		var tree map[string]any
		decoder := json.NewDecoder(strings.NewReader(string(text)))
		decoder.UseNumber()
		if err := decoder.Decode(&tree); err != nil {
			return nil, err
		}
		said = append(said, Said{Key: v.path(), Value: leaf(tree), At: v.at})
	}
	slices.SortStableFunc(said, func(a, b Said) int { return strings.Compare(a.Key, b.Key) })
	return said, nil
}

// leaf is the one value in a tree, beside the name of a NIC.
func leaf(tree any) string {
	switch tree := tree.(type) {
	case map[string]any:
		delete(tree, "name")
		for _, key := range slices.Sorted(maps.Keys(tree)) {
			return leaf(tree[key])
		}
	case []any:
		for _, item := range tree {
			return leaf(item)
		}
	default:
		return fmt.Sprint(tree)
	}
	return "default"
}
