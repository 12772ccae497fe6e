package lab

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	sdkworkloads "github.com/hanzoai/benchlab/lab/sdk/workloads"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// keepTelemetry writes what the hosts counted during a benchmark beside the lab file, for
// whoever wants to plot it. The state has it too, so a file that was lost is there again
// after the next up. A preview writes nothing.
func (b *builder) keepTelemetry(dir, name string, benchmark *sdkworkloads.Benchmark) {
	if dir == "" {
		return
	}
	benchmark.Telemetry.ApplyT(func(packed *string) (string, error) {
		if packed == nil || *packed == "" || b.ctx.DryRun() {
			return "", nil
		}
		path := filepath.Join(dir, name+".json")
		if err := writeTelemetry(path, *packed); err != nil { // a lab that stands is not to fail for it
			return "", b.ctx.Log.Warn(fmt.Sprintf("the telemetry of benchmark %s can't be written: %v", name, err), &pulumi.LogArgs{Resource: benchmark})
		}
		return path, nil
	})
}

// writeTelemetry writes the document that packed holds (see the output telemetry of a
// Benchmark), unless it is there already.
func writeTelemetry(path, packed string) error {
	zipped, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, bytes.NewReader([]byte(packed))))
	if err != nil {
		return err
	}
	text, err := io.ReadAll(zipped)
	if err := errors.Join(err, zipped.Close()); err != nil {
		return err
	}
	if there, err := os.ReadFile(path); err == nil && bytes.Equal(there, text) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return replace(path, text)
}
