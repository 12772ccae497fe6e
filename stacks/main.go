// The Pulumi program of every stack: it reads the lab file of the stack that is
// selected, makes the lab, and returns what was found and measured.
package main

import (
	"github.com/hanzoai/benchlab/lab"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		definition, err := lab.Load(ctx.Stack() + ".hcl")
		if err != nil {
			return err
		}
		if definition.Lock, err = lab.LoadLock(ctx.Stack() + ".lock.json"); err != nil {
			return err
		}
		definition.TelemetryDir = ctx.Stack() + ".telemetry"
		l, err := lab.New(ctx, ctx.Stack(), definition)
		if err != nil {
			return err
		}
		ctx.Export("hosts", l.Hosts)
		ctx.Export("ssh", l.SSH)
		ctx.Export("tuning", l.Tuning)
		ctx.Export("notes", l.Notes)
		ctx.Export("lock", l.Lock)
		ctx.Export("benchmarks", l.Benchmarks)
		ctx.Export("results", l.Results)
		ctx.Export("benchstat", l.Benchstat)
		ctx.Export("summary", l.Summary)
		return nil
	})
}
