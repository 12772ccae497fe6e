package syntax

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// Reader reads the files of one run and collects what is wrong with them. The zero
// value is ready.
type Reader struct {
	// Scope is what expressions in the files that are opened next can refer to.
	Scope *Scope

	files files
	diags hcl.Diagnostics
	// alike are the places of blocks that are read several times, with other values. What
	// is wrong there is shown once; untold counts the rest.
	alike  []hcl.Range
	untold int
}

// Open parses the text of a file and holds it against a shape; filename names it in
// messages, and tells it from the run's other files. It is false where the text can't be
// parsed: what follows from a broken line is guesswork.
func (r *Reader) Open(src []byte, filename string, shape Shape) (*Block, bool) {
	parsed, diags := hclsyntax.ParseConfig(src, filename, hcl.InitialPos)
	r.files = append(r.files, &file{name: filename, hcl: parsed, confidential: shape.confidential()})
	body := parsed.Body.(*hclsyntax.Body)
	if diags.HasErrors() {
		explain(diags, shape, body)
		r.diags = append(r.diags, diags...)
		return nil, false
	}
	start := hcl.Range{Filename: filename, Start: hcl.InitialPos, End: hcl.InitialPos}
	b := r.newBlock(shape, "", start)
	b.file = true
	b.open(body)
	return b, true
}

// Report says that something is wrong at a place, and in the detail how to put it right.
// The zero range is the place of what stands in no file.
func (r *Reader) Report(at hcl.Range, summary, detail string, args ...any) {
	d := &hcl.Diagnostic{Severity: hcl.DiagError, Summary: summary, Detail: fmt.Sprintf(detail, args...)}
	if at.Filename != "" {
		d.Subject = &at
	}
	r.report(d)
}

func (r *Reader) report(d *hcl.Diagnostic) {
	if r.told(d.Subject) {
		r.untold++
		return
	}
	r.diags = append(r.diags, d)
}

// told says whether a place was reported in another reading of its block.
func (r *Reader) told(at *hcl.Range) bool {
	if at == nil || !slices.ContainsFunc(r.alike, func(span hcl.Range) bool { return span.Overlaps(*at) }) {
		return false
	}
	return slices.ContainsFunc(r.diags, func(d *hcl.Diagnostic) bool { return d.Subject != nil && *d.Subject == *at })
}

// Check reports err, if there is one, at a place; it is true where there is none.
func (r *Reader) Check(at hcl.Range, summary string, err error) bool {
	if err != nil {
		r.Report(at, summary, "%s.", sentence(err))
	}
	return err == nil
}

func sentence(err error) string {
	text := err.Error()
	return strings.ToUpper(text[:1]) + text[1:]
}

// Conceal keeps what stands at a place out of all messages.
func (r *Reader) Conceal(at hcl.Range) {
	if _, f := r.files.named(at.Filename); f != nil {
		f.concealed = append(f.concealed, at)
	}
}

// Errors is the number of errors so far.
func (r *Reader) Errors() int { return len(r.diags) + r.untold }

// Err is all that has been reported, a [*Diagnostics], or nil.
func (r *Reader) Err() error {
	if len(r.diags) == 0 {
		return nil
	}
	return newDiagnostics(r.diags, r.files)
}

// Source returns the text of a range.
func (r *Reader) Source(at hcl.Range) string {
	_, f := r.files.named(at.Filename)
	return string(at.SliceBytes(f.src()))
}

// file is the text of one file, as it was parsed.
type file struct {
	name string
	hcl  *hcl.File
	// confidential are the names of attributes whose values no message shows.
	confidential []string
	// concealed are other places that no message shows.
	concealed []hcl.Range
}

func (f *file) src() []byte {
	if f == nil {
		return nil
	}
	return f.hcl.Bytes
}

// files are those of one run, in the order in which they were read.
type files []*file

// named returns the file of that name and its number in the run; nil where a range is
// of no file of the run.
func (fs files) named(name string) (int, *file) {
	for i, f := range fs {
		if f.name == name {
			return i, f
		}
	}
	return len(fs), nil
}
