package provider

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hanzoai/benchlab/hosts"
	"github.com/hanzoai/benchlab/tuning/spec"
	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// Tuned is what every tuning resource says of its settings.
type Tuned struct {
	Settings []spec.Setting `pulumi:"settings"`
	// Digest of the wanted values: a benchmark that depends on it runs again when they change.
	Digest string `pulumi:"digest"`
	// Writes counts kernel writes of the last apply.
	Writes int `pulumi:"writes"`
	// Notes say what was chosen where the host's facts decide.
	Notes []string `pulumi:"notes,optional"`
}

// Annotate documents the outputs.
func (t *Tuned) Annotate(a infer.Annotator) {
	a.Describe(&t.Settings, "The verdict on each value: original, desired, live, status, and the reason where the host can't have it.")
	a.Describe(&t.Digest, "Digest of the desired values; it changes when they change, not when a host drifts.")
	a.Describe(&t.Writes, "Kernel writes of the last apply; 0 where everything was as wanted.")
	a.Describe(&t.Notes, "What was chosen where the host's facts decide, such as the CPUs of `auto`, and why.")
}

// apply brings a host's values to the wanted ones. An error leaves everything as it was,
// but where the connection was lost and can't be had again the outcome is unknown: the
// state is kept then, and the next run finds out.
func (l *lab) apply(ctx context.Context, ref HostRef, want spec.Tunables) (Tuned, error) {
	report, err := settled(ctx, l.forWork(ref), func(ctx context.Context, host *hosts.Host) (spec.Report, error) {
		return host.Apply(ctx, spec.Owner{URN: urn(ctx), Lab: ref.Lab}, want, func(s spec.Setting) {
			if s.Status != spec.Unsupported {
				status(ctx, "%s %s: %s", s.Key, s.Status, s.Live)
			}
		}, func(holder string) { status(ctx, "waiting for %s", holder) })
	})
	if errors.Is(err, hosts.ErrConnectionLost) {
		return newTuned(spec.Report{}, want), infer.ResourceInitFailedError{Reasons: []string{err.Error()}}
	}
	if err != nil {
		return Tuned{}, err
	}
	warn(ctx, report)
	unsupported, text := unsupported(report.Settings)
	notes := rounded(report.Settings)
	if unsupported > 0 {
		notes = append(notes, text)
	}
	if len(notes) > 0 {
		p.GetLogger(ctx).Info(strings.Join(notes, "\n"))
	}
	status(ctx, "%d of %d values as wanted, %d written", len(report.Settings)-unsupported, len(report.Settings), report.Writes)
	return newTuned(report, want), nil
}

// kept is what goes back as it came: a list that was empty has come as none,
// which the engine would take for a missing output.
func (t Tuned) kept() Tuned {
	if t.Settings == nil {
		t.Settings = []spec.Setting{}
	}
	return t
}

func newTuned(r spec.Report, want spec.Tunables) Tuned {
	if r.Settings == nil {
		r.Settings = []spec.Setting{}
	}
	return Tuned{Settings: r.Settings, Digest: want.Digest(), Writes: r.Writes, Notes: r.Notes}
}

// plan compares a host with the wanted values.
func (l *lab) plan(ctx context.Context, ref HostRef, want spec.Tunables) (spec.Report, error) {
	return settled(ctx, l.to(ref), func(ctx context.Context, host *hosts.Host) (spec.Report, error) {
		return host.Plan(ctx, spec.Owner{URN: urn(ctx), Lab: ref.Lab}, want)
	})
}

// previewTune shows what an apply would change, live value to desired value. It touches
// nothing, and is silent about a host that is not there yet.
func (l *lab) previewTune(ctx context.Context, ref HostRef, want spec.Tunables) error {
	if ref.MachineID == "" { // unknown until the host is made
		return nil
	}
	report, err := l.plan(ctx, ref, want)
	if errors.Is(err, errGone) || errors.Is(err, errDecommissioned) {
		return nil
	}
	if err != nil {
		return err
	}
	warn(ctx, report)
	for _, s := range report.Settings {
		if s.Status == spec.Differs {
			p.GetLogger(ctx).Infof("%s: %s → %s", s.Key, s.Live, s.Desired)
		}
	}
	for _, note := range report.Notes {
		p.GetLogger(ctx).Info(note)
	}
	if n, text := unsupported(report.Settings); n > 0 {
		p.GetLogger(ctx).Info(text)
	}
	return nil
}

