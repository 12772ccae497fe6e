package lab

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/hanzoai/benchlab/hosts/hostspec"
	sdkhosts "github.com/hanzoai/benchlab/lab/sdk/hosts"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// Lock is what the hosts of a lab were when their first results were taken: a file beside
// the lab file, to be committed with it. It outlives the state of the stack, so that a lab
// that is brought up again next month knows whether it is still on the same system.
type Lock struct {
	path string
	// hosts has the identity of each host (see hostspec.Facts), by its name.
	hosts map[string]map[string]string
}

// LoadLock reads a lock file. One that is not there has no host in it.
func LoadLock(path string) (*Lock, error) {
	l := &Lock{path: path}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read lock file: %w", err)
	}
	if err := json.Unmarshal(text, &l.hosts); err != nil {
		return nil, fmt.Errorf("lock file %s: %w; take it from your repository again, or remove it and the next up records the hosts anew", path, err)
	}
	return l, nil
}

// differences says in what a host is another system than the locked one. A host that is
// not locked yet has none.
func (l *Lock) differences(host string, now map[string]string) []string {
	var found []string
	for _, d := range hostspec.IdentityDifferences(l.hosts[host], now, "when this lab was locked") {
		found = append(found, fmt.Sprintf("host %s: %s: results are of another system; `make lock` accepts it", host, d))
	}
	return found
}

// record adds the hosts that are not locked yet, and leaves the others as they are. It
// returns the names of those it has added.
func (l *Lock) record(found map[string]map[string]string) (added []string, err error) {
	all := map[string]map[string]string{}
	maps.Copy(all, l.hosts)
	for _, host := range slices.Sorted(maps.Keys(found)) {
		if len(all[host]) == 0 && len(found[host]) > 0 {
			all[host] = found[host]
			added = append(added, host)
		}
	}
	if len(added) == 0 {
		return nil, nil
	}
	text, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return nil, err
	}
	return added, replace(l.path, append(text, '\n'))
}

// replace writes a file whole or not at all.
func replace(path string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	// A temporary file is its owner's alone; this one is for a repository.
	if err = errors.Join(err, f.Chmod(0o644), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// judge compares a host with the lock. What takes the reference that it returns comes
// after the warnings.
func (b *builder) judge(l *Lock, name string, host *sdkhosts.Host) sdkhosts.HostRefOutput {
	if l == nil {
		return host.Ref
	}
	return pulumi.All(host.Ref, host.Identity).ApplyT(func(both []any) (sdkhosts.HostRef, error) {
		now, _ := both[1].(map[string]string)
		for _, difference := range l.differences(name, now) {
			if err := b.ctx.Log.Warn(difference, &pulumi.LogArgs{Resource: host}); err != nil {
				return sdkhosts.HostRef{}, err
			}
		}
		return both[0].(sdkhosts.HostRef), nil
	}).(sdkhosts.HostRefOutput)
}

// identity is what a host should be: what it was when the lab was locked, or what it is
// where the lock has not got it yet.
func (b *builder) identity(l *Lock, host string) pulumi.StringMapInput {
	if l != nil && len(l.hosts[host]) > 0 {
		return pulumi.ToStringMap(l.hosts[host])
	}
	return b.hosts[host].Identity
}

// lock is what a lock file of now would hold. An up records the hosts that the lab's has
// not; a preview writes nothing.
func (b *builder) lock(l *Lock) pulumi.StringMapMapOutput {
	names := slices.Sorted(maps.Keys(b.hosts))
	var identities []any
	for _, name := range names {
		identities = append(identities, b.hosts[name].Identity)
	}
	return pulumi.All(identities...).ApplyT(func(all []any) (map[string]map[string]string, error) {
		found := map[string]map[string]string{}
		for i, name := range names {
			found[name], _ = all[i].(map[string]string)
		}
		if l == nil || b.ctx.DryRun() {
			return found, nil
		}
		added, err := l.record(found)
		at := &pulumi.LogArgs{Resource: b.lab}
		switch {
		case err != nil: // a lab that stands is not to fail for it
			return found, b.ctx.Log.Warn(fmt.Sprintf("the hosts can't be recorded, so a later run does not say where they differ: %v", err), at)
		case len(added) > 0:
			return found, b.ctx.Log.Info(fmt.Sprintf("what %q are is recorded in %s: a later run on other systems says so", added, l.path), at)
		}
		return found, nil
	}).(pulumi.StringMapMapOutput)
}
