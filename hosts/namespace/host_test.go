package namespace

import (
	"strings"
	"testing"
)

const testKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDiidYAlLb8/tByLywudo1IV9dvhLhOYdTlABIxLvORr"

func TestSpecCheck(t *testing.T) {
	for _, tc := range []struct {
		name string
		spec Spec
		want string // part of the error; empty: none
	}{
		{"least", Spec{Name: "a", AuthorizedKey: testKey}, ""},
		{"all", Spec{Name: "spark-3f9c2a", Hostname: "spark", AuthorizedKey: testKey + " me@desk\n", Port: 65535}, ""},
		{"no name", Spec{AuthorizedKey: testKey}, `host name ""`},
		{"upper case", Spec{Name: "Spark", AuthorizedKey: testKey}, `host name "Spark"`},
		{"option", Spec{Name: "-spark", AuthorizedKey: testKey}, `host name "-spark"`},
		{"dash at the end", Spec{Name: "spark-", AuthorizedKey: testKey}, `host name "spark-"`},
		{"path", Spec{Name: "../spark", AuthorizedKey: testKey}, `host name "../spark"`},
		{"two lines", Spec{Name: "spark\n", AuthorizedKey: testKey}, `host name "spark\n"`},
		{"64 bytes", Spec{Name: strings.Repeat("a", 64), AuthorizedKey: testKey}, "63"},
		{"hostname", Spec{Name: "spark", Hostname: "s p", AuthorizedKey: testKey}, `hostname: host name "s p"`},
		{"port", Spec{Name: "spark", AuthorizedKey: testKey, Port: 65536}, "port 65536"},
		{"negative port", Spec{Name: "spark", AuthorizedKey: testKey, Port: -1}, "port -1"},
		{"no key", Spec{Name: "spark"}, "authorized key"},
		{"private key", Spec{Name: "spark", AuthorizedKey: "-----BEGIN OPENSSH PRIVATE KEY-----"}, "authorized key"},
		{"two keys", Spec{Name: "spark", AuthorizedKey: testKey + "\n" + testKey}, "one line"},
		{"comment first", Spec{Name: "spark", AuthorizedKey: "# me\n" + testKey}, "one line"},
		{"key options", Spec{Name: "spark", AuthorizedKey: `command="id" ` + testKey}, "no options"},
	} {
		t.Run(tc.name, func(t *testing.T) { checkError(t, tc.spec.Check(), tc.want) })
	}
}

func checkError(t *testing.T, err error, want string) {
	t.Helper()
	switch {
	case want == "" && err != nil:
		t.Errorf("got error %q, want none", err)
	case want != "" && err == nil:
		t.Errorf("got no error, want one with %q", want)
	case want != "" && !strings.Contains(err.Error(), want):
		t.Errorf("got error %q, want one with %q", err, want)
	}
}
