package agent_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hanzoai/benchlab/hosts/hosttest"
	"github.com/hanzoai/benchlab/tuning/spec"
)

// etcState lists everything that decides what systemd starts at boot, and its contents.
const etcState = `cd /etc/systemd && find . -printf '%p %y %l %m\n' | sort && find . -type f -exec cat {} +`

// unitFile is what a package would install.
const unitFile = `[Service]
ExecStart=/bin/sleep 100000
[Install]
WantedBy=multi-user.target
`

// install gives the host a unit as a package does, enabled and started.
func install(t *testing.T, host *hosttest.Host, dir, unit, text string) {
	t.Helper()
	host.Run(t, "cat > "+dir+"/"+unit+" <<'end'\n"+text+"end\nsystemctl daemon-reload && systemctl -q enable "+unit+" && systemctl start "+unit+" || true")
}

const vendor = "/usr/lib/systemd/system"

// unitState is a unit in systemd's own words.
func unitState(t *testing.T, host *hosttest.Host, unit string) string {
	t.Helper()
	return host.Run(t, "systemctl show --value -p ActiveState -p UnitFileState "+unit+" | xargs")
}

func checkState(t *testing.T, host *hosttest.Host, unit, want string) {
	t.Helper()
	if got := unitState(t, host, unit); got != want {
		t.Errorf("%s is %q, want %q", unit, got, want)
	}
}

