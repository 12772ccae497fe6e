package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/hanzoai/benchlab/lab"
	"github.com/pulumi/pulumi/sdk/v3/go/common/diag"
	"github.com/pulumi/pulumi/sdk/v3/go/common/diag/colors"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/config"
	"github.com/pulumi/pulumi/sdk/v3/go/common/workspace"
)

// check reads labs as an up of their stacks would, and writes what they make. What is wrong
// with one does not keep the others from being read.
func check(out io.Writer, labs, environ []string) error {
	var wrong []error
	for _, path := range labs {
		if err := checkOne(out, path, environ); err != nil {
			wrong = append(wrong, err)
		}
	}
	return errors.Join(wrong...)
}

func checkOne(out io.Writer, path string, environ []string) error {
	configuration, err := stackValues(path)
	if err != nil {
		return err
	}
	definition, err := lab.Load(path, configuration, lab.Environment(environ))
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(out, path); err != nil {
		return err
	}
	return definition.Describe(out)
}

// stackValues takes values of variables from the configuration of the lab's stack, which is
// beside the lab; there are none where nothing is configured.
func stackValues(path string) (lab.Values, error) {
	path = filepath.Clean(path)
	stack := strings.TrimSuffix(filepath.Base(path), ".hcl")
	file := filepath.Join(filepath.Dir(path), "Pulumi."+stack+".yaml")
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		return lab.Values{}, nil
	}
	project, err := projectOf(filepath.Dir(path))
	if err != nil {
		return lab.Values{}, err
	}
	sink := diag.DefaultSink(io.Discard, io.Discard, diag.FormatOptions{Color: colors.Never})
	loaded, err := workspace.LoadProjectStack(sink, project, file)
	if err != nil {
		return lab.Values{}, fmt.Errorf("configuration of stack %s: %w", stack, err)
	}
	key := config.MustMakeKey(project.Name.String(), lab.ConfigName)
	value, ok := loaded.Config[key]
	if !ok {
		return lab.Values{}, nil
	}
	text, err := value.Value(config.NopDecrypter)
	if err != nil {
		return lab.Values{}, fmt.Errorf("configuration of stack %s: %w", stack, err)
	}
	return lab.Configuration(key.String(), text, value.Secure()), nil
}

// projectOf is the Pulumi project that a directory is in.
func projectOf(dir string) (*workspace.Project, error) {
	file, err := workspace.DetectProjectPathFrom(dir)
	if err != nil {
		return nil, fmt.Errorf("look for the Pulumi project of %s: %w", dir, err)
	}
	return workspace.LoadProject(file)
}
