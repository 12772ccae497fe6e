package lab

import (
	"context"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/internals"
)

// An update that goes on after an error (`pulumi up --continue-on-error`) leaves the outputs
// of what has failed, and of what depends on it, unknown. An unknown part would make a
// whole stack output unknown, and what was measured before the failure could not be read.

// known takes out of a map what this update has not brought about. In a preview everything
// stays, as unknown is what an output is there.
func (b *builder) known(m pulumi.Map) pulumi.Output {
	if b.ctx.DryRun() {
		return m.ToMapOutput()
	}
	return b.later(func(ctx context.Context) (any, error) {
		found := map[string]any{}
		for name, input := range m {
			value, ok, err := await(ctx, pulumi.ToOutput(input))
			if err != nil {
				return nil, err
			}
			if ok {
				found[name] = value
			}
		}
		return found, nil
	})
}

// orElse is a value for an output that this update has not brought about.
func (b *builder) orElse(output pulumi.Output, value any) pulumi.Output {
	if b.ctx.DryRun() {
		return output
	}
	return b.later(func(ctx context.Context) (any, error) {
		found, ok, err := await(ctx, output)
		if !ok {
			found = value
		}
		return found, err
	})
}

// later runs a function that may wait for outputs.
func (b *builder) later(wait func(context.Context) (any, error)) pulumi.Output {
	return pulumi.String("").ToStringOutput().ApplyTWithContext(b.ctx.Context(), func(ctx context.Context, _ string) (any, error) {
		return wait(ctx)
	})
}

// await waits for an output; it is false where the output is unknown.
func await(ctx context.Context, output pulumi.Output) (value any, ok bool, err error) {
	r, err := internals.UnsafeAwaitOutput(ctx, output)
	if err != nil {
		return nil, false, err
	}
	return r.Value, r.Known, nil
}
