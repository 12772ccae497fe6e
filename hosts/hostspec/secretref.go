package hostspec

import (
	"errors"
	"regexp"
	"strings"
)

// SecretRef says where a secret is: "env:NAME" is an environment variable of the program
// that connects, "secret:NAME" is kept by whoever configures it. It is no secret itself.
type SecretRef struct{ Kind, Name string }

// Kinds of a SecretRef.
const (
	FromEnv    = "env"
	FromSecret = "secret"
)

var secretNames = map[string]*regexp.Regexp{
	FromEnv:    regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`),
	FromSecret: regexp.MustCompile(`^[A-Za-z0-9_-]+$`),
}

// Neither error repeats what was found: it may be the secret.
var errSecretName = map[string]error{
	FromEnv:    errors.New("what follows env: is no name of an environment variable. Write it as in \"env:SPARK_SUDO\""),
	FromSecret: errors.New("the name that follows secret: can have letters, digits, - and _. Write it as in \"secret:spark-sudo\""),
}

var errNoSecretRef = errors.New(`it says nowhere where the secret is. Write "secret:NAME" for one of the stack's configuration, or "env:NAME" for an environment variable; the secret itself does not belong here`)

// ParseSecretRef reads a reference. An empty text is none, and no error.
func ParseSecretRef(text string) (SecretRef, error) {
	if text == "" {
		return SecretRef{}, nil
	}
	kind, name, _ := strings.Cut(text, ":")
	switch form := secretNames[kind]; {
	case form == nil:
		return SecretRef{}, errNoSecretRef
	case !form.MatchString(name):
		return SecretRef{}, errSecretName[kind]
	}
	return SecretRef{kind, name}, nil
}

func (r SecretRef) String() string { return r.Kind + ":" + r.Name }
