package ethtool

import "golang.org/x/sys/unix"

// The names are those of ethtool(8), the numbers those of
// include/uapi/linux/ethtool_netlink_generated.h.

// Channels are the queues that have an interrupt (ethtool -l): rx, tx, other, combined.
// A driver has combined ones, or rx and tx ones, or both.
var Channels = &Group{
	name:  "channels",
	get:   unix.ETHTOOL_MSG_CHANNELS_GET,
	reply: unix.ETHTOOL_MSG_CHANNELS_GET_REPLY,
	set:   unix.ETHTOOL_MSG_CHANNELS_SET,
	parameters: []parameter{
		{name: "rx", id: unix.ETHTOOL_A_CHANNELS_RX_COUNT, maxID: unix.ETHTOOL_A_CHANNELS_RX_MAX},
		{name: "tx", id: unix.ETHTOOL_A_CHANNELS_TX_COUNT, maxID: unix.ETHTOOL_A_CHANNELS_TX_MAX},
		{name: "other", id: unix.ETHTOOL_A_CHANNELS_OTHER_COUNT, maxID: unix.ETHTOOL_A_CHANNELS_OTHER_MAX},
		{name: "combined", id: unix.ETHTOOL_A_CHANNELS_COMBINED_COUNT, maxID: unix.ETHTOOL_A_CHANNELS_COMBINED_MAX},
	},
}

// Rings are the sizes of each queue's ring, in descriptors (ethtool -g): rx, rx-mini,
// rx-jumbo, tx.
var Rings = &Group{
	name:  "rings",
	get:   unix.ETHTOOL_MSG_RINGS_GET,
	reply: unix.ETHTOOL_MSG_RINGS_GET_REPLY,
	set:   unix.ETHTOOL_MSG_RINGS_SET,
	parameters: []parameter{
		{name: "rx", id: unix.ETHTOOL_A_RINGS_RX, maxID: unix.ETHTOOL_A_RINGS_RX_MAX},
		{name: "rx-mini", id: unix.ETHTOOL_A_RINGS_RX_MINI, maxID: unix.ETHTOOL_A_RINGS_RX_MINI_MAX},
		{name: "rx-jumbo", id: unix.ETHTOOL_A_RINGS_RX_JUMBO, maxID: unix.ETHTOOL_A_RINGS_RX_JUMBO_MAX},
		{name: "tx", id: unix.ETHTOOL_A_RINGS_TX, maxID: unix.ETHTOOL_A_RINGS_TX_MAX},
	},
}

// Coalescing is for how long and for how many packets a NIC holds an interrupt back
// (ethtool -c): usecs in microseconds, nsecs in nanoseconds, frames in packets, adaptive and cqe-mode 0 or 1.
// Drivers name no maxima.
var Coalescing = &Group{
	name:  "coalescing",
	get:   unix.ETHTOOL_MSG_COALESCE_GET,
	reply: unix.ETHTOOL_MSG_COALESCE_GET_REPLY,
	set:   unix.ETHTOOL_MSG_COALESCE_SET,
	parameters: []parameter{
		{name: "adaptive-rx", id: unix.ETHTOOL_A_COALESCE_USE_ADAPTIVE_RX, byte: true},
		{name: "adaptive-tx", id: unix.ETHTOOL_A_COALESCE_USE_ADAPTIVE_TX, byte: true},
		{name: "rx-usecs", id: unix.ETHTOOL_A_COALESCE_RX_USECS},
		{name: "rx-frames", id: unix.ETHTOOL_A_COALESCE_RX_MAX_FRAMES},
		{name: "rx-usecs-irq", id: unix.ETHTOOL_A_COALESCE_RX_USECS_IRQ},
		{name: "rx-frames-irq", id: unix.ETHTOOL_A_COALESCE_RX_MAX_FRAMES_IRQ},
		{name: "tx-usecs", id: unix.ETHTOOL_A_COALESCE_TX_USECS},
		{name: "tx-frames", id: unix.ETHTOOL_A_COALESCE_TX_MAX_FRAMES},
		{name: "tx-usecs-irq", id: unix.ETHTOOL_A_COALESCE_TX_USECS_IRQ},
		{name: "tx-frames-irq", id: unix.ETHTOOL_A_COALESCE_TX_MAX_FRAMES_IRQ},
		{name: "stats-block-usecs", id: unix.ETHTOOL_A_COALESCE_STATS_BLOCK_USECS},
		{name: "pkt-rate-low", id: unix.ETHTOOL_A_COALESCE_PKT_RATE_LOW},
		{name: "rx-usecs-low", id: unix.ETHTOOL_A_COALESCE_RX_USECS_LOW},
		{name: "rx-frames-low", id: unix.ETHTOOL_A_COALESCE_RX_MAX_FRAMES_LOW},
		{name: "tx-usecs-low", id: unix.ETHTOOL_A_COALESCE_TX_USECS_LOW},
		{name: "tx-frames-low", id: unix.ETHTOOL_A_COALESCE_TX_MAX_FRAMES_LOW},
		{name: "pkt-rate-high", id: unix.ETHTOOL_A_COALESCE_PKT_RATE_HIGH},
		{name: "rx-usecs-high", id: unix.ETHTOOL_A_COALESCE_RX_USECS_HIGH},
		{name: "rx-frames-high", id: unix.ETHTOOL_A_COALESCE_RX_MAX_FRAMES_HIGH},
		{name: "tx-usecs-high", id: unix.ETHTOOL_A_COALESCE_TX_USECS_HIGH},
		{name: "tx-frames-high", id: unix.ETHTOOL_A_COALESCE_TX_MAX_FRAMES_HIGH},
		{name: "sample-interval", id: unix.ETHTOOL_A_COALESCE_RATE_SAMPLE_INTERVAL},
		{name: "cqe-mode-rx", id: unix.ETHTOOL_A_COALESCE_USE_CQE_MODE_RX, byte: true},
		{name: "cqe-mode-tx", id: unix.ETHTOOL_A_COALESCE_USE_CQE_MODE_TX, byte: true},
		// golang.org/x/sys/unix counts the rest in its ETHTOOL_A_COALESCE_MAX and has no
		// names for them. 29 and 30 are profiles, which are no numbers.
		{name: "tx-aggr-max-bytes", id: 26},
		{name: "tx-aggr-max-frames", id: 27},
		{name: "tx-aggr-time-usecs", id: 28},
		{name: "rx-cqe-frames", id: 31},
		{name: "rx-cqe-nsecs", id: 32},
	},
}
