//go:build linux

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// output prints a part of the stack's outputs:
//
//	output tuning spark sysctl/net.core.somaxconn live
//
// Each word goes one level down; in a list it is an index, or the key of an element.
func output(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("usage: output [WORD...]")
	}
	ts.Check(ts.Exec("pulumi", "stack", "output", "--json"))
	var value any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &value))
	show(ts, value, args)
}

// state prints a part of the outputs that the state has of a resource:
//
//	state tuning:Profile spark writes
func state(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: state TYPE NAME [WORD...]")
	}
	show(ts, resourceOutputs(ts, args[0], args[1]), args[2:])
}

func resourceOutputs(ts *testscript.TestScript, kind, name string) any {
	ts.Check(ts.Exec("pulumi", "stack", "export"))
	var export struct {
		Deployment struct {
			Resources []struct {
				URN     string `json:"urn"`
				Outputs any    `json:"outputs"`
			} `json:"resources"`
		} `json:"deployment"`
	}
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &export))
	for _, r := range export.Deployment.Resources {
		if strings.HasSuffix(r.URN, "benchlab:"+kind+"::"+name) {
			return r.Outputs
		}
	}
	ts.Fatalf("no %s %s in the state", kind, name)
	return nil
}

func show(ts *testscript.TestScript, value any, path []string) {
	for i, word := range path {
		var ok bool
		if value, ok = step(value, word); !ok {
			ts.Fatalf("nothing at %q", path[:i+1])
		}
	}
	if text, ok := value.(string); ok {
		_, err := fmt.Fprintln(ts.Stdout(), text)
		ts.Check(err)
		return
	}
	text, err := json.Marshal(value)
	ts.Check(err)
	_, err = fmt.Fprintf(ts.Stdout(), "%s\n", text)
	ts.Check(err)
}

func step(value any, word string) (any, bool) {
	switch value := value.(type) {
	case map[string]any:
		inner, ok := value[word]
		return inner, ok
	case []any:
		if i, err := strconv.Atoi(word); err == nil && i >= 0 && i < len(value) {
			return value[i], true
		}
		for _, element := range value {
			if m, ok := element.(map[string]any); ok && m["key"] == word {
				return element, true
			}
		}
	}
	return nil, false
}

// remember puts what the last command printed into a variable:
//
//	remember pid
func remember(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: remember VARIABLE")
	}
	ts.Setenv(args[0], strings.TrimSpace(ts.ReadFile("stdout")))
}

// expand replaces the variables in files by their values:
//
//	expand lab.hcl
func expand(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("usage: expand FILE...")
	}
	for _, name := range args {
		text := os.Expand(ts.ReadFile(name), ts.Getenv)
		ts.Check(os.WriteFile(ts.MkAbs(name), []byte(text), 0o600))
	}
}

// valid holds the JSON that the last command printed against a JSON schema:
//
//	valid ../workloads/results/result.schema.json
//
// The path is relative to this package.
func valid(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: valid SCHEMA")
	}
	schema, err := jsonschema.NewCompiler().Compile(args[0])
	ts.Check(err)
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(ts.ReadFile("stdout")))
	ts.Check(err)
	ts.Check(schema.Validate(document))
}

// noSecret looks for the private keys of the lab in everything that Pulumi keeps and in
// files, each by a line out of its middle.
func noSecret(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("usage: nosecret [FILE...]")
	}
	s := of(ts)
	keys := glob(ts, s.path("keys/benchlab/*/identity"))
	for _, c := range s.machines {
		keys = append(keys, c.Identity)
	}
	if len(keys) == 0 {
		ts.Fatalf("no private key to look for")
	}
	secrets := []string{"PRIVATE KEY"}
	for _, key := range keys {
		lines := strings.Split(ts.ReadFile(key), "\n")
		if len(lines) < 5 {
			ts.Fatalf("%s is no private key", key)
		}
		secrets = append(secrets, lines[2], lines[3])
	}
	for i, secret := range secrets {
		secrets[i] = regexp.QuoteMeta(secret)
	}
	pattern := regexp.MustCompile(strings.Join(secrets, "|"))
	for _, name := range args {
		if pattern.MatchString(ts.ReadFile(name)) {
			ts.Fatalf("a private key stands in %s", name)
		}
	}
	searched := 0
	ts.Check(walk(s.path("pulumi"), func(path string, text []byte) {
		searched++
		if pattern.Match(text) {
			ts.Fatalf("a private key stands in %s", path)
		}
	}))
	if searched == 0 {
		ts.Fatalf("Pulumi keeps no files: nothing was searched")
	}
}
