package facts

import (
	"path/filepath"

	"github.com/hanzoai/benchlab/hosts/hostspec"
	"github.com/prometheus/procfs"
)

// mounts are the file systems of the directories that benchlab, its servers and their logs
// write to. Of several mounts on one path the last one is seen.
func (f files) mounts() []hostspec.Mount {
	proc, err := procfs.NewFS(f.path("proc"))
	if err != nil {
		return nil
	}
	self, err := proc.Self()
	if err != nil {
		return nil
	}
	infos, err := self.MountInfo()
	if err != nil {
		return nil
	}
	var mounts []hostspec.Mount
	for _, dir := range []string{"/", "/tmp", "/var"} {
		for i := len(infos) - 1; i >= 0; i-- {
			if m := infos[i]; filepath.Clean(m.MountPoint) == dir {
				_, readOnly := m.Options["ro"]
				_, super := m.SuperOptions["ro"]
				mounts = append(mounts, hostspec.Mount{Path: dir, Type: m.FSType, Source: m.Source, ReadOnly: readOnly || super})
				break
			}
		}
	}
	return mounts
}
