package syntax

import "testing"

func TestNearest(t *testing.T) {
	for _, c := range []struct{ given, want string }{
		{"sprak", "spark"},
		{"SPARK", "spark"},
		{"ev", "evo"},
		{"e", ""},
		{"gateway", ""},
		{"spar-1", "spark-1"},
		{"spark-2", "spark-1"},
	} {
		if got := Nearest(c.given, []string{"evo", "spark", "spark-1"}); got != c.want {
			t.Errorf("Nearest(%q) = %q, want %q", c.given, got, c.want)
		}
	}
}

func TestOneOf(t *testing.T) {
	for _, c := range []struct {
		given, want string
		candidates  []string
	}{
		{"sprak", ". Did you mean spark?", []string{"evo", "spark"}},
		{"gateway", "; it has evo, spark.", []string{"evo", "spark"}},
		{"gateway", ": it has none.", nil},
	} {
		if got := OneOf(c.given, c.candidates); got != c.want {
			t.Errorf("OneOf(%q, %q) = %q, want %q", c.given, c.candidates, got, c.want)
		}
	}
}
