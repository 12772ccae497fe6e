package hosts

import (
	"fmt"
	"os"

	"github.com/hanzoai/benchlab/hosts/hostspec"
)

// Secrets looks up the secrets that connections refer to as "secret:NAME". An error says
// how to add the one that is missing.
type Secrets func(name string) (string, error)

// secret is one that was looked up. It is printed as the reference to it.
type secret struct {
	ref   hostspec.SecretRef
	value string
}

func (s secret) String() string { return s.ref.String() }

func (s secret) set() bool { return s.value != "" }

// secrets are those of one connection.
type secrets struct{ passphrase, password, becomePassword secret }

// of looks up what a connection refers to, before it is dialled.
func (lookup Secrets) of(c hostspec.Connection) (s secrets, err error) {
	for _, one := range []struct {
		attribute, text string
		found           *secret
	}{
		{"passphrase", c.Passphrase, &s.passphrase},
		{"password", c.Password, &s.password},
		{"become_password", c.BecomePassword, &s.becomePassword},
	} {
		if *one.found, err = lookup.secret(one.text); err != nil {
			return secrets{}, fmt.Errorf("%s: %w", one.attribute, err)
		}
	}
	return s, nil
}

func (lookup Secrets) secret(text string) (secret, error) {
	ref, err := hostspec.ParseSecretRef(text)
	if err != nil || text == "" {
		return secret{}, err
	}
	if ref.Kind == hostspec.FromSecret && lookup == nil {
		return secret{}, fmt.Errorf("%s: no secrets are configured here", ref)
	}
	if ref.Kind == hostspec.FromSecret {
		value, err := lookup(ref.Name)
		return secret{ref, value}, err
	}
	value := os.Getenv(ref.Name)
	if value == "" {
		return secret{}, fmt.Errorf("%s is not set, or empty; export it where pulumi runs", ref)
	}
	return secret{ref, value}, nil
}
