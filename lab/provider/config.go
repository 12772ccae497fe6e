package provider

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// Config is the configuration of the provider: that of the stack, where a program names no
// provider of its own.
type Config struct {
	Secrets map[string]string `pulumi:"secrets,optional" provider:"secret"`
}

// Annotate documents the configuration.
func (c *Config) Annotate(a infer.Annotator) {
	a.Describe(&c.Secrets, "Passwords and passphrases by name, for connections to refer to as `secret:NAME`. Set one with `pulumi config set --secret --path 'benchlab:secrets.NAME'`.")
}

// secrets are what the provider was configured with.
type secrets struct {
	mu     sync.Mutex
	byName map[string]string
}

// find is a hosts.Secrets.
func (s *secrets) find(name string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byName[name] == "" {
		return "", fmt.Errorf("secret:%s is not in the stack's configuration, or empty; set it: %s", name, setSecret(name))
	}
	return s.byName[name], nil
}

func setSecret(name string) string {
	return fmt.Sprintf("pulumi config set --secret --path 'benchlab:secrets.%s'", name)
}

// noTexts says which secrets are no texts: Pulumi makes a number of digits that are set
// without --secret, and such a one has lost its leading zeros. The configuration comes as
// JSON within a text. No failure names a property, as Pulumi would show its value.
func noTexts(inputs property.Map) (failures []p.CheckFailure) {
	given := inputs.Get("secrets")
	if given.IsComputed() || given.IsNull() {
		return nil
	}
	var byName map[string]any
	if given.IsString() {
		if json.Unmarshal([]byte(given.AsString()), &byName) != nil {
			return []p.CheckFailure{{Reason: "benchlab:secrets wants a name for each secret; set one: " + setSecret("NAME")}}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		if _, ok := byName[name].(string); !ok {
			failures = append(failures, p.CheckFailure{Reason: fmt.Sprintf("benchlab:secrets.%s is no text; set it anew, encrypted: %s", name, setSecret(name))})
		}
	}
	return failures
}

// withSecrets makes the configured secrets known, which infer tells only to resources. A
// secret that changes is no reason to replace the provider, and with it all that it has made.
func withSecrets(inner p.Provider, s *secrets) p.Provider {
	outer := inner
	outer.CheckConfig = func(ctx context.Context, r p.CheckRequest) (p.CheckResponse, error) {
		if failures := noTexts(r.Inputs); failures != nil {
			return p.CheckResponse{Inputs: r.Inputs, Failures: failures}, nil
		}
		// The configuration of the stack has the variables of the lab file beside ours, as
		// the project has the provider's name.
		r.Inputs = r.Inputs.Delete("vars")
		return inner.CheckConfig(ctx, r)
	}
	outer.Configure = func(ctx context.Context, r p.ConfigureRequest) error {
		if err := inner.Configure(ctx, r); err != nil {
			return err
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.byName = map[string]string{}
		if given := r.Args.Get("secrets"); given.IsMap() {
			for name, value := range given.AsMap().All {
				if value.IsString() {
					s.byName[name] = value.AsString()
				}
			}
		}
		return nil
	}
	outer.DiffConfig = func(ctx context.Context, r p.DiffRequest) (p.DiffResponse, error) {
		d, err := inner.DiffConfig(ctx, r)
		for key, diff := range d.DetailedDiff {
			diff.Kind = p.Update
			d.DetailedDiff[key] = diff
		}
		return d, err
	}
	return outer
}
