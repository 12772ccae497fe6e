package provider

import (
	"context"
	"fmt"
	"sync"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"
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
		return "", fmt.Errorf("secret:%s is not in the stack's configuration, or empty; set it: pulumi config set --secret --path 'benchlab:secrets.%s'", name, name)
	}
	return s.byName[name], nil
}

// withSecrets makes the configured secrets known, which infer tells only to resources. A
// secret that changes is no reason to replace the provider, and with it all that it has made.
func withSecrets(inner p.Provider, s *secrets) p.Provider {
	outer := inner
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
