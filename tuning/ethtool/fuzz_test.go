package ethtool

import (
	"testing"

	"golang.org/x/sys/unix"
)

// Whatever a kernel answers, there is a result or an error.
func FuzzReply(f *testing.F) {
	for _, attributes := range [][]attribute{
		{header(), u32(unix.ETHTOOL_A_RINGS_RX_MAX, 4096), u32(unix.ETHTOOL_A_RINGS_RX, 256)},
		{header(), u8(unix.ETHTOOL_A_COALESCE_USE_ADAPTIVE_RX, 1)},
		{header(), bitset(unix.ETHTOOL_A_FEATURES_HW, false, "+rx-gro", "rx-lro"), bitset(unix.ETHTOOL_A_FEATURES_ACTIVE, true, "rx-gro")},
		{bitset(unix.ETHTOOL_A_FEATURES_WANTED, false, "+rx-lro", "rx-gro")},
	} {
		seed, err := encoded(attributes...)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, g := range []*Group{Channels, Rings, Coalescing} {
			have, err := g.decode(data)
			if err != nil && have != nil {
				t.Errorf("%s: %v and %v", g, have, err)
			}
		}
		features, err := decodeFeatures(data)
		if err != nil && features != nil {
			t.Errorf("%v and %v", features, err)
		}
		for _, f := range features {
			if f.Name == "" {
				t.Error("a feature without a name")
			}
		}
		_, _ = decodeRefused(data)
	})
}
