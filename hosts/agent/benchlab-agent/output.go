package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/hanzoai/benchlab/tuning"
	"github.com/hanzoai/benchlab/tuning/spec"
)

// output prints what was found: a table for a person, or JSON.
type output struct {
	w    io.Writer
	json bool
}

// words are the verdicts as a person reads them; the others are as they are in JSON.
type words map[spec.Status]string

// report prints a plan, an apply or a comparison.
func (o output) report(r spec.Report) error {
	if o.json {
		return o.document(r)
	}
	if err := o.table(r.Settings, words{spec.Unchanged: "as wanted"}); err != nil {
		return err
	}
	return o.remarks(r)
}

// status prints what labs hold.
func (o output) status(ledger tuning.Ledger, settings []spec.Setting) error {
	if o.json {
		return o.document(map[string]any{"ledger": ledger, "settings": settings})
	}
	if len(ledger.Claims) == 0 && len(settings) == 0 {
		_, err := fmt.Fprintln(o.w, "no lab has anything on this host")
		return err
	}
	for _, c := range ledger.Claims {
		if _, err := fmt.Fprintf(o.w, "%s %s: %s since %s\n", c.Kind, c.Name, c.Owner, c.Time.Format(time.RFC3339)); err != nil {
			return err
		}
	}
	if len(settings) == 0 {
		_, err := fmt.Fprintln(o.w, "no value is tuned here")
		return err
	}
	return o.table(settings, words{spec.Unchanged: "as wanted"})
}

// restored prints what was put back.
func (o output) restored(r spec.Report) error {
	if o.json {
		return o.document(r)
	}
	if len(r.Settings) == 0 {
		if _, err := fmt.Fprintln(o.w, "no value to put back"); err != nil {
			return err
		}
		return o.remarks(r)
	}
	if err := o.table(r.Settings, words{spec.Unchanged: "left as it is"}); err != nil {
		return err
	}
	return o.remarks(r)
}

func (o output) document(v any) error {
	encoder := json.NewEncoder(o.w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(v)
}

func (o output) table(settings []spec.Setting, verdicts words) error {
	table := tabwriter.NewWriter(o.w, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "KEY\tORIGINAL\tWANTED\tLIVE\tVERDICT")
	for _, s := range settings {
		verdict, ok := verdicts[s.Status]
		if !ok {
			verdict = string(s.Status)
		}
		if s.Reason != "" {
			verdict += ": " + s.Reason
		}
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", s.Key, cell(s.Original), cell(s.Desired), cell(s.Live), verdict)
	}
	return table.Flush() // reports the first error of the writes above
}

// cell is a value in a table, in which no column is to be missing.
func cell(value string) string { return cmp.Or(value, "-") }

// remarks prints what a person should know beside the values.
func (o output) remarks(r spec.Report) error {
	for _, lines := range []struct {
		kind  string
		texts []string
	}{{"note", r.Notes}, {"warning", r.Warnings}} {
		for _, text := range lines.texts {
			if _, err := fmt.Fprintf(o.w, "%s: %s\n", lines.kind, text); err != nil {
				return err
			}
		}
	}
	return nil
}
