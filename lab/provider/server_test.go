//go:build linux

package provider

import (
	"slices"
	"testing"
)

func TestServerJudge(t *testing.T) {
	for _, tc := range []struct {
		args  ServerArgs
		wants []string // the properties that are refused
	}{
		{ServerArgs{}, nil},
		{ServerArgs{Framework: "fiber", GOGC: 800, GOMAXPROCS: 4, Listeners: 4}, nil},
		{ServerArgs{Framework: "fasthttp", GOMAXPROCS: 8192, Listeners: 1024}, nil},
		{ServerArgs{Program: &ServerProgram{}, CPUs: "0-3,8", GOGC: 100, GOMAXPROCS: 1}, nil},
		{ServerArgs{Program: &ServerProgram{}, CPUs: "3-0", Framework: "fiber", Listeners: 1}, []string{"cpus", "framework", "listeners"}},
		{ServerArgs{Framework: "gin", GOGC: -1, GOMAXPROCS: 8193, Listeners: 1025}, []string{"framework", "gogc", "gomaxprocs", "listeners"}},
	} {
		var got []string
		for _, failure := range tc.args.judge() {
			got = append(got, failure.Property)
		}
		if !slices.Equal(got, tc.wants) {
			t.Errorf("%+v: refused %q, want %q", tc.args, got, tc.wants)
		}
	}
}

// What is not asked for is left to the program.
func TestServerArguments(t *testing.T) {
	args := ServerArgs{Listen: []string{"http://10.0.0.1:80"}}
	if got := args.arguments(); !slices.Equal(got, []string{"-listen", "http://10.0.0.1:80"}) {
		t.Errorf("without settings: %q", got)
	}
	if _, set := args.env()["GOMAXPROCS"]; set {
		t.Error("GOMAXPROCS is set without being asked for")
	}
	args.Framework, args.Listeners, args.GOMAXPROCS = "fiber", 4, 2
	if got := args.arguments(); !slices.Equal(got, []string{"-listen", "http://10.0.0.1:80", "-framework", "fiber", "-listeners", "4"}) {
		t.Errorf("with settings: %q", got)
	}
	if got := args.env()["GOMAXPROCS"]; got != "2" {
		t.Errorf("GOMAXPROCS is %q, want 2", got)
	}
}
