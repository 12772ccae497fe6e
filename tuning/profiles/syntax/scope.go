package syntax

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

// Scope is what expressions can refer to: names below a root, as in var.rate, and
// functions. The zero value knows nothing, so that only constants can be written.
type Scope struct {
	outer     *Scope
	roots     map[string]map[string]defined
	functions map[string]function.Function
	// absent says of a root why it is not known where it is not, and of "NAME()" what to do
	// without such a function.
	absent map[string]string
}

// defined is a value that can be referred to.
type defined struct {
	value cty.Value
	// origin says where the value comes from, to go on after "x is 1"; "" where the file
	// shows it.
	origin string
}

// NewScope makes a scope of functions. Absent has roots that are known only in some places,
// and for each the sentence that says so; of "NAME()" it says what to do without a function
// that people may look for.
func NewScope(functions map[string]function.Function, absent map[string]string) *Scope {
	return &Scope{functions: functions, absent: absent}
}

// Within is a scope that knows all that s does, then and later, and has names of its own.
func (s *Scope) Within() *Scope { return &Scope{outer: s} }

// Define makes root.name known. Origin says where the value comes from if the file does
// not show it ("set by the environment variable RATE"). A value that could not be worked
// out, which has been reported, is [Broken]: what refers to it is not reported again.
func (s *Scope) Define(root, name string, value cty.Value, origin string) {
	s.Root(root)[name] = defined{value, origin}
}

// Root makes a root known, though there may be no name below it.
func (s *Scope) Root(root string) map[string]defined {
	if s.roots == nil {
		s.roots = map[string]map[string]defined{}
	}
	if s.roots[root] == nil {
		s.roots[root] = map[string]defined{}
	}
	return s.roots[root]
}

// Broken stands for a value that could not be worked out.
var Broken = cty.DynamicVal

// names are those below a root; false where the root is not known.
func (s *Scope) names(root string) (map[string]defined, bool) {
	for ; s != nil; s = s.outer {
		if names, known := s.roots[root]; known {
			return names, true
		}
	}
	return nil, false
}

func (s *Scope) known() []string {
	var roots []string
	for ; s != nil; s = s.outer {
		roots = append(roots, slices.Collect(maps.Keys(s.roots))...)
	}
	slices.Sort(roots)
	return roots
}

func (s *Scope) function(name string) (function.Function, bool) {
	for ; s != nil; s = s.outer {
		if f, known := s.functions[name]; known {
			return f, true
		}
	}
	return function.Function{}, false
}

func (s *Scope) functionNames() []string {
	var names []string
	for ; s != nil; s = s.outer {
		names = append(names, slices.Collect(maps.Keys(s.functions))...)
	}
	slices.Sort(names)
	return names
}

func (s *Scope) whyAbsent(root string) string {
	for ; s != nil; s = s.outer {
		if why := s.absent[root]; why != "" {
			return why
		}
	}
	return ""
}

// context is the scope as far as some expression needs it.
func (s *Scope) context(roots []string) *hcl.EvalContext {
	ctx := &hcl.EvalContext{Variables: map[string]cty.Value{}, Functions: map[string]function.Function{}}
	for _, name := range s.functionNames() {
		ctx.Functions[name], _ = s.function(name)
	}
	for _, root := range roots {
		names, known := s.names(root)
		if !known {
			continue
		}
		values := make(map[string]cty.Value, len(names))
		for name, d := range names {
			values[name] = d.value
		}
		ctx.Variables[root] = cty.ObjectVal(values)
	}
	return ctx
}

// fault is what is wrong with a reference.
type fault struct {
	at              hcl.Range
	summary, detail string
	// foreign: not even the root of the reference is one.
	foreign bool
}

// check looks a reference up; nil where it leads to something.
func (s *Scope) check(steps hcl.Traversal) *fault {
	root := steps.RootName()
	names, known := s.names(root)
	if !known {
		return s.unknownRoot(steps)
	}
	if len(steps) == 1 {
		return nil // all names of the root
	}
	name, ok := stepName(steps[1])
	if !ok {
		return nil // HCL knows what is wrong with it
	}
	at := hcl.RangeBetween(steps[0].SourceRange(), steps[1].SourceRange())
	d, known := names[name]
	if !known {
		candidates := slices.Sorted(maps.Keys(names))
		return &fault{at: at, summary: fmt.Sprintf("Unknown name %s.%s", root, name), detail: s.offer(root, name, candidates)}
	}
	return within(root+"."+name, d.value, at, steps[2:])
}