// readTune compares a host with the wanted values. gone is true for a namespace host that
// no longer exists. A host that can't have the values any more, because a NIC or a module
// is gone, has drifted: the next run brings it back or says what is wrong.
func (l *lab) readTune(ctx context.Context, ref HostRef, want spec.Tunables, before Tuned) (t Tuned, drift map[string]string, gone bool, err error) {
	report, err := l.plan(ctx, ref, want)
	if errors.Is(err, errGone) {
		return Tuned{}, nil, true, nil
	}
	if errors.Is(err, errDecommissioned) {
		return before.kept(), nil, false, nil
	}
	var answer *hosts.AgentError
	if errors.As(err, &answer) {
		p.GetLogger(ctx).Warningf("drift on %v", answer)
		return before, map[string]string{wholeHost: answer.Message}, false, nil
	}
	if err != nil {
		return Tuned{}, nil, false, err
	}
	for i, s := range report.Settings {
		switch s.Status {
		case spec.Differs:
			if drift == nil {
				drift = map[string]string{}
			}
			drift[s.Key] = fmt.Sprintf("wanted %s, found %s", s.Desired, s.Live)
			p.GetLogger(ctx).Warningf("drift on %s: %s wanted %s, found %s", ref.Connection, s.Key, s.Desired, s.Live)
		case spec.Unchanged:
			report.Settings[i] = before.verdict(s)
		}
	}
	t = newTuned(report, want)
	t.Writes = before.Writes
	return t, drift, false, nil
}

// verdict is what to say of a setting that was found as wanted. What stands as it was
// applied is not news: the verdict of the apply stays.
func (t Tuned) verdict(found spec.Setting) spec.Setting {
	for _, s := range t.Settings {
		if s.Key == found.Key && s.Desired == found.Desired && s.Live == found.Live {
			return s
		}
	}
	found.Status = spec.Applied
	return found
}

// instead is what a refresh reads in the place of the one value that the inputs ask for;
// ok is false where the host has not drifted. It is empty where the host can't have the
// value any more.
func (t Tuned) instead(drift map[string]string) (live string, ok bool) {
	if _, failed := drift[wholeHost]; failed {
		return "", true
	}
	for _, s := range t.Settings {
		if s.Status == spec.Differs {
			return s.Live, true
		}
	}
	return "", false
}

// wholeHost stands in a drift in the place of a key where the values could not be compared.
const wholeHost = "host"

// restore puts the originals back.
func (l *lab) restore(ctx context.Context, ref HostRef) error {
	report, err := settled(ctx, l.to(ref), func(ctx context.Context, host *hosts.Host) (spec.Report, error) {
		return host.Restore(ctx, spec.Owner{URN: urn(ctx), Lab: ref.Lab})
	})
	if errors.Is(err, errGone) {
		p.GetLogger(ctx).Warningf("%v: its values are gone with it, nothing to restore", err)
		return nil
	}
	if errors.Is(err, errDecommissioned) {
		p.GetLogger(ctx).Warningf("%v", err)
		return nil
	}
	if errors.Is(err, hosts.ErrConnectionLost) {
		// The state goes on saying that the host is tuned.
		return fmt.Errorf("%w; or tune it again with `pulumi up --refresh`", err)
	}
	if err != nil {
		return err
	}
	warn(ctx, report)
	status(ctx, "%d values restored", len(report.Settings))
	return nil
}

// checkTunables adds what is wrong with the wanted values to the failures of a Check.
// While inputs are unknown there is nothing to judge.
func checkTunables(inputs property.Map, want spec.Tunables, failures []p.CheckFailure) []p.CheckFailure {
	if inputs.Get("drift").IsMap() {
		failures = append(failures, p.CheckFailure{Property: "drift", Reason: "only a refresh sets it"})
	}
	for key, value := range inputs.All {
		if key != "host" && value.HasComputed() {
			return failures
		}
	}
	if len(failures) > 0 {
		return failures
	}
	if err := want.Validate(); err != nil {
		return []p.CheckFailure{{Reason: err.Error()}}
	}
	// What is empty is left alone, and a resource that does nothing else is a mistake.
	if len(want.NICs) == 1 {
		idle := spec.Tunables{NICs: []spec.NIC{{Name: want.NICs[0].Name}}}
		if want.Digest() == idle.Digest() {
			return []p.CheckFailure{{Reason: fmt.Sprintf("%s: no value is given", want.NICs[0])}}
		}
	}
	return nil
}
