package syntax

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/rivo/uniseg"
)

// Diagnostics is all that is wrong with the files of a run: file by file, in the order
// of the lines.
type Diagnostics struct {
	// List is never empty and holds errors only.
	List  hcl.Diagnostics
	files files
}

func newDiagnostics(list hcl.Diagnostics, files files) *Diagnostics {
	d := &Diagnostics{List: slices.Clone(list), files: files}
	// Passes report by kind of block; a person reads from top to bottom.
	slices.SortStableFunc(d.List, func(a, b *hcl.Diagnostic) int {
		aFile, aByte := d.position(a)
		bFile, bByte := d.position(b)
		return cmp.Or(cmp.Compare(aFile, bFile), cmp.Compare(aByte, bByte))
	})
	return d
}

func (d *Diagnostics) position(diag *hcl.Diagnostic) (file, offset int) {
	if diag.Subject == nil {
		return 0, 0
	}
	file, _ = d.files.named(diag.Subject.Filename)
	return file, diag.Subject.Start.Byte
}

// Error renders every diagnostic as plain text: what is wrong, the line with the
// place underlined, and how to put it right.
func (d *Diagnostics) Error() string {
	var out strings.Builder
	for i, diag := range d.List {
		if i > 0 {
			out.WriteByte('\n')
		}
		d.render(&out, diag)
	}
	return strings.TrimRight(out.String(), "\n")
}

// Unwrap gives the hcl.Diagnostics to callers who want ranges and not text.
func (d *Diagnostics) Unwrap() error { return d.List }

func (d *Diagnostics) render(out *strings.Builder, diag *hcl.Diagnostic) {
	fmt.Fprintf(out, "Error: %s\n", diag.Summary)
	if at := diag.Subject; at != nil {
		_, f := d.files.named(at.Filename)
		fmt.Fprintf(out, "  on %s line %d%s:\n", at.Filename, at.Start.Line, f.context(*at))
		f.snippet(out, *at)
	}
	if diag.Detail != "" {
		fmt.Fprintf(out, "  %s\n", diag.Detail)
	}
}

// context names the top-level block around a place.
func (f *file) context(at hcl.Range) string {
	if f == nil {
		return ""
	}
	nav, ok := f.hcl.Nav.(interface{ ContextString(offset int) string })
	if !ok {
		return ""
	}
	if block := nav.ContextString(at.Start.Byte); block != "" {
		return ", in " + block
	}
	return ""
}

// snippet writes the line that a range starts on, underlined as far as the range goes
// on that line.
func (f *file) snippet(out *strings.Builder, at hcl.Range) {
	src := f.src()
	from := min(at.Start.Byte, len(src))
	start := bytes.LastIndexByte(src[:from], '\n') + 1
	end := len(src)
	if i := bytes.IndexByte(src[from:], '\n'); i >= 0 {
		end = from + i
	}
	shown := start + f.shown(src[start:end], start)
	from, to := min(from, shown), min(max(at.End.Byte, from), shown)
	number := fmt.Sprintf("%4d", at.Start.Line)
	line := strings.TrimRight(string(src[start:shown]), "\r")
	if shown < end {
		line += "…"
	}
	// Tabs stay tabs in the padding, so that the caret stands right at any tab width.
	var pad strings.Builder
	for i, part := range strings.Split(string(src[start:from]), "\t") {
		if i > 0 {
			pad.WriteByte('\t')
		}
		pad.WriteString(strings.Repeat(" ", uniseg.StringWidth(part)))
	}
	marked := strings.TrimRight(string(src[from:to]), " \t\r")
	marks := strings.Repeat("^", max(1, uniseg.StringWidth(marked)))
	fmt.Fprintf(out, "%s | %s\n", number, line)
	fmt.Fprintf(out, "%s | %s%s\n", strings.Repeat(" ", len(number)), &pad, marks)
}

// assignment is where an attribute gets its value.
var assignment = regexp.MustCompile(`([A-Za-z][A-Za-z0-9_-]*)\s*=\s*`)

// shown is how much of a line that starts at a byte may be shown: up to the value of a
// confidential attribute, or of what seems to be meant for one, and up to what is concealed.
func (f *file) shown(line []byte, start int) int {
	if f == nil {
		return len(line)
	}
	for _, at := range f.concealed {
		if at.End.Byte > start && at.Start.Byte < start+len(line) {
			line = line[:max(0, at.Start.Byte-start)]
		}
	}
	for _, m := range assignment.FindAllSubmatchIndex(line, -1) {
		name := string(line[m[2]:m[3]])
		within := func(c string) bool { return strings.Contains(name, c) }
		if Nearest(name, f.confidential) != "" || slices.ContainsFunc(f.confidential, within) {
			return m[1]
		}
	}
	return len(line)
}

// Place names the line of a range in the form that editors open: FILE:LINE.
func Place(at hcl.Range) string { return fmt.Sprintf("%s:%d", at.Filename, at.Start.Line) }
