package lab

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"
)

// Values are those of variables, from one source outside of the lab file.
type Values struct {
	given map[string]given
	// err is why the source can't be used.
	err error
	// closed: each value is meant for this lab, so that one for no variable is a mistake.
	closed bool
}

// given is a value and where it was given.
type given struct {
	value cty.Value
	// by names the source: "the environment variable BENCHLAB_VAR_rate".
	by string
	at hcl.Range
}

// environmentPrefix starts the names of environment variables that are for variables of a lab.
const environmentPrefix = "BENCHLAB_VAR_"

// Environment takes values from environment variables BENCHLAB_VAR_NAME, in the form of
// os.Environ. Other labs may have theirs there too.
func Environment(environ []string) Values {
	v := Values{given: map[string]given{}}
	for _, entry := range environ {
		name, text, _ := strings.Cut(entry, "=")
		if variable, ours := strings.CutPrefix(name, environmentPrefix); ours && variable != "" {
			v.given[variable] = given{value: cty.StringVal(text), by: "the environment variable " + name}
		}
	}
	return v
}

// ConfigName is the name under which the configuration of a stack has values of variables,
// in the namespace of its project.
const ConfigName = "vars"

// setVariable is the command that gives a variable a value.
const setVariable = "pulumi config set --path vars.%s VALUE"

// Configuration takes values from the stack's configuration: text is what it has under key
// (see [ConfigName]), a JSON object, or "" for nothing. Secret says that a part of it is
// encrypted, which variables are not.
func Configuration(key, text string, secret bool) Values {
	v := Values{given: map[string]given{}, closed: true}
	if secret {
		v.err = fmt.Errorf("%s of the stack's configuration has an encrypted value, and variables hold no secret: they stand in the state and in messages. "+
			"Set it as a secret, pulumi config set --secret --path benchlab:secrets.NAME, and name it where it is used, as in password = \"secret:NAME\"", key)
		return v
	}
	if text == "" {
		return v
	}
	var raw map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &raw); err != nil {
		v.err = fmt.Errorf("%s of the stack's configuration wants a value for each variable; set one: "+setVariable, key, "NAME")
		return v
	}
	for name, text := range raw {
		t, err := ctyjson.ImpliedType(text)
		var value cty.Value
		if err == nil {
			value, err = ctyjson.Unmarshal(text, t)
		}
		if err != nil {
			v.err = fmt.Errorf("%s.%s of the stack's configuration: %w", key, name, err)
			return v
		}
		v.given[name] = given{value: value, by: fmt.Sprintf("the stack's configuration (%s.%s)", key, name)}
	}
	return v
}
