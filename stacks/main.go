// The Pulumi program of every stack: it reads the lab file of the stack that is
// selected, makes the lab, and returns what was found and measured.
package main

import (
	"os"

	"github.com/hanzoai/benchlab/lab"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		path, err := lab.Path(".", ctx.Stack())
		if err != nil {
			return err
		}
		key := ctx.Project() + ":" + lab.ConfigName
		vars, _ := ctx.GetConfig(key)
		definition, err := lab.Load(path, lab.Configuration(key, vars, ctx.IsConfigSecret(key)), lab.Environment(os.Environ()))
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
		l.Export(ctx, definition)
		return nil
	})
}
