package main

import "github.com/hanzoai/benchlab/tuning/spec"

// values is how many settings a host gets of profile: the sysctls, one offload, a queue
// length, and of each of two queues the RPS mask, the flow table and the XPS mask.
const values = 32 + 1 + 1 + 2*3

// profile is what each host is tuned to: nothing but what a network namespace has to itself.
func profile() spec.Tunables {
	return spec.Tunables{
		Sysctls: map[string]string{
			"net.core.optmem_max":                "65536",
			"net.core.somaxconn":                 "65535",
			"net.ipv4.ip_local_port_range":       "1024 65535",
			"net.ipv4.tcp_abort_on_overflow":     "0",
			"net.ipv4.tcp_autocorking":           "0",
			"net.ipv4.tcp_congestion_control":    "reno",
			"net.ipv4.tcp_ecn":                   "1",
			"net.ipv4.tcp_fastopen":              "3",
			"net.ipv4.tcp_fin_timeout":           "15",
			"net.ipv4.tcp_keepalive_intvl":       "30",
			"net.ipv4.tcp_keepalive_probes":      "5",
			"net.ipv4.tcp_keepalive_time":        "300",
			"net.ipv4.tcp_limit_output_bytes":    "1048576",
			"net.ipv4.tcp_max_syn_backlog":       "8192",
			"net.ipv4.tcp_max_tw_buckets":        "2000000",
			"net.ipv4.tcp_mtu_probing":           "1",
			"net.ipv4.tcp_no_metrics_save":       "1",
			"net.ipv4.tcp_notsent_lowat":         "131072",
			"net.ipv4.tcp_orphan_retries":        "2",
			"net.ipv4.tcp_reordering":            "5",
			"net.ipv4.tcp_retries1":              "4",
			"net.ipv4.tcp_retries2":              "8",
			"net.ipv4.tcp_rfc1337":               "1",
			"net.ipv4.tcp_rmem":                  "4096 87380 16777216",
			"net.ipv4.tcp_sack":                  "1",
			"net.ipv4.tcp_slow_start_after_idle": "0",
			"net.ipv4.tcp_syn_retries":           "4",
			"net.ipv4.tcp_synack_retries":        "3",
			"net.ipv4.tcp_syncookies":            "1",
			"net.ipv4.tcp_timestamps":            "1",
			"net.ipv4.tcp_tw_reuse":              "1",
			"net.ipv4.tcp_wmem":                  "4096 65536 16777216",
		},
		NICs: []spec.NIC{{
			Name:           "data0",
			Offloads:       map[string]bool{"gro": true},
			PacketSteering: &spec.Steering{CPUs: "0-1", FlowEntriesPerQueue: 2048},
		}},
		Sysfs: map[string]string{"/sys/class/net/data0/tx_queue_len": "2000"},
	}
}
