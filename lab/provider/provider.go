// Package provider is the Pulumi resource provider: one file per resource, each the
// life of one thing on a host (check, create, read, update, delete). It knows no kernel
// path and runs no command: what happens on a host is asked of package hosts.
package provider

import (
	"context"
	"sync"

	"github.com/hanzoai/benchlab/hosts"
	"github.com/hanzoai/benchlab/hosts/namespace"
	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
)

// Name of the provider and of its package in the Pulumi world; Version is that of the
// schema and the SDK.
const (
	Name    = "benchlab"
	Version = "0.1.0"
)

// New returns the provider. binDir holds the programs it brings to hosts, in
// linux-<arch>/, and the helper that makes namespaces.
func New(binDir string) (p.Provider, error) {
	binaries := hosts.Binaries(binDir)
	configured := &secrets{}
	l := &lab{
		pool:     hosts.NewPool(binaries, configured.find),
		binaries: binaries,
		machine:  namespace.New(binDir + "/benchlab-netns"),
	}
	inferred, err := infer.NewProviderBuilder().
		WithDisplayName("benchlab").
		WithDescription("Reproducible benchmark labs: hosts over SSH, reversible kernel and NIC tuning, benchmarks as resources.").
		WithRepository("https://github.com/hanzoai/benchlab").
		WithLicense("Apache-2.0").
		WithLanguageMap(map[string]any{
			"go": map[string]any{
				"importBasePath":                 "github.com/hanzoai/benchlab/lab/sdk",
				"generateResourceContainerTypes": true,
				"respectSchemaVersion":           true,
			},
		}).
		WithModuleMap(map[tokens.ModuleName]tokens.ModuleName{
			"hostspec": "hosts", "spec": "tuning", "results": "workloads",
		}).
		WithConfig(infer.Config(&Config{})).
		WithResources(
			infer.Resource(&LabInstance{lab: l}),
			infer.Resource(&Namespace{lab: l}),
			infer.Resource(&Link{lab: l}),
			infer.Resource(&Host{lab: l}),
			infer.Resource(newTuner(l, &Sysctl{})),
			infer.Resource(newTuner(l, &SysfsValue{})),
			infer.Resource(newTuner(l, &MTU{})),
			infer.Resource(newTuner(l, &Channels{})),
			infer.Resource(newTuner(l, &Ring{})),
			infer.Resource(newTuner(l, &Offload{})),
			infer.Resource(newTuner(l, &Coalesce{})),
			infer.Resource(newTuner(l, &QueueDiscipline{})),
			infer.Resource(newTuner(l, &IRQAffinity{})),
			infer.Resource(newTuner(l, &PacketSteering{})),
			infer.Resource(newTuner(l, &Service{})),
			infer.Resource(newTuner(l, &Governor{})),
			infer.Resource(newTuner(l, &TransparentHugepage{})),
			infer.Resource(newTuner(l, &NUMABalancing{})),
			infer.Resource(newTuner(l, &Limits{})),
			infer.Resource(newTuner(l, &Profile{})),
			infer.Resource(&Server{lab: l}),
			infer.Resource(&Benchmark{lab: l}),
		).
		Build()
	if err != nil {
		return p.Provider{}, err
	}
	return withSecrets(withURN(withReplacement(inferred)), configured), nil
}

// lab is what all resources of one run share.
type lab struct {
	pool     *hosts.Pool
	binaries hosts.Binaries
	machine  *namespace.Machine
	// released has the connections of the hosts that this run has let go.
	released sync.Map
}

type urnKey struct{}

// withURN makes the URN of the resource known to its methods, which infer does not:
// it is half of the owner recorded on a host. What is done to reach a host is shown beside
// the resource as well.
func withURN(inner p.Provider) p.Provider {
	outer := inner
	outer.Create = func(ctx context.Context, r p.CreateRequest) (p.CreateResponse, error) {
		return inner.Create(resourceContext(ctx, string(r.Urn)), r)
	}
	outer.Read = func(ctx context.Context, r p.ReadRequest) (p.ReadResponse, error) {
		return inner.Read(resourceContext(ctx, string(r.Urn)), r)
	}
	outer.Update = func(ctx context.Context, r p.UpdateRequest) (p.UpdateResponse, error) {
		return inner.Update(resourceContext(ctx, string(r.Urn)), r)
	}
	outer.Delete = func(ctx context.Context, r p.DeleteRequest) error {
		return inner.Delete(resourceContext(ctx, string(r.Urn)), r)
	}
	return outer
}

func resourceContext(ctx context.Context, urn string) context.Context {
	return hosts.WithTrace(context.WithValue(ctx, urnKey{}, urn), hosts.Trace{
		Status: func(text string) { status(ctx, "%s", text) },
		Note:   func(text string) { p.GetLogger(ctx).Warning(text) },
	})
}

func urn(ctx context.Context) string {
	s, _ := ctx.Value(urnKey{}).(string)
	return s
}
