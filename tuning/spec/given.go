package spec

import "fmt"

// checkGiven refuses what asks for nothing at all: a value was forgotten there.
func (t Tunables) checkGiven() []error {
	var faults []error
	for _, n := range t.NICs {
		of := n.String() + ": "
		faults = append(faults, given(of+"channels", n.Channels), given(of+"ring", n.Ring), given(of+"coalescing", n.Coalescing))
	}
	return append(faults, given("cpu", t.CPU), given("hugepages", t.Hugepages))
}

func given[T comparable](what string, wanted *T) error {
	if wanted != nil && *wanted == *new(T) {
		return fmt.Errorf("%s: no value is given", what)
	}
	return nil
}