func checkStatuses(t *testing.T, r spec.Report, want ...string) {
	t.Helper()
	var got []string
	for _, s := range r.Settings {
		got = append(got, s.Key+" "+string(s.Status))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
}

func TestService(t *testing.T) {
	host := hosttest.NewSystemd(t, "spark")
	h := connect(t, host)
	install(t, host, vendor, "irqbalance.service", unitFile)
	install(t, host, vendor, "tuned.service", unitFile)
	install(t, host, vendor, "broken.service", strings.Replace(unitFile, "/bin/sleep 100000", "/bin/false", 1))
	hosttest.Eventually(t, "broken.service has failed", func() bool { return unitState(t, host, "broken.service") == "failed enabled" })
	before := host.Run(t, etcState)

	want := spec.Tunables{Services: map[string]string{
		"irqbalance": spec.Masked, "tuned.service": spec.Stopped, "broken": spec.Stopped, "nosuch": spec.Masked,
	}}
	report, err := h.Apply(t.Context(), owner, want, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	checkStatuses(t, report,
		"service/broken.service/active unchanged",
		"service/irqbalance.service/active applied", "service/irqbalance.service/masked applied",
		"service/nosuch.service/active unsupported", "service/nosuch.service/masked unsupported",
		"service/tuned.service/active applied")
	if reason := report.Settings[3].Reason; !strings.Contains(reason, "systemd knows no unit nosuch.service") {
		t.Errorf("reason is %q", reason)
	}
	if report.Writes != 3 {
		t.Errorf("%d writes, want 3", report.Writes)
	}
	checkState(t, host, "irqbalance.service", "inactive masked-runtime")
	checkState(t, host, "tuned.service", "inactive enabled")
	if got := host.Run(t, etcState); got != before {
		t.Errorf("/etc/systemd has changed:\n%s\nwas\n%s", got, before)
	}
	if report, err = h.Apply(t.Context(), owner, want, nil, nil); err != nil || report.Writes != 0 {
		t.Errorf("again: %d writes, error %v", report.Writes, err)
	}

	// What is no longer wanted is put back: unmasked first, or it could not be started.
	want.Services = map[string]string{"tuned": spec.Stopped}
	report, err = h.Apply(t.Context(), owner, want, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	checkStatuses(t, report,
		"service/irqbalance.service/masked restored", "service/irqbalance.service/active restored", "service/broken.service/active restored",
		"service/tuned.service/active unchanged")
	checkState(t, host, "irqbalance.service", "active enabled")

	// Drift: somebody has started it.
	host.Run(t, "systemctl start tuned")
	if report, err = h.Plan(t.Context(), owner, want); err != nil {
		t.Fatal(err)
	}
	checkStatuses(t, report, "service/tuned.service/active differs")
	host.Run(t, "systemctl stop tuned")

	if report, err = h.Restore(t.Context(), owner); err != nil {
		t.Fatal(err)
	}
	checkStatuses(t, report, "service/tuned.service/active restored")
	checkState(t, host, "tuned.service", "active enabled")
	checkState(t, host, "broken.service", "failed enabled")
	if got := host.Run(t, etcState); got != before {
		t.Errorf("/etc/systemd has changed:\n%s\nwas\n%s", got, before)
	}
	if left := host.Run(t, "find /run/systemd/system -name 'irqbalance*'"); left != "" {
		t.Errorf("left in /run: %s", left)
	}
}

// What can't be had is said before anything has changed.
func TestServiceRefused(t *testing.T) {
	host := hosttest.NewSystemd(t, "spark")
	h := connect(t, host)
	install(t, host, vendor, "base.service", "[Unit]\nDescription=base\n"+strings.Replace(unitFile, "[Install]\n", "[Install]\nAlias=basis.service\n", 1))
	install(t, host, vendor, "upper.service", "[Unit]\nRequires=base.service\nAfter=base.service\n"+unitFile)
	install(t, host, "/etc/systemd/system", "mine.service", unitFile)
	apply := func(services map[string]string) (spec.Report, error) {
		return h.Apply(t.Context(), owner, spec.Tunables{Services: services}, nil, nil)
	}
	for name, text := range map[string]string{
		"base":  "service base.service: systemd would stop upper.service with it",
		"basis": "service basis.service: it is another name of base.service",
		"sshd":  "sshd.service is needed to reach",
	} {
		_, err := apply(map[string]string{name: spec.Stopped})
		wantError(t, err, host, text)
	}
	checkState(t, host, "base.service", "active enabled")

	// Together they can go, and come again.
	if _, err := apply(map[string]string{"base": spec.Stopped, "upper": spec.Stopped}); err != nil {
		t.Error(err)
	}
	checkState(t, host, "upper.service", "inactive enabled")
	report, err := apply(map[string]string{"mine": spec.Masked})
	if err != nil {
		t.Fatal(err)
	}
	checkState(t, host, "upper.service", "active enabled")
	checkState(t, host, "base.service", "active enabled")
	checkStatuses(t, report,
		"service/upper.service/active restored", "service/base.service/active restored",
		"service/mine.service/active applied", "service/mine.service/masked unsupported")
	if reason := report.Settings[3].Reason; !strings.Contains(reason, "its file is /etc/systemd/system/mine.service") {
		t.Errorf("reason is %q", reason)
	}

	// A unit that can't be started again is named, and its original stays known.
	host.Run(t, "sed -i s,ExecStart=.*,ExecStart=/nonexistent, /etc/systemd/system/mine.service; sed -i 's,^.Service.,&\\nType=exec,' /etc/systemd/system/mine.service; systemctl daemon-reload")
	_, err = h.Restore(t.Context(), owner)
	wantError(t, err, host, `start unit mine.service: systemd says "failed"`, `the ledger keeps the original "active"`)
	host.Run(t, "sed -i 's,ExecStart=.*,ExecStart=/bin/sleep 100000,' /etc/systemd/system/mine.service; systemctl daemon-reload")
	if _, err := h.Restore(t.Context(), owner); err != nil {
		t.Error(err)
	}
	checkState(t, host, "mine.service", "active enabled")
}

func TestServiceWithoutSystemd(t *testing.T) {
	host := hosttest.New(t, "spark")
	h := connect(t, host)
	host.Run(t, "cp /bin/sleep /tmp/irqbalance; setsid /tmp/irqbalance 1000 > /dev/null 2>&1 < /dev/null &")
	hosttest.Eventually(t, "it runs", func() bool { return len(host.Processes(t, "irqbalance")) > 0 })
	report, err := h.Apply(t.Context(), owner, spec.Tunables{Services: map[string]string{"irqbalance": spec.Stopped}}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	checkStatuses(t, report, "service/irqbalance.service/active unsupported")
	want := "PID 1 is not systemd but benchlab-netns, and irqbalance.service runs as PID " + host.Processes(t, "irqbalance")[0]
	if reason := report.Settings[0].Reason; !strings.HasPrefix(reason, want) {
		t.Errorf("reason is %q, want %q", reason, want)
	}
}
