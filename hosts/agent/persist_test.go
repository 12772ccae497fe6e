package agent_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hanzoai/benchlab/hosts/hosttest"
	"github.com/hanzoai/benchlab/tuning"
	"github.com/hanzoai/benchlab/tuning/spec"
)

const (
	somaxconn = "/proc/sys/net/core/somaxconn"
	bootID    = "/proc/sys/kernel/random/boot_id"
	// nicUnit brings a NIC up late, as a driver does that loads its firmware.
	nicUnit = `[Service]
Type=simple
ExecStart=/bin/sh -c 'sleep 1; ip link add eth9 type veth peer name eth9p'
RemainAfterExit=yes
[Install]
WantedBy=multi-user.target
`
)

// readLedger reads the ledger of a host.
func readLedger(t *testing.T, host *hosttest.Host) map[string]tuning.Entry {
	t.Helper()
	var l tuning.Ledger
	if err := json.Unmarshal([]byte(host.Run(t, "cat /var/lib/benchlab/ledger.json")), &l); err != nil {
		t.Fatal(err)
	}
	entries := map[string]tuning.Entry{}
	for _, e := range l.Entries {
		entries[e.Key] = e
	}
	return entries
}

// awaitBoot waits until the host has brought back what persists, and returns its log.
func awaitBoot(t *testing.T, host *hosttest.Host, want string) string {
	t.Helper()
	hosttest.Eventually(t, "benchlab.service is "+want, func() bool {
		return host.Run(t, "systemctl show --value -p ActiveState benchlab.service") == want
	})
	return host.Run(t, "journalctl -b -o cat -u benchlab.service")
}

// live is what the values of TestPersist are.
func live(t *testing.T, host *hosttest.Host) string {
	t.Helper()
	return host.Run(t, "cat "+somaxconn+" /sys/class/net/eth9/mtu; systemctl is-active irqbalance; systemctl is-enabled irqbalance; true")
}

func TestPersist(t *testing.T) {
	host := hosttest.NewSystemd(t, "spark")
	install(t, host, vendor, "irqbalance.service", unitFile)
	install(t, host, vendor, "nic.service", nicUnit)
	hosttest.Eventually(t, "the NIC is there", func() bool { return host.Run(t, "ls /sys/class/net | grep -x eth9 || true") != "" })
	etc := host.Run(t, etcState)
	h := connect(t, host)

	want := spec.Tunables{
		Sysctls:  map[string]string{"net.core.somaxconn": "1234"},
		NICs:     []spec.NIC{{Name: "eth9", MTU: 1400}},
		Services: map[string]string{"irqbalance": spec.Masked},
		Persist:  true,
	}
	if _, err := h.Apply(t.Context(), owner, want, nil, nil); err != nil {
		t.Fatal(err)
	}
	const tuned, untuned = "1234\n1400\ninactive\nmasked-runtime", "77\n1500\nactive\nenabled"
	if got := live(t, host); got != tuned {
		t.Fatalf("applied: %q", got)
	}
	// A second apply writes neither values nor the unit.
	unit := host.Run(t, "stat -c '%i %z' /etc/systemd/system/benchlab.service")
	if report, err := h.Apply(t.Context(), owner, want, nil, nil); err != nil || report.Writes != 0 {
		t.Errorf("again: %d writes, error %v", report.Writes, err)
	}
	if now := host.Run(t, "stat -c '%i %z' /etc/systemd/system/benchlab.service"); now != unit {
		t.Errorf("the unit was written again: %s, was %s", now, unit)
	}
	if got := host.Run(t, "systemd-analyze verify /etc/systemd/system/benchlab.service 2>&1 | grep -F benchlab || true"); got != "" {
		t.Errorf("systemd says of the unit: %s", got)
	}

	// In the next boot the value is another one from the start.
	host.Run(t, "mkdir -p /etc/systemd/system/sysinit.target.wants; cd /etc/systemd/system; printf '[Unit]\nDefaultDependencies=no\n[Service]\nType=oneshot\nExecStart=/bin/sh -c \"echo 77 > "+somaxconn+"\"\n' > early.service; ln -s ../early.service sysinit.target.wants/early.service")
	before := readLedger(t, host)
	host.Reboot(t)
	log := awaitBoot(t, host, "active")
	if got := live(t, host); got != tuned {
		t.Errorf("after the reboot: %q; log:\n%s", got, log)
	}
	boot := host.Run(t, "cat "+bootID)
	after := readLedger(t, host)
	originals := map[string]string{}
	for key, e := range after {
		originals[key] = strings.TrimSpace(e.Original.Value)
		if e.BootID != boot || e.BootID == before[key].BootID || !e.Persist || e.Owner != owner {
			t.Errorf("entry %+v in boot %s", e, boot)
		}
		if !strings.Contains(log, key+" applied: wanted "+e.Desired+", found "+e.Desired) {
			t.Errorf("nothing of %s in the log:\n%s", key, log)
		}
	}
	if diff := cmp.Diff(map[string]string{
		"sysctl/net.core.somaxconn": "77", "nic/eth9/mtu": "1500",
		"service/irqbalance.service/active": "active", "service/irqbalance.service/masked": "no",
	}, originals); diff != "" {
		t.Errorf("originals (-want +got):\n%s", diff)
	}

	// What is applied without persist is not there at the next boot, and neither is the unit.
	host.Run(t, "rm /etc/systemd/system/early.service /etc/systemd/system/sysinit.target.wants/early.service; rmdir /etc/systemd/system/sysinit.target.wants")
	h = connect(t, host)
	want.Persist = false
	if report, err := h.Apply(t.Context(), owner, want, nil, nil); err != nil || report.Writes != 0 {
		t.Errorf("without persist: %d writes, error %v", report.Writes, err)
	}
	if got := host.Run(t, etcState); got != etc {
		t.Errorf("/etc/systemd has changed:\n%s\nwas\n%s", got, etc)
	}
	want.Persist = true
	if _, err := h.Apply(t.Context(), owner, want, nil, nil); err != nil {
		t.Error(err)
	}

	report, err := h.Restore(t.Context(), owner)
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Warnings) > 0 {
		t.Errorf("warnings: %q", report.Warnings)
	}
	if got := live(t, host); got != untuned {
		t.Errorf("restored: %q, want the originals of this boot", got)
	}
	if got := host.Run(t, etcState); got != etc {
		t.Errorf("/etc/systemd has changed:\n%s\nwas\n%s", got, etc)
	}
	if got := host.Run(t, "systemctl list-units --all --plain --no-legend 'benchlab*'"); got != "" {
		t.Errorf("systemd still has %s", got)
	}
	if _, err := h.Release(t.Context(), owner); err != nil {
		t.Error(err)
	}
	if got := host.Run(t, "ls -d /var/lib/benchlab* 2> /dev/null || true"); got != "" {
		t.Errorf("left: %s", got)
	}
}

