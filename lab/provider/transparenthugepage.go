package provider

import (
	"github.com/hanzoai/benchlab/tuning/spec"
	"github.com/pulumi/pulumi-go-provider/infer"
)

// TransparentHugepage is the kernel's use of huge pages behind a program's back.
type TransparentHugepage struct {
	tuner[TransparentHugepageArgs, TransparentHugepageState, *TransparentHugepageState]
}

// TransparentHugepageArgs are the inputs of a TransparentHugepage.
type TransparentHugepageArgs struct {
	Target
	spec.Hugepages
	Drifting
}

// TransparentHugepageState is the state of a TransparentHugepage.
type TransparentHugepageState struct {
	TransparentHugepageArgs
	Tuned
}

func (s *TransparentHugepageState) parts() (*TransparentHugepageArgs, *Tuned) {
	return &s.TransparentHugepageArgs, &s.Tuned
}

// Annotate documents the resource.
func (r *TransparentHugepage) Annotate(a infer.Annotator) {
	a.SetToken("tuning", "TransparentHugepage")
	a.Describe(&r, "Transparent hugepages: when the kernel gives a program huge pages that it has not asked for, and how hard it tries. Deleting it restores the originals.")
}

// Annotate documents the inputs.
func (args *TransparentHugepageArgs) Annotate(a infer.Annotator) {
	a.Describe(&args.Enabled, "`always`, `madvise` or `never`.")
	a.Describe(&args.Defrag, "`always`, `defer`, `defer+madvise`, `madvise` or `never`.")
}

func (args *TransparentHugepageArgs) tunables() spec.Tunables {
	return spec.Tunables{Hugepages: &args.Hugepages, Required: args.Required}
}
