package provider

import (
	"github.com/hanzoai/benchlab/tuning/spec"
	"github.com/pulumi/pulumi-go-provider/infer"
)

// SysfsValue is one value under /sys of a host.
type SysfsValue struct {
	tuner[SysfsValueArgs, SysfsValueState, *SysfsValueState]
}

// SysfsValueArgs are the inputs of a SysfsValue.
type SysfsValueArgs struct {
	Target
	Path  string `pulumi:"path" provider:"replaceOnChanges"`
	Value string `pulumi:"value"`
}

// SysfsValueState is the state of a SysfsValue.
type SysfsValueState struct {
	SysfsValueArgs
	Tuned
}

func (s *SysfsValueState) parts() (*SysfsValueArgs, *Tuned) { return &s.SysfsValueArgs, &s.Tuned }

// Annotate documents the resource.
func (r *SysfsValue) Annotate(a infer.Annotator) {
	a.SetToken("tuning", "SysfsValue")
	a.Describe(&r, "One file under /sys that has no resource of its own. Deleting it restores the original.")
}

// Annotate documents the inputs.
func (args *SysfsValueArgs) Annotate(a infer.Annotator) {
	a.Describe(&args.Path, "The whole path of one file: `/sys/kernel/mm/ksm/run`.")
	a.Describe(&args.Value, "Words with one blank between them. Of a file that offers words, the one to choose.")
}

func (args *SysfsValueArgs) tunables() spec.Tunables {
	return spec.Tunables{Sysfs: map[string]string{args.Path: args.Value}, Required: args.Required}
}

func (args *SysfsValueArgs) id(string) string { return args.Path }

func (args *SysfsValueArgs) drifted(drift map[string]string, found Tuned) {
	if live, ok := found.instead(drift); ok {
		args.Value = live
	}
}
