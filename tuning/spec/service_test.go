package spec

import (
	"strings"
	"testing"
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

		{"", "", "a name before its kind"},
		{"a/b.service", "", `for its '/'`},
		{"../x", "", `for its '/'`},
		{"two words", "", `for its ' '`},
		{"glob*", "", `for its '*'`},
		{".service", "", "a name before its kind"},
		{"@1.service", "", "a name before its kind"},
		{"getty@.service", "", "is a template"},
		{"getty@", "", "is a template"},
		{strings.Repeat("a", 248), "", "at most 255 bytes"},
		{"home.mount", "", "home.mount is neither"},
		{"multi-user.target", "", "multi-user.target is neither"},
		{"init.scope", "", "init.scope is neither"},
		{"system.slice", "", "system.slice is neither"},
		{"ssh", "", "needed"},
		{"sshd.service", "", "needed"},
		{"ssh.socket", "", "needed"},
		{"ssh@1.service", "", "needed"},
		{"systemd-journald", "", "needed"},
		{"systemd-udevd.socket", "", "needed"},
		{"dbus", "", "needed"},
		{"dbus-broker", "", "needed"},
		{"dbus.socket", "", "needed"},
		{"user@0.service", "", "needed"},
		{"benchlab", "", "needed"},
	} {
		got := UnitName(tc.name)
		err := CheckUnit(got)
		if (err == nil) != (tc.err == "") || err != nil && !strings.Contains(err.Error(), tc.err) || err == nil && got != tc.want {
			t.Errorf("%q: got %q and error %v, want %q and %q", tc.name, got, err, tc.want, tc.err)
		}
	}
}

func TestServicesValidate(t *testing.T) {
	for _, tc := range []struct {
		services map[string]string
		want     string
	}{
		{map[string]string{"irqbalance": Stopped, "tuned.service": Masked}, ""},
		{map[string]string{"irqbalance": Stopped, "irqbalance.service": Stopped}, `there twice, as "irqbalance" and as "irqbalance.service"`},
		{map[string]string{"irqbalance": "off"}, `service "irqbalance": "off" is no state; it can be "stopped" or "masked"`},
		{map[string]string{"ssh": Stopped}, `service "ssh": ssh.service is needed`},
	} {
		err := Tunables{Services: tc.services}.Validate()
		if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%v: got error %v, want %q", tc.services, err, tc.want)
		}
	}
}
