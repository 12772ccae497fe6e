package main

import (
	"strings"
	"testing"
	"time"

	"github.com/hanzoai/benchlab/tuning"
	"github.com/hanzoai/benchlab/tuning/spec"
)

// A host that labs use and do not tune has claims and no table.
func TestStatusWithoutValues(t *testing.T) {
	var text strings.Builder
	ledger := tuning.Ledger{Claims: []tuning.Claim{{Kind: "port", Name: "8080", Owner: spec.Owner{URN: "urn:a", Lab: "b"}, Time: time.Unix(0, 0).UTC()}}}
	if err := (output{w: &text}).status(ledger, nil); err != nil {
		t.Fatal(err)
	}
	if want := "port 8080: urn:a of lab b since 1970-01-01T00:00:00Z\nno value is tuned here\n"; text.String() != want {
		t.Errorf("%q, want %q", text.String(), want)
	}
}
