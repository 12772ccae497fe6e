package agent

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hanzoai/benchlab/tuning"
	"github.com/hanzoai/benchlab/tuning/spec"
	"github.com/hanzoai/benchlab/tuning/systemd"
)

const (
	// bootUnit starts this program at boot, on a host where a lab's values persist.
	bootUnit     = "benchlab.service"
	bootUnitPath = "/etc/systemd/system/" + bootUnit
	// bootUnitLink is what enables it.
	bootUnitLink = "/etc/systemd/system/multi-user.target.wants/" + bootUnit
)

// devicePatience bounds how long a NIC may take to come up at boot.
const devicePatience = 30 * time.Second

// bootUnitText follows what else writes such values at boot: the network's configuration,
// the usual tuners, and the services that a lab stops.
const bootUnitText = `[Unit]
Description=Tuning that a lab of benchlab has asked to persist
After=network.target tuned.service irqbalance.service%s
RequiresMountsFor=%s

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=%s boot

[Install]
WantedBy=multi-user.target
`

// checkPersist refuses what could not be kept, before anything is written.
func checkPersist(want spec.Tunables) error {
	if running, pid1 := systemd.Running("/"); want.Persist && !running {
		return fmt.Errorf("persist needs systemd as PID 1; this host has %s: leave persist out, and run pulumi up after a reboot", pid1)
	}
	return nil
}

// Boot brings back what persists, and is an error if any of it could not be.
func (s *Service) Boot(ctx context.Context, progress func(spec.Setting)) error {
	unlock, err := s.lock(ctx, nil)
	if err != nil {
		return err
	}
	defer unlock()
	return s.tuning.Boot(ctx, devicePatience, progress)
}

// addBootUnit makes sure that there is a unit, for what will persist.
func (s *Service) addBootUnit(ctx context.Context) error {
	if _, err := os.Lstat(bootUnitLink); err == nil {
		return nil // what it says is seen to when the ledger is written
	}
	text, err := bootUnitFor(nil)
	if err != nil {
		return err
	}
	return writeBootUnit(ctx, text)
}

// fitBootUnit makes the unit what the ledger calls for: there is one where any value
// persists, and none elsewhere.
func (s *Service) fitBootUnit(ctx context.Context) error {
	ledger, err := s.tuning.Ledger()
	if err != nil {
		return err
	}
	persistent := slices.DeleteFunc(ledger.Entries, func(e tuning.Entry) bool { return !e.Persist })
	if len(persistent) == 0 {
		return removeBootUnit(ctx)
	}
	var services []string
	for _, e := range persistent {
		if unit, ok := tuning.ServiceOf(e.Key); ok {
			services = append(services, unit)
		}
	}
	text, err := bootUnitFor(services)
	if err != nil {
		return err
	}
	now, err := os.ReadFile(bootUnitPath)
	_, linkErr := os.Lstat(bootUnitLink)
	if err == nil && linkErr == nil && string(now) == text {
		return nil
	}
	return writeBootUnit(ctx, text)
}

// bootUnitFor is the text of the unit that starts this program after the services.
func bootUnitFor(services []string) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("%s: %w", bootUnit, err)
	}
	if self, err = filepath.EvalSymlinks(self); err != nil {
		return "", fmt.Errorf("%s: this program has gone from where it was started: %w", bootUnit, err)
	}
	if strings.ContainsAny(self, "\"'\\\n") {
		return "", fmt.Errorf("%s: systemd starts no program whose path has quotes or backslashes in it: %s", bootUnit, self)
	}
	slices.Sort(services)
	after := ""
	for _, unit := range slices.Compact(services) {
		after += " " + unit
	}
	// One word, in which no specifier is expanded.
	program := `"` + strings.ReplaceAll(self, "%", "%%") + `"`
	return fmt.Sprintf(bootUnitText, after, program, program), nil
}

// writeBootUnit puts the unit in place as a whole, and enables it.
func writeBootUnit(ctx context.Context, text string) (err error) {
	m, err := systemd.Connect(ctx)
	if err != nil {
		return err
	}
	defer m.Close()
	part := bootUnitPath + ".part"
	file, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return fmt.Errorf("%s: %w", bootUnit, err)
	}
	_, err = file.WriteString(text)
	if err = errors.Join(err, file.Sync(), file.Close()); err == nil {
		err = os.Rename(part, bootUnitPath)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("%s: %w", bootUnit, err), os.Remove(part))
	}
	return m.Enable(ctx, bootUnit)
}

// removeBootUnit removes the unit and what enables it; without one it does nothing.
func removeBootUnit(ctx context.Context) error {
	if _, err := os.Lstat(bootUnitPath); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	m, err := systemd.Connect(ctx)
	if err != nil {
		return err
	}
	defer m.Close()
	// It remains active after it ran at boot; there is nothing that a stop would undo.
	if err := m.Stop(ctx, bootUnit); err != nil {
		return err
	}
	if err := m.Disable(ctx, bootUnit); err != nil {
		return err
	}
	if err := os.Remove(bootUnitPath); err != nil {
		return fmt.Errorf("%s: %w", bootUnit, err)
	}
	return m.Reload(ctx)
}