// A value that can't be brought back is named, the unit has failed, and the others are
// there.
func TestPersistFails(t *testing.T) {
	host := hosttest.NewSystemd(t, "spark")
	install(t, host, vendor, "irqbalance.service", unitFile)
	h := connect(t, host)
	want := spec.Tunables{
		Sysctls:  map[string]string{"net.core.somaxconn": "1234"},
		Services: map[string]string{"irqbalance": spec.Stopped},
		Persist:  true,
	}
	if _, err := h.Apply(t.Context(), owner, want, nil, nil); err != nil {
		t.Fatal(err)
	}
	host.Run(t, `sed -i "1i [Unit]\nRefuseManualStop=yes" `+vendor+"/irqbalance.service")
	host.Reboot(t)
	log := awaitBoot(t, host, "failed")
	for _, text := range []string{"sysctl/net.core.somaxconn applied: wanted 1234", "service/irqbalance.service/active failed", "stop unit irqbalance.service"} {
		if !strings.Contains(log, text) {
			t.Errorf("no %q in the log:\n%s", text, log)
		}
	}
	if got := host.Run(t, "cat "+somaxconn); got != "1234" {
		t.Errorf("somaxconn is %s", got)
	}
	// The host is put back by hand, with the program that the unit starts.
	program := host.Run(t, `sed -n 's,^ExecStart="\(.*\)" boot,\1,p' /etc/systemd/system/benchlab.service`)
	host.Run(t, program+" restore")
	if got := host.Run(t, "cat "+somaxconn+"; ls /etc/systemd/system/benchlab.service /var/lib/benchlab 2> /dev/null || true"); got != "4096" {
		t.Errorf("restored: %s", got)
	}
}

func TestPersistWithoutSystemd(t *testing.T) {
	host := hosttest.New(t, "spark")
	h := connect(t, host)
	want := spec.Tunables{Sysctls: map[string]string{"net.core.somaxconn": "1234"}, Persist: true}
	_, err := h.Plan(t.Context(), owner, want)
	wantError(t, err, host, "persist needs systemd as PID 1; this host has benchlab-netns")
	_, err = h.Apply(t.Context(), owner, want, nil, nil)
	wantError(t, err, host, "persist needs systemd as PID 1; this host has benchlab-netns")
	if got := host.Run(t, "cat "+somaxconn+"; ls /var/lib/benchlab/ledger.json 2> /dev/null || true"); got != "4096" {
		t.Errorf("changed: %s", got)
	}
}
