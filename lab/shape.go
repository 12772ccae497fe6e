package lab

// fileKind is the kind of the file itself, the block around all blocks.
const fileKind = "lab file"

// shape says what a kind of block may hold.
type shape struct {
	// label says what the block's label is; empty where it takes none.
	label      string
	attributes []attribute
	blocks     []string
}

// attribute is a named value of a block. The example is one that could stand in a
// file as it is: messages show it.
type attribute struct {
	name, example string
	optional      bool
}

// shapes is the grammar of a lab file, by kind of block.
var shapes = map[string]shape{
	fileKind: {blocks: []string{"host", "link", "tune", "server", "benchmark"}},
	"host": {label: "name", blocks: []string{"namespace", "connection"}, attributes: []attribute{
		{name: "adopt", example: `true`, optional: true},
		{name: "decommissioned", example: `true`, optional: true},
	}},
	"connection": {attributes: []attribute{
		{name: "address", example: `"192.168.10.2"`},
		{name: "port", example: `22`, optional: true},
		{name: "user", example: `"root"`, optional: true},
		{name: "identity", example: `"~/.ssh/id_ed25519"`, optional: true},
		{name: "host_key", example: `"ssh-ed25519 AAAA..."`, optional: true},
		{name: "known_hosts", example: `"~/.ssh/known_hosts"`, optional: true},
		{name: "host_key_check", example: `"accept-new"`, optional: true},
		{name: "become", example: `"sudo"`, optional: true},
		{name: "jump", example: `["me@gate.lan:22"]`, optional: true},
		{name: "ssh_config", example: `"~/.ssh/config"`, optional: true},
		{name: "passphrase_env", example: `"KEY_PASSPHRASE"`, optional: true},
		{name: "password_env", example: `"SPARK_PASSWORD"`, optional: true},
		{name: "become_password_env", example: `"SPARK_PASSWORD"`, optional: true},
	}},
	"namespace": {},
	"link": {label: "name", blocks: []string{"end"}, attributes: []attribute{
		{name: "rate", example: `"2.5Gbit"`, optional: true},
		{name: "queues", example: `1`, optional: true},
	}},
	"end": {attributes: []attribute{
		{name: "host", example: `host.NAME`},
		{name: "nic", example: `"data0"`},
		{name: "address", example: `"10.99.0.1/24"`},
	}},
	"tune": {label: "name", blocks: []string{"packet_steering"}, attributes: []attribute{
		{name: "host", example: `host.NAME`},
		{name: "sysctl", example: `{ "net.core.somaxconn" = 65535 }`, optional: true},
	}},
	"packet_steering": {label: "NIC", attributes: []attribute{
		{name: "cpus", example: `"all"`, optional: true},
		{name: "flow_entries", example: `32768`, optional: true},
		{name: "flow_entries_per_queue", example: `4096`, optional: true},
	}},
	"server": {label: "name", attributes: []attribute{
		{name: "host", example: `host.NAME`},
		{name: "listen", example: `"http://10.99.0.1:8080"`},
		{name: "gogc", example: `100`, optional: true},
	}},
	"benchmark": {label: "name", attributes: []attribute{
		{name: "server", example: `server.NAME`},
		{name: "loader", example: `host.NAME`},
		{name: "path", example: `"/health"`, optional: true},
		{name: "connections", example: `[100, 1000]`},
		{name: "warm_up", example: `"1s"`},
		{name: "duration", example: `"5s"`},
		{name: "rounds", example: `6`, optional: true},
		{name: "compare", example: `true`, optional: true},
	}},
}

func (s shape) names() []string {
	names := make([]string, 0, len(s.attributes))
	for _, a := range s.attributes {
		names = append(names, a.name)
	}
	return names
}

func (s shape) example(name string) string {
	for _, a := range s.attributes {
		if a.name == name {
			return a.example
		}
	}
	return ""
}
