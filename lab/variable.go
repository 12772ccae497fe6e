package lab

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hanzoai/benchlab/hosts/hostspec"
	"github.com/hanzoai/benchlab/tuning/profiles/syntax"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/ext/typeexpr"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

// variables makes var.NAME known. Sources come in the order of their precedence; a default
// counts where none has a value.
func (r *reader) variables(blocks []*syntax.Block, sources []Values) {
	values := make([]cty.Value, len(blocks))
	origins := make([]string, len(blocks))
	for i, b := range blocks {
		values[i], origins[i] = r.variable(b, sources)
	}
	// Not before all defaults are read, which refer to nothing.
	r.Scope.Root("var")
	for i, b := range blocks {
		if b.Name != "" && r.declared[b.Kind][b.Name] == b.Header {
			r.Scope.Define("var", b.Name, values[i], origins[i])
		}
	}
	r.strangers(sources)
}

// variable is the value of one variable, and where it comes from.
func (r *reader) variable(b *syntax.Block, sources []Values) (cty.Value, string) {
	_, _ = b.Text("description")
	want := cty.DynamicPseudoType
	if e := b.Expr("type"); e != nil {
		var ok bool
		if want, ok = typeOf(b, e); !ok {
			return syntax.Broken, ""
		}
	}
	standard, hasDefault := cty.NilVal, false
	if e := b.Expr("default"); e != nil {
		hasDefault = true
		standard = defaultOf(b, e, want)
		if b.Expr("type") == nil && standard != syntax.Broken {
			want = loose(standard.Type())
		}
	} else if b.Expr("type") == nil {
		want = cty.String
	}
	for _, s := range sources {
		if g, ok := s.given[b.Name]; ok {
			return givenValue(b, g, want), "set by " + g.by
		}
	}
	if !hasDefault {
		b.Report(b.Header, fmt.Sprintf("Variable %q has no value", b.Name),
			"Give it one with `"+setVariable+"`, with the environment variable %s%s, with a line %s = … in the file %s, or give it a default here.",
			b.Name, environmentPrefix, b.Name, b.Name, r.valuesFile)
		return syntax.Broken, ""
	}
	return standard, "its default at " + syntax.Place(b.At("default"))
}

// loose is a type that other values than the default can have, too: its lists and maps may
// be longer.
func loose(t cty.Type) cty.Type {
	if t.IsPrimitiveType() {
		return t
	}
	return cty.DynamicPseudoType
}

// typeWords start types.
var typeWords = []string{"string", "number", "bool", "any", "list", "set", "map", "object", "tuple"}

// typeOf reads a type such as list(number).
func typeOf(b *syntax.Block, e hclsyntax.Expression) (cty.Type, bool) {
	t, diags := typeexpr.TypeConstraint(e)
	if !diags.HasErrors() {
		return t, true
	}
	const forms = "Types are string, number, bool, any, list(…), set(…), map(…) and object({ NAME = … })"
	found := b.Source(e.Range())
	meant := ""
	if word := strings.Trim(found, `"`); word != found && slices.Contains(typeWords, word) {
		meant = word
	} else if word, rest, _ := strings.Cut(found, "("); !slices.Contains(typeWords, word) {
		if meant = syntax.Nearest(word, typeWords); meant != "" && rest != "" {
			meant += "(" + rest
		}
	}
	if meant != "" {
		meant = fmt.Sprintf(" Write type = %s.", meant)
	}
	b.Report(e.Range(), "Invalid type", "%s; found %s.%s", forms, found, meant)
	return t, false
}

// defaultOf reads a default.
func defaultOf(b *syntax.Block, e hclsyntax.Expression, want cty.Type) cty.Value {
	v, ok := b.Constant(e, "default", "a value that refers to nothing")
	if !ok {
		return syntax.Broken
	}
	if v.IsNull() {
		b.Report(e.Range(), "Invalid default", "null is no value. Leave the line out where a value must be given.")
		return syntax.Broken
	}
	if isSecret(b.Name, v) {
		b.Conceal(e.Range())
		b.Report(e.Range(), "A secret in a variable", "%s", noSecret)
		return syntax.Broken
	}
	converted, err := convert.Convert(v, want)
	if err != nil {
		b.Report(e.Range(), "Invalid default", "Variable %q is of type %s; found %s: %s.", b.Name, typeexpr.TypeString(want), syntax.Describe(v), err)
		return syntax.Broken
	}
	return converted
}

// givenValue makes a value that comes from outside one of the variable's type. Text for
// another type than string is read as it would stand in the file.
func givenValue(b *syntax.Block, g given, want cty.Type) cty.Value {
	at, v := g.at, g.value
	if at.Filename == "" {
		at = b.Header
	}
	summary := fmt.Sprintf("Invalid value of variable %q", b.Name)
	if v.IsNull() {
		b.Report(at, summary, "It is null in %s. Take it out there.", g.by)
		return syntax.Broken
	}
	if isSecret(b.Name, v) {
		b.Conceal(g.at)
		b.Report(at, "A secret in a variable", "Variable %q is set by %s. %s", b.Name, g.by, noSecret)
		return syntax.Broken
	}
	text := v.Type() == cty.String
	if text && want != cty.String && want != cty.Bool && want != cty.Number {
		e, diags := hclsyntax.ParseExpression([]byte(v.AsString()), g.by, hcl.InitialPos)
		if !diags.HasErrors() {
			if parsed, diags := e.Value(nil); !diags.HasErrors() {
				v = parsed
			}
		}
	}
	converted, err := convert.Convert(v, want)
	if err != nil || converted.IsNull() || !converted.IsWhollyKnown() {
		b.Report(at, summary, "It is of type %s; %s, set by %s, is none.", typeexpr.TypeString(want), syntax.Describe(g.value), g.by)
		return syntax.Broken
	}
	return converted
}

// secretWords are in the names of what holds secrets.
var secretWords = []string{"password", "passphrase", "passwd", "secret", "token", "private_key", "credential"}

// isSecret says whether a text must be a secret by its name, and is no reference to one.
func isSecret(name string, v cty.Value) bool {
	name = strings.ToLower(name)
	if v.IsNull() || v.Type() != cty.String || !slices.ContainsFunc(secretWords, func(w string) bool { return strings.Contains(name, w) }) {
		return false
	}
	_, err := hostspec.ParseSecretRef(v.AsString())
	return err != nil
}

// strangers reports values for variables that there are not.
func (r *reader) strangers(sources []Values) {
	names := slices.Sorted(maps.Keys(r.declared["variable"]))
	for _, s := range sources {
		for _, name := range slices.Sorted(maps.Keys(s.given)) {
			if slices.Contains(names, name) {
				continue
			}
			g, meant := s.given[name], syntax.Nearest(name, names)
			switch {
			case meant != "":
				r.Report(g.at, fmt.Sprintf("Unknown variable %q", name), "No variable of that name is declared, but %s sets it. Did you mean %s?", g.by, meant)
			case !s.closed: // for another lab
			case len(names) == 0:
				r.Report(g.at, fmt.Sprintf("Unknown variable %q", name), "%s sets it, and the lab has no variable.", upper(g.by))
			default:
				r.Report(g.at, fmt.Sprintf("Unknown variable %q", name), "%s sets it. The variables of the lab are %s.", upper(g.by), strings.Join(names, ", "))
			}
		}
	}
}

func upper(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
