package provider

import (
	"github.com/hanzoai/benchlab/tuning/spec"
	"github.com/pulumi/pulumi-go-provider/infer"
)

// Service is a systemd unit that is kept out of the way.
type Service struct {
	tuner[ServiceArgs, ServiceState, *ServiceState]
}

// ServiceArgs are the inputs of a Service.
type ServiceArgs struct {
	Target
	Drifting
	Unit  string `pulumi:"unit" provider:"replaceOnChanges"`
	State string `pulumi:"state"`
}

// ServiceState is the state of a Service.
type ServiceState struct {
	ServiceArgs
	Tuned
}

func (s *ServiceState) parts() (*ServiceArgs, *Tuned) { return &s.ServiceArgs, &s.Tuned }

// Annotate documents the resource.
func (r *Service) Annotate(a infer.Annotator) {
	a.SetToken("tuning", "Service")
	a.Describe(&r, "A systemd unit that is stopped or masked while the lab stands: irqbalance, tuned, a timer that would disturb a measurement. Deleting it brings back what it was: running or not, masked or not; whether it is enabled is never touched.")
}

// Annotate documents the inputs.
func (args *ServiceArgs) Annotate(a infer.Annotator) {
	a.Describe(&args.Unit, "A service, socket, timer or path: `irqbalance` is irqbalance.service.")
	a.Describe(&args.State, "`stopped`, or `masked`: nothing can start it meanwhile.")
}

func (args *ServiceArgs) tunables() spec.Tunables {
	return spec.Tunables{Services: map[string]string{args.Unit: args.State}, Required: args.Required}
}

func (args *ServiceArgs) id(string) string { return args.Unit }
