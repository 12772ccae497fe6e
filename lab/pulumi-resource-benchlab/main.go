// Command pulumi-resource-benchlab is the resource provider plugin: Pulumi starts it and
// speaks to it. The programs it brings to hosts stand beside it.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/hanzoai/benchlab/lab/provider"
	p "github.com/pulumi/pulumi-go-provider"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "pulumi-resource-benchlab:", err)
		os.Exit(1)
	}
}

func run() error {
	executable, err := os.Executable()
	if err != nil {
		return err
	}
	plugin, err := provider.New(filepath.Dir(executable))
	if err != nil {
		return err
	}
	go exitWithParent()
	return p.RunProvider(context.Background(), provider.Name, provider.Version, plugin)
}

// exitWithParent ends this process when Pulumi was killed: an orphan would keep the
// connections, and with them the agents and their locks.
func exitWithParent() {
	for parent := os.Getppid(); os.Getppid() == parent; {
		time.Sleep(500 * time.Millisecond)
	}
	os.Exit(1)
}
