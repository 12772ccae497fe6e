package ethtool

// FeatureGroup gives the pattern (path.Match) of the features that ethtool -K changes by
// one of its own names, as in "tso": the kernel has several features of that kind, and
// other ones from version to version. It is false for all other names.
func FeatureGroup(name string) (pattern string, ok bool) {
	pattern, ok = featureGroups[name]
	return pattern, ok
}

// featureGroups are the short names of ethtool(8).
var featureGroups = map[string]string{
	"rx":     "rx-checksum",
	"tx":     "tx-checksum-*",
	"sg":     "tx-scatter-gather*",
	"tso":    "tx-tcp*-segmentation",
	"ufo":    "tx-udp-fragmentation",
	"gso":    "tx-generic-segmentation",
	"gro":    "rx-gro",
	"lro":    "rx-lro",
	"rxvlan": "rx-vlan-hw-parse",
	"txvlan": "tx-vlan-hw-insert",
	"ntuple": "rx-ntuple-filter",
	"rxhash": "rx-hashing",
}
