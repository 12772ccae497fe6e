package provider

import (
	"context"
	"fmt"

	"github.com/hanzoai/benchlab/tuning/spec"
	p "github.com/pulumi/pulumi-go-provider"
)

// status shows a passing line beside the resource; it leaves no trace in the summary.
func status(ctx context.Context, format string, args ...any) {
	p.GetLogger(ctx).InfoStatus(fmt.Sprintf(format, args...))
}

// warn passes a host's warnings on to the user.
func warn(ctx context.Context, r spec.Report) {
	for _, w := range r.Warnings {
		p.GetLogger(ctx).Warning(w)
	}
}
