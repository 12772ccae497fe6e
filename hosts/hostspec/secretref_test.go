package hostspec_test

import (
	"strings"
	"testing"

	"github.com/hanzoai/benchlab/hosts/hostspec"
)

func TestParseSecretRef(t *testing.T) {
	for text, want := range map[string]hostspec.SecretRef{
		"":                  {},
		"env:SPARK_SUDO":    {Kind: hostspec.FromEnv, Name: "SPARK_SUDO"},
		"secret:spark-sudo": {Kind: hostspec.FromSecret, Name: "spark-sudo"},
		"secret:7":          {Kind: hostspec.FromSecret, Name: "7"},
	} {
		got, err := hostspec.ParseSecretRef(text)
		if err != nil || got != want {
			t.Errorf("%q: got %+v, %v, want %+v", text, got, err, want)
		}
		if text != "" && got.String() != text {
			t.Errorf("%q is printed as %q", text, got)
		}
	}
	// What is wrong may be the secret itself: no error repeats a part of it.
	for text, want := range map[string]string{
		"hunter2":           "says nowhere where the secret is",
		":hunter2":          "says nowhere where the secret is",
		"hunter2:secret":    "says nowhere where the secret is",
		"SECRET:hunter2":    "says nowhere where the secret is",
		" secret:hunter2":   "says nowhere where the secret is",
		"env:hunter2.local": "no name of an environment variable",
		"env:":              "no name of an environment variable",
		"secret:":           "letters, digits, - and _",
		"secret:a.hunter2":  "letters, digits, - and _",
		"secret:hunter2\n":  "letters, digits, - and _",
	} {
		got, err := hostspec.ParseSecretRef(text)
		if err == nil || got != (hostspec.SecretRef{}) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: got %+v, %v, want an error with %q and without the text", text, got, err, want)
		}
	}
}
