package ethtool

import (
	"path"
	"testing"
)

func TestFeatureGroup(t *testing.T) {
	for _, tt := range []struct {
		group, feature string
		want           bool
	}{
		{"gro", "rx-gro", true},
		{"gro", "rx-gro-list", false},
		{"tso", "tx-tcp-segmentation", true},
		{"tso", "tx-tcp6-segmentation", true},
		{"tso", "tx-tcp-ecn-segmentation", true},
		{"tso", "tx-tcp-mangleid-segmentation", true},
		{"tso", "tx-udp-segmentation", false},
		{"gso", "tx-generic-segmentation", true},
		{"sg", "tx-scatter-gather-fraglist", true},
		{"tx", "tx-checksum-ip-generic", true},
		{"tx", "tx-tcp-segmentation", false},
	} {
		pattern, ok := FeatureGroup(tt.group)
		if !ok {
			t.Errorf("no group %q", tt.group)
		}
		if got, err := path.Match(pattern, tt.feature); err != nil || got != tt.want {
			t.Errorf("%s and %s: %v, %v", tt.group, tt.feature, got, err)
		}
	}
	if pattern, ok := FeatureGroup("rx-gro"); ok {
		t.Errorf("a feature is a group: %q", pattern)
	}
}
