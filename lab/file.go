package lab

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hanzoai/benchlab/tuning/profiles/syntax"
)

// Load reads and checks the lab file at path, or all *.hcl files of the directory at path,
// which are one lab. Variables have their values from sources, the first that has one, or
// else from the file beside the lab that ends in .vars instead of .hcl. What is wrong with
// the text comes as a *syntax.Diagnostics; a file that can't be read as an error that wraps
// the one of the operating system.
func Load(path string, sources ...Values) (*Definition, error) {
	files, err := filesOf(path)
	if err != nil {
		return nil, err
	}
	r := newReader()
	r.valuesFile = strings.TrimSuffix(filepath.Clean(path), ".hcl") + ".vars"
	var root *syntax.Block
	readable := true
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			// A pattern error only means that there is nothing to suggest.
			others, _ := filepath.Glob(filepath.Join(filepath.Dir(name), "*.hcl"))
			return nil, fmt.Errorf("read lab file: %w%s", err, syntax.DidYouMean(name, others))
		}
		b, ok := r.Open(src, name, grammar)
		switch {
		case !ok:
			readable = false
		case root == nil:
			root = b
		default:
			root.Children = append(root.Children, b.Children...)
		}
	}
	values, ok, err := r.values(r.valuesFile)
	if err != nil {
		return nil, err
	}
	if readable && ok {
		if err := r.read(root, append(slices.Clone(sources), values)); err != nil {
			return nil, err
		}
	}
	return r.definition()
}

// filesOf lists the files of the lab at path.
func filesOf(path string) ([]string, error) {
	if !isDirectory(path) {
		return []string{path}, nil
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, fmt.Errorf("read lab: %w", err)
	}
	var files []string
	for _, e := range entries {
		if filepath.Ext(e.Name()) == ".hcl" {
			files = append(files, filepath.Join(path, e.Name()))
		}
	}
	if files == nil {
		return nil, fmt.Errorf("read lab: %s has no file that ends in .hcl", path)
	}
	return files, nil
}

// isDirectory is false where nobody can tell: to read it says why.
func isDirectory(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// Path is where the lab of a stack is: DIR/STACK.hcl, or the directory DIR/STACK.
func Path(dir, stack string) (string, error) {
	path := filepath.Join(dir, stack)
	file := path + ".hcl"
	if !isDirectory(path) {
		return file, nil
	}
	if _, err := os.Stat(file); err == nil {
		return "", fmt.Errorf("there are both %s and the directory %s; a stack has one lab: move the one into the other", file, path)
	}
	return path, nil
}

// Parse reads and checks the text of a lab file; filename only names it in messages.
// Variables have their values from sources, the first that has one, or else their defaults.
// The error is a *syntax.Diagnostics that holds everything found, and no Definition comes
// with it. Syntax errors stand alone: what follows from a broken line is guesswork.
func Parse(src []byte, filename string, sources ...Values) (*Definition, error) {
	r := newReader()
	r.valuesFile = strings.TrimSuffix(filename, ".hcl") + ".vars"
	if root, ok := r.Open(src, filename, grammar); ok {
		if err := r.read(root, sources); err != nil {
			return nil, err
		}
	}
	return r.definition()
}

func (r *reader) definition() (*Definition, error) {
	if err := r.Err(); err != nil {
		return nil, err
	}
	return &r.def, nil
}

// values reads a file of values for variables, if there is one. It is false where the file
// can't be used, which has been reported.
func (r *reader) values(path string) (Values, bool, error) {
	v := Values{given: map[string]given{}, closed: true}
	src, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return v, true, nil
	}
	if err != nil {
		return v, false, fmt.Errorf("read values of variables: %w", err)
	}
	lab := r.Scope
	r.Scope = syntax.NewScope(functions, nil)
	root, ok := r.Open(src, path, syntax.Shape{Kind: "file of values", AnyName: true})
	r.Scope = lab
	if !ok {
		return v, false, nil
	}
	before := r.Errors()
	for _, name := range root.Names() {
		e := root.Expr(name)
		if value, ok := root.Value(e); ok {
			v.given[name] = given{value: value, by: syntax.Place(e.Range()), at: e.Range()}
		}
	}
	return v, r.Errors() == before, nil
}
