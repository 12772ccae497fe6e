package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"
)

// format formats files, and those directly in directories. With onlyCheck it writes nothing,
// names the files that are not formatted, and fails where there are any.
func format(out io.Writer, paths []string, onlyCheck bool) error {
	files, err := formattable(paths)
	if err != nil {
		return err
	}
	var unformatted int
	for _, path := range files {
		changed, err := formatOne(path, onlyCheck)
		if err != nil {
			return err
		}
		if !changed {
			continue
		}
		unformatted++
		if _, err := fmt.Fprintln(out, path); err != nil {
			return err
		}
	}
	if onlyCheck && unformatted > 0 {
		return errors.New("these files are not formatted; `make fmt` does it")
	}
	return nil
}

// formattable lists the files at paths. A file that is named is meant, whatever it is called.
func formattable(paths []string) ([]string, error) {
	var files []string
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			files = append(files, path)
			continue
		}
		entries, err := os.ReadDir(path)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if slices.Contains([]string{".hcl", ".vars"}, filepath.Ext(e.Name())) {
				files = append(files, filepath.Join(path, e.Name()))
			}
		}
	}
	return files, nil
}

// formatOne says whether a file is not formatted, and formats it unless it is only checked.
func formatOne(path string, onlyCheck bool) (changed bool, err error) {
	src, err := os.ReadFile(path)
	if err != nil {
		return false, err
	}
	// The formatter would move the tokens of a broken file about.
	if _, diags := hclsyntax.ParseConfig(src, path, hcl.InitialPos); diags.HasErrors() {
		return false, fmt.Errorf("%s can't be formatted: %w", path, diags)
	}
	formatted := hclwrite.Format(src)
	if bytes.Equal(src, formatted) {
		return false, nil
	}
	if onlyCheck {
		return true, nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return false, err
	}
	return true, os.WriteFile(path, formatted, info.Mode().Perm())
}
