package serverspec

import (
	"strings"
	"testing"
)

func TestCheckVariable(t *testing.T) {
	for _, test := range []struct{ name, value, want string }{
		{"LOG", "off", ""},
		{"_x9", "", ""},
		{"PATH", "/opt/bin:/usr/bin", ""},
		{"9X", "", "no name of an environment variable"},
		{"A=B", "", "no name"},
		{"", "", "no name"},
		{"BENCHLAB_STATS", "x", "its own"},
		{"GOGC", "100", "set by gogc of the server"},
		{"GOMAXPROCS", "1", "set by gomaxprocs"},
		{"TOKEN", "secret:token", "can't hold"},
		{"TOKEN", "env:TOKEN", "can't hold"},
		{"A", "a\x00b", "NUL"},
	} {
		err := CheckVariable(test.name, test.value)
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s=%q: error %v, want %q in it", test.name, test.value, err, test.want)
		}
	}
}

func TestCheckFramework(t *testing.T) {
	for name, ok := range map[string]bool{FastHTTP: true, Fiber: true, "gin": false, "": false} {
		if err := CheckFramework(name); (err == nil) != ok {
			t.Errorf("%q: error %v", name, err)
		}
	}
}
