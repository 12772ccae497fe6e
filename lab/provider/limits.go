package provider

import (
	"github.com/hanzoai/benchlab/tuning/spec"
	"github.com/pulumi/pulumi-go-provider/infer"
)

// Limits is the resource limits of what the lab starts on a host.
type Limits struct {
	tuner[LimitsArgs, LimitsState, *LimitsState]
}

// LimitsArgs are the inputs of Limits.
type LimitsArgs struct {
	Target
	Drifting
	NoFile int `pulumi:"noFile"`
}

// LimitsState is the state of Limits.
type LimitsState struct {
	LimitsArgs
	Tuned
}

func (s *LimitsState) parts() (*LimitsArgs, *Tuned) { return &s.LimitsArgs, &s.Tuned }

// Annotate documents the resource.
func (r *Limits) Annotate(a infer.Annotator) {
	a.SetToken("tuning", "Limits")
	a.Describe(&r, "Limits of the servers and loaders that the lab starts on the host, for those that start after it. Deleting it leaves them to the host's defaults.")
}

// Annotate documents the inputs.
func (args *LimitsArgs) Annotate(a infer.Annotator) {
	a.Describe(&args.NoFile, "Files and sockets that one process may have open (RLIMIT_NOFILE).")
}

func (args *LimitsArgs) tunables() spec.Tunables {
	return spec.Tunables{Limits: &spec.ProcessLimits{NoFile: args.NoFile}, Required: args.Required}
}
