package provider

import (
	"github.com/hanzoai/benchlab/tuning/spec"
	"github.com/pulumi/pulumi-go-provider/infer"
)

// Target is where a tuning resource acts: inputs that all of them have.
type Target struct {
	Host     HostRef `pulumi:"host"`
	Required bool    `pulumi:"required,optional"`
}

// Annotate documents the inputs.
func (t *Target) Annotate(a infer.Annotator) {
	a.Describe(&t.Host, "The host to tune: the output `ref` of a Host.")
	a.Describe(&t.Required, "Make an error of what the host can't have. By default it is `unsupported`, with the reason.")
}

func (t *Target) host() HostRef { return t.Host }

func (t *Target) id(name string) string { return name }

// NICTarget is a network interface of a host.
type NICTarget struct {
	Target
	NIC string `pulumi:"nic" provider:"replaceOnChanges"`
}

// Annotate documents the inputs.
func (t *NICTarget) Annotate(a infer.Annotator) {
	a.Describe(&t.NIC, "Name of the interface, as `ip link` shows it.")
}

func (t *NICTarget) id(string) string { return t.NIC }

// wants is what is wanted of the NIC, without its name, as tunables.
func (t *NICTarget) wants(n spec.NIC) spec.Tunables {
	n.Name = t.NIC
	return spec.Tunables{NICs: []spec.NIC{n}, Required: t.Required}
}

// Drifting is for resources whose inputs amount to several values on the host, or to one
// in other words than the kernel's: what a refresh finds can't stand in their place.
type Drifting struct {
	Drift map[string]string `pulumi:"drift,optional"`
}

// Annotate documents the inputs.
func (d *Drifting) Annotate(a infer.Annotator) {
	a.Describe(&d.Drift, "Set by a refresh, never by a program: the settings that were changed behind our back, each with the wanted and the found value.")
}

func (d *Drifting) drifted(drift map[string]string, _ Tuned) { d.Drift = drift }
