package spec_test

import (
	"strings"
	"testing"

	"github.com/hanzoai/benchlab/tuning/spec"
)

func TestServiceUnit(t *testing.T) {
	for _, tc := range []struct{ name, want, err string }{
		{"irqbalance", "irqbalance.service", ""},
		{"irqbalance.service", "irqbalance.service", ""},
		{"logrotate.timer", "logrotate.timer", ""},
		{"cups.socket", "cups.socket", ""},
		{"redis@6379", "redis@6379.service", ""},
		{"org.example.thing", "org.example.thing.service", ""},
		{`dev-disk\x2dby.path`, `dev-disk\x2dby.path`, ""},
		{strings.Repeat("a", 247), strings.Repeat("a", 247) + ".service", ""},

		{"", "", "the name of the unit is empty"},
		{"a/b.service", "", `'/' is not part of`},
		{"../x", "", `'/' is not part of`},
		{"two words", "", `' ' is not part of`},
		{"glob*", "", `'*' is not part of`},
		{".service", "", "no name before its kind"},
		{"@1.service", "", "no name before its kind"},
		{"getty@.service", "", "is a template"},
		{"getty@", "", "is a template"},
		{strings.Repeat("a", 248), "", "at most 255 bytes"},
		{"home.mount", "", "a mount is what the host stands on"},
		{"multi-user.target", "", "a target is what"},
		{"init.scope", "", "a scope is what"},
		{"system.slice", "", "a slice is what"},
		{"ssh", "", "reaches its host through it"},
		{"sshd.service", "", "reaches its host through it"},
		{"ssh.socket", "", "reaches its host through it"},
		{"ssh@1.service", "", "reaches its host through it"},
		{"systemd-journald", "", "belongs to systemd"},
		{"systemd-udevd.socket", "", "belongs to systemd"},
		{"dbus", "", "belongs to systemd"},
		{"dbus.socket", "", "belongs to systemd"},
		{"user@0.service", "", "belongs to systemd"},
		{"benchlab", "", "benchlab's own"},
	} {
		got, err := spec.ServiceUnit(tc.name)
		if (err == nil) != (tc.err == "") || err != nil && !strings.Contains(err.Error(), tc.err) || got != tc.want {
			t.Errorf("%q: got %q and error %v, want %q and %q", tc.name, got, err, tc.want, tc.err)
		}
	}
}

func TestServicesValidate(t *testing.T) {
	for _, tc := range []struct {
		services map[string]spec.ServiceState
		want     string
	}{
		{map[string]spec.ServiceState{"irqbalance": spec.ServiceStopped, "tuned.service": spec.ServiceMasked}, ""},
		{map[string]spec.ServiceState{"irqbalance": spec.ServiceStopped, "irqbalance.service": spec.ServiceStopped}, `there twice, as "irqbalance" and as "irqbalance.service"`},
		{map[string]spec.ServiceState{"irqbalance": "off"}, `service irqbalance.service: state is "off"; it must be "stopped" or "masked"`},
		{map[string]spec.ServiceState{"ssh": spec.ServiceStopped}, `service: unit "ssh.service": the lab reaches`},
	} {
		err := spec.Tunables{Services: tc.services}.Validate()
		if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%v: got error %v, want %q", tc.services, err, tc.want)
		}
	}
}

func TestServicesDigest(t *testing.T) {
	digest := func(name string, state spec.ServiceState) string {
		return spec.Tunables{Services: map[string]spec.ServiceState{name: state}}.Digest()
	}
	if digest("irqbalance", spec.ServiceStopped) != digest("irqbalance.service", spec.ServiceStopped) {
		t.Error("two spellings of one unit have two digests")
	}
	if digest("irqbalance", spec.ServiceStopped) == digest("irqbalance", spec.ServiceMasked) {
		t.Error("two states of one unit have one digest")
	}
}