// offer says what a name below a root could be.
func (s *Scope) offer(root, name string, candidates []string) string {
	if meant := Nearest(name, candidates); meant != "" {
		return fmt.Sprintf("There is no such name. Did you mean %s.%s?", root, meant)
	}
	for _, other := range s.known() {
		if names, _ := s.names(other); other != root {
			if _, there := names[name]; there {
				return fmt.Sprintf("There is no such name. Did you mean %s.%s?", other, name)
			}
		}
	}
	if len(candidates) == 0 {
		return fmt.Sprintf("There is no such name: nothing is declared below %s.", root)
	}
	return fmt.Sprintf("There is no such name. Declared: %s.%s.", root, strings.Join(candidates, fmt.Sprintf(", %s.", root)))
}

func (s *Scope) unknownRoot(steps hcl.Traversal) *fault {
	root := steps.RootName()
	f := &fault{at: steps.SourceRange(), summary: fmt.Sprintf("Unknown name %s", root)}
	if why := s.whyAbsent(root); why != "" {
		f.summary = fmt.Sprintf("%s is not known here", root)
		f.detail = why
		return f
	}
	if len(steps) == 1 {
		for _, other := range s.known() {
			if names, _ := s.names(other); len(names) > 0 {
				if _, there := names[root]; there {
					f.detail = fmt.Sprintf("Did you mean %s.%s?", other, root)
					return f
				}
			}
		}
	} else if meant := Nearest(root, s.known()); meant != "" {
		f.detail = fmt.Sprintf("Did you mean %s?", meant)
		return f
	}
	f.foreign = true
	if known := s.known(); known != nil {
		f.detail = fmt.Sprintf("An expression can refer to %s here; text stands in quotes.", strings.Join(known, ", "))
	} else {
		f.detail = "An expression can refer to nothing here; text stands in quotes."
	}
	return f
}

// within follows a reference into a value.
func within(path string, v cty.Value, at hcl.Range, steps hcl.Traversal) *fault {
	for _, step := range steps {
		name, ok := stepName(step)
		if !ok || !v.IsKnown() || v.IsNull() {
			return nil
		}
		var candidates []string
		switch t := v.Type(); {
		case t.IsObjectType():
			candidates = slices.Sorted(maps.Keys(t.AttributeTypes()))
			if _, _, block := Referred(v); block {
				candidates = slices.DeleteFunc(candidates, func(c string) bool { return c == refKind })
			}
		case t.IsMapType():
			candidates = slices.Sorted(maps.Keys(v.AsValueMap()))
		default:
			return nil
		}
		at = hcl.RangeBetween(at, step.SourceRange())
		if !slices.Contains(candidates, name) {
			detail := fmt.Sprintf("%s has nothing in it.", path)
			if meant := Nearest(name, candidates); meant != "" {
				detail = fmt.Sprintf("%s has no %q. Did you mean %q?", path, name, meant)
			} else if candidates != nil {
				detail = fmt.Sprintf("%s has no %q; it has %s.", path, name, strings.Join(candidates, ", "))
			}
			return &fault{at: at, summary: fmt.Sprintf("Unknown name %s", member(path, step)), detail: detail}
		}
		if v.Type().IsObjectType() {
			v = v.GetAttr(name)
		} else {
			v = v.Index(cty.StringVal(name))
		}
		path = member(path, step)
	}
	return nil
}

// member writes a step of a reference as the file does.
func member(path string, step hcl.Traverser) string {
	name, _ := stepName(step)
	if _, index := step.(hcl.TraverseIndex); index {
		return fmt.Sprintf("%s[%q]", path, name)
	}
	return path + "." + name
}

// plainly is how a message shows a value.
func plainly(v cty.Value) string {
	text := Describe(v)
	return text[strings.LastIndexByte(text, ' ')+1:]
}

func stepName(step hcl.Traverser) (string, bool) {
	switch step := step.(type) {
	case hcl.TraverseAttr:
		return step.Name, true
	case hcl.TraverseIndex:
		if step.Key.Type() == cty.String && step.Key.IsKnown() && !step.Key.IsNull() {
			return step.Key.AsString(), true
		}
	}
	return "", false
}

// remark says what a reference stands for, where a message with that detail would be a
// riddle without it.
func (s *Scope) remark(steps hcl.Traversal, detail string) string {
	names, known := s.names(steps.RootName())
	if !known || len(steps) == 1 {
		return ""
	}
	name, ok := stepName(steps[1])
	d, known := names[name]
	if !ok || !known {
		return ""
	}
	path, v := steps.RootName()+"."+name, d.value
	for _, step := range steps[2:] {
		name, ok := stepName(step)
		if !ok || !v.IsKnown() || v.IsNull() || !v.Type().IsObjectType() || !v.Type().HasAttribute(name) {
			break
		}
		path, v = member(path, step), v.GetAttr(name)
	}
	if !v.IsKnown() {
		return ""
	}
	// What is not one word is better looked up.
	if d.origin == "" && (!v.Type().IsPrimitiveType() || strings.Contains(detail, plainly(v))) {
		return ""
	}
	said := fmt.Sprintf("%s is %s", path, Describe(v))
	if d.origin != "" {
		said += ", " + d.origin
	}
	return said
}
