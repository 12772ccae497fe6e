package lab

import (
	"github.com/hanzoai/benchlab/tuning/profiles"
	"github.com/hanzoai/benchlab/tuning/profiles/syntax"
)

// each makes several blocks of one.
var each = syntax.Attribute{Name: forEach, Example: `["n01", "n02"]`, Optional: true}

// noCount says what to write instead of what makes several blocks elsewhere.
var noCount = map[string]string{"count": "Write for_each = range(1, N + 1): each.key and each.value are the number of the block."}

// noSecret says what to write instead of what marks a value as secret elsewhere.
const noSecret = "A lab file holds no secret, and its variables are none: they stand in the state and in messages. " +
	"Name the secret where it is used, as in password = \"secret:NAME\", and set it with: pulumi config set --secret --path benchlab:secrets.NAME"

// grammar is the shape of a lab file.
var grammar = syntax.Shape{Kind: "lab file", Blocks: []syntax.Shape{
	{Kind: "variable", Label: syntax.Name, Attributes: []syntax.Attribute{
		{Name: "type", Example: `number`, Optional: true},
		{Name: "default", Example: `1000`, Optional: true},
		{Name: "description", Example: `"connections of the largest run"`, Optional: true},
	}, Instead: map[string]string{"sensitive": noSecret}},
	{Kind: "locals", AnyName: true},
	{Kind: "host", Label: syntax.Name, Attributes: []syntax.Attribute{
		{Name: "adopt", Example: `true`, Optional: true},
		{Name: "decommissioned", Example: `true`, Optional: true},
		each,
	}, Instead: noCount, Blocks: []syntax.Shape{
		{Kind: "namespace"},
		{Kind: "connection", Attributes: []syntax.Attribute{
			{Name: "address", Example: `"192.168.10.2"`},
			{Name: "port", Example: `22`, Optional: true},
			{Name: "user", Example: `"root"`, Optional: true},
			{Name: "identity", Example: `"~/.ssh/id_ed25519"`, Optional: true},
			{Name: "host_key", Example: `"ssh-ed25519 AAAA..."`, Optional: true},
			{Name: "known_hosts", Example: `"~/.ssh/known_hosts"`, Optional: true},
			{Name: "host_key_check", Example: `"accept-new"`, Optional: true},
			{Name: "become", Example: `"sudo"`, Optional: true},
			{Name: "jump", Example: `["me@gate.lan:22"]`, Optional: true},
			{Name: "ssh_config", Example: `"~/.ssh/config"`, Optional: true},
			{Name: "passphrase", Example: `"secret:NAME"`, Optional: true, Confidential: true},
			{Name: "password", Example: `"secret:NAME"`, Optional: true, Confidential: true},
			{Name: "become_password", Example: `"secret:NAME"`, Optional: true, Confidential: true},
		}},
	}},
	{Kind: "link", Label: syntax.Name, Attributes: []syntax.Attribute{
		{Name: "rate", Example: `"2.5Gbit"`, Optional: true},
		{Name: "queues", Example: `1`, Optional: true},
		each,
	}, Instead: noCount, Blocks: []syntax.Shape{
		{Kind: "end", Attributes: []syntax.Attribute{
			{Name: "host", Example: `host.NAME`},
			{Name: "nic", Example: `"data0"`},
			{Name: "address", Example: `"10.99.0.1/24"`},
		}},
	}},
	profiles.TuneShape(syntax.Attribute{Name: "host", Example: `host.NAME`}, each),
	profiles.ProfileShape(),
	{Kind: "server", Label: syntax.Name, Attributes: []syntax.Attribute{
		{Name: "host", Example: `host.NAME`},
		{Name: "listen", Example: `"http://10.99.0.1:8080"`},
		{Name: "cpus", Example: `"0-3"`, Optional: true},
		{Name: "framework", Example: `"fiber"`, Optional: true},
		{Name: "gogc", Example: `100`, Optional: true},
		{Name: "gomaxprocs", Example: `4`, Optional: true},
		{Name: "listeners", Example: `4`, Optional: true},
		each,
	}, Instead: noCount, Blocks: []syntax.Shape{
		{Kind: "program", Attributes: []syntax.Attribute{
			{Name: "command", Example: `"bin/myserver"`},
			{Name: "args", Example: `["--port", "8080"]`, Optional: true},
			{Name: "env", Example: `{ LOG = "off" }`, Optional: true},
			{Name: "health", Example: `"/healthz"`, Optional: true},
		}},
	}},
	{Kind: "benchmark", Label: syntax.Name, Attributes: []syntax.Attribute{
		{Name: "server", Example: `server.NAME`},
		{Name: "loader", Example: `host.NAME`, Optional: true}, // or blocks
		{Name: "path", Example: `"/health"`, Optional: true},
		{Name: "connections", Example: `[100, 1000]`},
		{Name: "warm_up", Example: `"1s"`},
		{Name: "duration", Example: `"5s"`},
		{Name: "rate", Example: `50000`, Optional: true},
		{Name: "pipeline", Example: `16`, Optional: true},
		{Name: "rounds", Example: `6`, Optional: true},
		{Name: "baseline", Example: `"untuned"`, Optional: true},
		each,
	}, Instead: noCount, Blocks: []syntax.Shape{
		{Kind: "loader", Attributes: []syntax.Attribute{
			{Name: "host", Example: `host.NAME`},
			{Name: "sources", Example: `["10.99.0.2"]`, Optional: true},
			each,
		}, Instead: noCount},
	}},
	{Kind: "output", Label: syntax.Name, Attributes: []syntax.Attribute{
		{Name: "value", Example: `var.NAME`},
		{Name: "description", Example: `"where the server answers"`, Optional: true},
	}, Instead: map[string]string{"sensitive": noSecret}},
}}
