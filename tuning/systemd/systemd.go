// Package systemd asks the systemd that is PID 1 of this host about its units, and starts,
// stops and masks them. It speaks D-Bus over systemd's private socket, which needs root
// and no message bus.
//
// It must not know why a unit is to be changed, nor what was there before.
package systemd

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/coreos/go-systemd/v22/dbus"
)

const (
	// jobPatience bounds a start or a stop. systemd itself gives up after 90 s unless the
	// unit says otherwise.
	jobPatience = 2 * time.Minute
	// settlePatience bounds how long a unit may be on its way from one state to another.
	settlePatience = 30 * time.Second
	// answerPatience bounds any other call.
	answerPatience = 30 * time.Second
)

// Running says whether systemd is PID 1 of the host whose files are below root; if not,
// pid1 is the name of what is. The sign is that of sd_booted(3).
func Running(root string) (running bool, pid1 string) {
	info, err := os.Stat(filepath.Join(root, "run/systemd/system"))
	if err == nil && info.IsDir() {
		return true, ""
	}
	name, err := os.ReadFile(filepath.Join(root, "proc/1/comm"))
	if err != nil {
		return false, "something unknown"
	}
	return false, strings.TrimSpace(string(name))
}

// Unit is a unit as it was found.
type Unit struct {
	// ID is the name that systemd gives it; asked for by an alias it is another one.
	ID string
	// Found is false where systemd knows no such unit.
	Found bool
	// Active is true where it runs, or is about to be restarted; a failed unit does not.
	Active bool
	// Masked is true where it can't be started, be it until the next boot or for good.
	Masked bool
	// File is the path of the unit's file; empty where it is masked or has none.
	File string
	// Dependents are the active units that systemd stops with it.
	Dependents []string
}

// Manager is a connection to systemd. Its methods may be called concurrently.
type Manager struct {
	conn *dbus.Conn
}

// Connect connects to the running systemd. The caller closes the connection.
func Connect(ctx context.Context) (*Manager, error) {
	conn, err := dbus.NewSystemdConnectionContext(ctx)
	if err != nil {
		return nil, fmt.Errorf("systemd: %w; its private socket takes root alone, and is there only where PID 1 is systemd", err)
	}
	return &Manager{conn}, nil
}

// Close ends the connection.
func (m *Manager) Close() { m.conn.Close() }

// Unit returns the state of a unit, once it has settled.
func (m *Manager) Unit(ctx context.Context, name string) (Unit, error) {
	for deadline := time.Now().Add(settlePatience); ; {
		all, err := m.properties(ctx, name)
		if err != nil {
			return Unit{}, err
		}
		text := func(property string) string {
			s, _ := all[property].(string)
			return s
		}
		u := Unit{ID: text("Id"), File: text("FragmentPath")}
		switch load := text("LoadState"); load {
		case "not-found":
			return u, nil
		case "loaded", "masked":
			u.Found = true
		default:
			return Unit{}, fmt.Errorf("unit %s: systemd can't load it (%s): see systemctl status %s", name, load, name)
		}
		// "masked-runtime" is a link in /run, "masked" one in /etc.
		u.Masked = strings.HasPrefix(text("UnitFileState"), "masked") || text("LoadState") == "masked"
		state := text("ActiveState")
		switch {
		case state == "active", state == "reloading", text("SubState") == "auto-restart":
			u.Active = true
		case state == "inactive", state == "failed":
		case time.Now().After(deadline):
			return Unit{}, fmt.Errorf("unit %s is still %s after %s: see systemctl status %s", name, state, settlePatience, name)
		default:
			select {
			case <-ctx.Done():
				return Unit{}, fmt.Errorf("unit %s is %s: %w", name, state, ctx.Err())
			case <-time.After(50 * time.Millisecond):
				continue
			}
		}
		u.Dependents, err = m.active(ctx, all)
		return u, err
	}
}

