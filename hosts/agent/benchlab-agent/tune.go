package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hanzoai/benchlab/tuning/profiles"
	"github.com/hanzoai/benchlab/tuning/spec"
)

// wanted reads the profile that the flags name. name is how the ledger remembers it.
func (c *command) wanted() (name string, want spec.Tunables, err error) {
	switch isFile := strings.HasSuffix(c.profile, ".hcl") || strings.Contains(c.profile, "/"); {
	case c.profile == "":
		return "", want, fmt.Errorf("--profile is missing; give the name of one (%s) or the path of a file, FILE.hcl", strings.Join(profiles.Names(), ", "))
	case isFile:
		// Whatever directory it is called from, it is the same profile.
		if name, err = filepath.Abs(c.profile); err != nil {
			return "", want, err
		}
		src, err := os.ReadFile(c.profile)
		if err != nil {
			return "", want, fmt.Errorf("profile: %w", err)
		}
		want, err = profiles.Parse(src, c.profile, c.nics)
		return name, want, err
	}
	want, err = profiles.Named(c.profile, c.nics)
	return c.profile, want, err
}

func (c *command) plan(ctx context.Context, _ []string) (int, error) {
	name, want, err := c.wanted()
	if err != nil {
		return failed, err
	}
	report, err := c.hand.Plan(ctx, name, want)
	if err != nil {
		return failed, err
	}
	return judge(report.Settings), c.out.report(report)
}

func (c *command) apply(ctx context.Context, _ []string) (int, error) {
	name, want, err := c.wanted()
	if err != nil {
		return failed, err
	}
	report, err := c.hand.Apply(ctx, name, want, c.waiting)
	if err != nil {
		return failed, err
	}
	return fine, c.out.report(report)
}

func (c *command) verify(ctx context.Context, _ []string) (int, error) {
	var report spec.Report
	var err error
	if c.profile == "" {
		if len(c.nics) > 0 {
			return failed, errors.New("--nic is for a profile; name it with --profile")
		}
		if _, report.Settings, err = c.hand.Status(ctx); err == nil && len(report.Settings) == 0 {
			err = errors.New("no lab has tuned this host, so there is nothing to compare with; name a profile with --profile")
		}
	} else {
		var want spec.Tunables
		if _, want, err = c.wanted(); err == nil {
			report, err = c.hand.Verify(ctx, want)
		}
	}
	if err != nil {
		return failed, err
	}
	return judge(report.Settings), c.out.report(report)
}

// status prints what labs hold on this host.
func (c *command) status(ctx context.Context, _ []string) (int, error) {
	ledger, settings, err := c.hand.Status(ctx)
	if err != nil {
		return failed, err
	}
	return judge(settings), c.out.status(ledger, settings)
}

// restore ends labs on this host.
func (c *command) restore(ctx context.Context, labs []string) (int, error) {
	report, err := c.hand.Restore(ctx, labs, c.waiting)
	// What could be put back is worth knowing also where something could not.
	if err == nil || len(report.Settings) > 0 {
		err = errors.Join(err, c.out.restored(report))
	}
	return fine, err
}

func (c *command) waiting(holder string) {
	_, _ = fmt.Fprintln(c.stderr, "waiting for", holder)
}

// judge is the exit code for what was found.
func judge(settings []spec.Setting) int {
	if slices.ContainsFunc(settings, func(s spec.Setting) bool { return s.Status == spec.Differs || s.Status == spec.Failed }) {
		return differs
	}
	return fine
}