// active returns those of a unit's dependents that run: what requires it, is bound to it or
// is part of it.
func (m *Manager) active(ctx context.Context, properties map[string]any) ([]string, error) {
	var names []string
	for _, property := range []string{"RequiredBy", "RequisiteOf", "BoundBy", "ConsistsOf"} {
		more, _ := properties[property].([]string)
		names = append(names, more...)
	}
	if len(names) == 0 {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, answerPatience)
	defer cancel()
	slices.Sort(names)
	statuses, err := m.conn.ListUnitsByNamesContext(ctx, slices.Compact(names))
	if err != nil {
		return nil, fmt.Errorf("units %s: %w", strings.Join(names, ", "), err)
	}
	var active []string
	for _, s := range statuses {
		if s.ActiveState != "inactive" && s.ActiveState != "failed" {
			active = append(active, s.Name)
		}
	}
	return active, nil
}

func (m *Manager) properties(ctx context.Context, name string) (map[string]any, error) {
	ctx, cancel := context.WithTimeout(ctx, answerPatience)
	defer cancel()
	all, err := m.conn.GetUnitPropertiesContext(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("unit %s: %w", name, err)
	}
	return all, nil
}

// Start starts a unit and returns when it has started.
func (m *Manager) Start(ctx context.Context, name string) error {
	return job(ctx, "start", name, m.conn.StartUnitContext)
}

// Stop stops a unit and returns when it has stopped.
func (m *Manager) Stop(ctx context.Context, name string) error {
	return job(ctx, "stop", name, m.conn.StopUnitContext)
}

func job(ctx context.Context, verb, name string, begin func(context.Context, string, string, chan<- string) (int, error)) error {
	ctx, cancel := context.WithTimeout(ctx, jobPatience)
	defer cancel()
	result := make(chan string, 1)
	if _, err := begin(ctx, name, "replace", result); err != nil {
		return fmt.Errorf("%s unit %s: %w", verb, name, err)
	}
	select {
	case r := <-result:
		if r != "done" && r != "skipped" {
			return fmt.Errorf("%s unit %s: systemd says %q: see systemctl status %s", verb, name, r, name)
		}
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%s unit %s: no end of it: %w; see systemctl status %s", verb, name, ctx.Err(), name)
	}
}

// Mask keeps a unit from being started until the next boot. What runs goes on running.
func (m *Manager) Mask(ctx context.Context, name string) error {
	ctx, cancel := context.WithTimeout(ctx, answerPatience)
	defer cancel()
	if _, err := m.conn.MaskUnitFilesContext(ctx, []string{name}, true, false); err != nil {
		return fmt.Errorf("mask unit %s: %w", name, err)
	}
	return m.Reload(ctx)
}

// Unmask takes a Mask back. A mask in /etc stays.
func (m *Manager) Unmask(ctx context.Context, name string) error {
	ctx, cancel := context.WithTimeout(ctx, answerPatience)
	defer cancel()
	if _, err := m.conn.UnmaskUnitFilesContext(ctx, []string{name}, true); err != nil {
		return fmt.Errorf("unmask unit %s: %w", name, err)
	}
	return m.Reload(ctx)
}

// Enable makes a unit start at each boot, as the [Install] section of its file says.
func (m *Manager) Enable(ctx context.Context, name string) error {
	ctx, cancel := context.WithTimeout(ctx, answerPatience)
	defer cancel()
	if _, _, err := m.conn.EnableUnitFilesContext(ctx, []string{name}, false, true); err != nil {
		return fmt.Errorf("enable unit %s: %w", name, err)
	}
	return m.Reload(ctx)
}

// Disable takes an Enable back.
func (m *Manager) Disable(ctx context.Context, name string) error {
	ctx, cancel := context.WithTimeout(ctx, answerPatience)
	defer cancel()
	if _, err := m.conn.DisableUnitFilesContext(ctx, []string{name}, false); err != nil {
		return fmt.Errorf("disable unit %s: %w", name, err)
	}
	return m.Reload(ctx)
}

// Reload makes systemd look at its files again, without which it goes by the old ones.
func (m *Manager) Reload(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, answerPatience)
	defer cancel()
	if err := m.conn.ReloadContext(ctx); err != nil {
		return fmt.Errorf("systemd: reload its configuration: %w", err)
	}
	return nil
}
