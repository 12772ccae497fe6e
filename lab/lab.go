package lab

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hanzoai/benchlab/hosts/hostspec"
	sdkhosts "github.com/hanzoai/benchlab/lab/sdk/hosts"
	sdktuning "github.com/hanzoai/benchlab/lab/sdk/tuning"
	sdkworkloads "github.com/hanzoai/benchlab/lab/sdk/workloads"
	"github.com/hanzoai/benchlab/tuning/spec"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// Lab is a whole lab as resources. Its outputs are made to be stack outputs: what has failed
// in an update that goes on after errors is not in them.
type Lab struct {
	pulumi.ResourceState

	// Hosts has the facts of each host, by its name.
	Hosts pulumi.Output
	// SSH has the command that logs in to each host, by its name.
	SSH pulumi.Output
	// Tuning has the verdict on each setting, by the name of its host.
	Tuning pulumi.Output
	// Notes say what the tuning of a host has chosen by its facts and why, by its name.
	Notes pulumi.Output
	// Lock is what a lock file of now would hold: the identity of each host, by its name.
	Lock pulumi.Output
	// Benchmarks has the rows of each benchmark, by its name.
	Benchmarks pulumi.Output
	// Results has the result document of each benchmark, by its name.
	Results pulumi.Output
	// Benchstat is the runs of all benchmarks as lines of the Go benchmark format.
	Benchstat pulumi.Output
	// Summary is the tables of all benchmarks as text.
	Summary pulumi.Output
}

// Export makes the outputs of the lab those of the stack, and with them those that its file
// has of its own.
func (l *Lab) Export(ctx *pulumi.Context, d *Definition) {
	for name, value := range map[string]pulumi.Output{
		"hosts": l.Hosts, "ssh": l.SSH, "tuning": l.Tuning, "notes": l.Notes, "lock": l.Lock,
		"benchmarks": l.Benchmarks, "results": l.Results, "benchstat": l.Benchstat, "summary": l.Summary,
	} {
		ctx.Export(name, value)
	}
	for _, o := range d.Outputs {
		ctx.Export(o.Name, pulumi.Any(o.Value))
	}
}

// ownOutputs are the names of those that each stack has.
var ownOutputs = []string{"hosts", "ssh", "tuning", "notes", "lock", "benchmarks", "results", "benchstat", "summary"}

// New makes the lab of a definition. The order is by dependency: namespaces, links,
// hosts, tuning, servers, benchmarks; a destroy runs it backwards.
func New(ctx *pulumi.Context, name string, d *Definition, opts ...pulumi.ResourceOption) (*Lab, error) {
	l := &Lab{}
	if err := ctx.RegisterComponentResource("benchlab:index:Lab", name, l, opts...); err != nil {
		return nil, err
	}
	b := &builder{
		ctx: ctx, lab: l, parent: pulumi.Parent(l),
		namespaces: map[string]*sdkhosts.Namespace{}, links: map[string][]*sdkhosts.Link{},
		hosts: map[string]*sdkhosts.Host{}, judged: map[string]sdkhosts.HostRefOutput{}, profiles: map[string][]*sdktuning.Profile{},
		servers: map[string]*sdkworkloads.Server{}, serverHost: map[string]string{},
	}
	if err := b.build(name, d); err != nil {
		return nil, err
	}
	return l, ctx.RegisterResourceOutputs(l, pulumi.Map{"summary": l.Summary})
}

// builder collects what has been made, by name, for what comes after it.
type builder struct {
	ctx      *pulumi.Context
	lab      *Lab
	parent   pulumi.ResourceOption
	instance pulumi.StringOutput

	namespaces map[string]*sdkhosts.Namespace
	links      map[string][]*sdkhosts.Link // by host
	hosts      map[string]*sdkhosts.Host
	judged     map[string]sdkhosts.HostRefOutput // refs of hosts, once they were compared with the lock
	profiles   map[string][]*sdktuning.Profile   // by host
	servers    map[string]*sdkworkloads.Server
	serverHost map[string]string
}

func (b *builder) build(name string, d *Definition) error {
	if estimate := d.Estimate(); estimate > 0 {
		message := fmt.Sprintf("benchmarks of this lab take at least %s when they run", estimate.Round(time.Second))
		if err := b.ctx.Log.Info(message, &pulumi.LogArgs{Resource: b.lab, Ephemeral: true}); err != nil {
			return err
		}
	}
	identity := &sdkhosts.LabInstanceArgs{}
	var machines sdkhosts.ConnectionArray
	for _, h := range d.Hosts {
		if h.Connection != nil {
			machines = append(machines, connection(*h.Connection))
		}
	}
	if machines != nil {
		identity.Machines = machines
	}
	instance, err := sdkhosts.NewLabInstance(b.ctx, name, identity, b.parent)
	if err != nil {
		return err
	}
	b.instance = instance.ID().ToStringOutput()
	for _, step := range []func(*Definition) error{b.makeNamespaces, b.makeLinks, b.makeHosts, b.makeProfiles, b.makeServers, b.makeBenchmarks} {
		if err := step(d); err != nil {
			return err
		}
	}
	return nil
}

func (b *builder) makeNamespaces(d *Definition) error {
	for _, h := range d.Hosts {
		if h.Namespace == nil {
			continue
		}
		n, err := sdkhosts.NewNamespace(b.ctx, h.Name, &sdkhosts.NamespaceArgs{
			Lab: b.instance, Hostname: pulumi.String(h.Name),
		}, b.parent)
		if err != nil {
			return err
		}
		b.namespaces[h.Name] = n
	}
	return nil
}

// find looks up what another part of the definition refers to. A lab file is checked by
// the reader; a definition built in Go is not.
func find[T any](made map[string]T, kind, name, by string) (T, error) {
	found, ok := made[name]
	if !ok {
		return found, fmt.Errorf("%s refers to %s %q, which the lab does not have", by, kind, name)
	}
	return found, nil
}

func (b *builder) makeLinks(d *Definition) error {
	for _, l := range d.Links {
		var ends sdkhosts.LinkEndArray
		for _, end := range l.Ends {
			n, err := find(b.namespaces, "namespace host", end.Host, "link "+l.Name)
			if err != nil {
				return err
			}
			ends = append(ends, sdkhosts.LinkEndArgs{
				Namespace: n.Instance, Nic: pulumi.String(end.NIC), Address: pulumi.String(end.Address),
			})
		}
		args := &sdkhosts.LinkArgs{Ends: ends}
		if l.Queues > 0 {
			args.Queues = pulumi.Int(l.Queues)
		}
		if l.RateBits > 0 {
			args.RateBits = pulumi.Float64(l.RateBits)
		}
		link, err := sdkhosts.NewLink(b.ctx, l.Name, args, b.parent)
		if err != nil {
			return err
		}
		for _, end := range l.Ends {
			b.links[end.Host] = append(b.links[end.Host], link)
		}
	}
	return nil
}

func (b *builder) makeHosts(d *Definition) error {
	facts, logins := pulumi.Map{}, pulumi.Map{}
	for _, h := range d.Hosts {
		args := &sdkhosts.HostArgs{Lab: b.instance}
		if h.Adopt {
			args.Adopt = pulumi.Bool(true)
		}
		if h.Decommissioned {
			args.Decommissioned = pulumi.Bool(true)
		}
		switch {
		case h.Namespace != nil:
			args.Connection = b.namespaces[h.Name].Connection
		case h.Connection != nil:
			args.Connection = connection(*h.Connection)
		default:
			return fmt.Errorf("host %s has neither a namespace nor a connection", h.Name)
		}
		// The host's facts are of its finished links.
		var links pulumi.StringArray
		for _, l := range b.links[h.Name] {
			links = append(links, l.Instance)
		}
		if links != nil {
			args.Links = links
		}
		host, err := sdkhosts.NewHost(b.ctx, h.Name, args, b.parent)
		if err != nil {
			return err
		}
		b.hosts[h.Name], b.judged[h.Name] = host, b.judge(d.Lock, h.Name, host)
		facts[h.Name], logins[h.Name] = host.Facts, host.Login
	}
	b.lab.Hosts, b.lab.SSH = b.known(facts), b.known(logins)
	b.lab.Lock = b.orElse(b.lock(d.Lock), d.Lock.locked())
	return nil
}

// connection leaves out what the lab file left out, so that no empty value stands in the state.
func connection(c hostspec.Connection) sdkhosts.ConnectionArgs {
	text := func(s string) pulumi.StringPtrInput {
		if s == "" {
			return nil
		}
		return pulumi.String(s)
	}
	args := sdkhosts.ConnectionArgs{
		Address: pulumi.String(c.Address), User: text(c.User), Identity: text(c.Identity),
		HostKey: text(c.HostKey), KnownHosts: text(c.KnownHosts), Become: text(c.Become),
		Jump: text(c.Jump), SshConfig: text(c.SSHConfig), HostKeyCheck: text(c.HostKeyCheck),
		Passphrase: text(c.Passphrase), Password: text(c.Password), BecomePassword: text(c.BecomePassword),
	}
	if c.Port != 0 {
		args.Port = pulumi.Int(c.Port)
	}
	return args
}

// sdkVersion is what the generated SDK asks for in all its resources: with another one the
// engine would start a second provider.
const sdkVersion = "0.1.0"

// inputs are the tunables as a Profile takes them: their names are the same in JSON.
func inputs(t spec.Tunables) (pulumi.Map, error) {
	text, err := json.Marshal(t)
	if err != nil {
		return nil, err
	}
	var values map[string]any
	if err := json.Unmarshal(text, &values); err != nil {
		return nil, err
	}
	return pulumi.ToMap(values), nil
}

func (b *builder) makeProfiles(d *Definition) error {
	settings, notes := map[string][]any{}, map[string][]any{}
	for _, t := range d.Tunes {
		host, err := find(b.hosts, "host", t.Host, "tune "+t.Name)
		if err != nil {
			return err
		}
		wanted, err := inputs(t.Tunables)
		if err != nil {
			return err
		}
		wanted["host"] = host.Ref
		profile := &sdktuning.Profile{}
		if err := b.ctx.RegisterResource("benchlab:tuning:Profile", t.Name, wanted, profile, b.parent, pulumi.Version(sdkVersion)); err != nil {
			return err
		}
		b.profiles[t.Host] = append(b.profiles[t.Host], profile)
		settings[t.Host] = append(settings[t.Host], profile.Settings)
		notes[t.Host] = append(notes[t.Host], profile.Notes)
	}
	verdicts, choices := pulumi.Map{}, pulumi.Map{}
	for host := range settings {
		verdicts[host] = pulumi.All(settings[host]...).ApplyT(joined[sdktuning.Setting])
		choices[host] = pulumi.All(notes[host]...).ApplyT(joined[string])
	}
	b.lab.Tuning, b.lab.Notes = b.known(verdicts), b.known(choices)
	return nil
}

// joined makes one list of several.
func joined[T any](lists []any) []T {
	all := []T{}
	for _, list := range lists {
		all = append(all, list.([]T)...)
	}
	return all
}

// digests of the tuning of some hosts.
func (b *builder) digests(hosts ...string) pulumi.StringArray {
	var digests pulumi.StringArray
	for i, host := range hosts {
		if slices.Contains(hosts[:i], host) { // a loader on the server's own host
			continue
		}
		for _, p := range b.profiles[host] {
			digests = append(digests, p.Digest)
		}
	}
	return digests
}

// linksOf is the digests of the links of some hosts, each once.
func (b *builder) linksOf(hosts ...string) pulumi.StringArray {
	var digests pulumi.StringArray
	seen := map[*sdkhosts.Link]bool{}
	for _, host := range hosts {
		for _, l := range b.links[host] {
			if !seen[l] {
				seen[l] = true
				digests = append(digests, l.Digest)
			}
		}
	}
	return digests
}

func (b *builder) makeServers(d *Definition) error {
	for _, s := range d.Servers {
		host, err := find(b.judged, "host", s.Host, "server "+s.Name)
		if err != nil {
			return err
		}
		args := &sdkworkloads.ServerArgs{
			Host: host, Listen: pulumi.ToStringArray(s.Listen), Tuning: b.digests(s.Host),
		}
		if s.Program != nil {
			// The provider runs elsewhere.
			command, err := filepath.Abs(s.Program.Command)
			if err != nil {
				return err
			}
			program := sdkworkloads.ServerProgramArgs{
				Command: pulumi.String(command), Args: pulumi.ToStringArray(s.Program.Args), Env: pulumi.ToStringMap(s.Program.Env),
			}
			if s.Program.Health != "" {
				program.Health = pulumi.String(s.Program.Health)
			}
			args.Program = program
		}
		if s.CPUs != "" {
			args.Cpus = pulumi.String(s.CPUs)
		}
		if s.GOGC > 0 {
			args.Gogc = pulumi.Int(s.GOGC)
		}
		if s.GOMAXPROCS > 0 {
			args.Gomaxprocs = pulumi.Int(s.GOMAXPROCS)
		}
		if s.Listeners > 0 {
			args.Listeners = pulumi.Int(s.Listeners)
		}
		if s.Framework != "" {
			args.Framework = pulumi.String(s.Framework)
		}
		server, err := sdkworkloads.NewServer(b.ctx, s.Name, args, b.parent)
		if err != nil {
			return err
		}
		b.servers[s.Name], b.serverHost[s.Name] = server, s.Host
	}
	return nil
}

func (b *builder) makeBenchmarks(d *Definition) error {
	rows, documents := pulumi.Map{}, pulumi.Map{}
	var tables, lines []any
	var after []pulumi.Resource
	for _, m := range d.Benchmarks {
		server, err := find(b.servers, "server", m.Server, "benchmark "+m.Name)
		if err != nil {
			return err
		}
		taking := []string{b.serverHost[m.Server]}
		var loaders sdkworkloads.LoaderRefArray
		var identities pulumi.StringMapArray
		for _, l := range m.Loaders {
			host, err := find(b.judged, "host", l.Host, "benchmark "+m.Name)
			if err != nil {
				return err
			}
			loader := sdkworkloads.LoaderRefArgs{Host: host}
			if l.Sources != nil {
				loader.Sources = pulumi.ToStringArray(l.Sources)
			}
			loaders, identities = append(loaders, loader), append(identities, b.identity(d.Lock, l.Host))
			taking = append(taking, l.Host)
		}
		args := &sdkworkloads.BenchmarkArgs{
			Server: server.Ref, Loaders: loaders,
			Connections: pulumi.ToIntArray(m.Connections), WarmUp: pulumi.String(m.WarmUp.String()), Duration: pulumi.String(m.Duration.String()),
			ServerIdentity: b.identity(d.Lock, b.serverHost[m.Server]), LoaderIdentities: identities,
		}
		if m.Baseline != "" {
			baseline, err := find(b.servers, "server", m.Baseline, "benchmark "+m.Name)
			if err != nil {
				return err
			}
			args.Baseline = baseline.Ref
			args.BaselineIdentity = b.identity(d.Lock, b.serverHost[m.Baseline])
			taking = append(taking, b.serverHost[m.Baseline])
		}
		args.Tuning = b.digests(taking...)
		if links := b.linksOf(taking...); links != nil {
			args.Links = links
		}
		if m.Path != "" {
			args.Path = pulumi.String(m.Path)
		}
		if m.Rate > 0 {
			args.Rate = pulumi.Float64(m.Rate)
		}
		if m.Pipeline > 0 {
			args.Pipeline = pulumi.Int(m.Pipeline)
		}
		if m.Rounds > 0 {
			args.Rounds = pulumi.Int(m.Rounds)
		}
		if m.BaselineUntuned {
			args.BaselineUntuned = pulumi.Bool(true)
		}
		// One after the other: two at a time would measure each other.
		benchmark, err := sdkworkloads.NewBenchmark(b.ctx, m.Name, args, b.parent, pulumi.DependsOn(after))
		if err != nil {
			return err
		}
		after = []pulumi.Resource{benchmark}
		rows[m.Name], documents[m.Name] = benchmark.Result.Rows(), benchmark.Result
		b.keepTelemetry(d.TelemetryDir, m.Name, benchmark)
		tables = append(tables, b.orElse(benchmark.Table, m.Name+": not measured, see the errors of the update\n"))
		lines = append(lines, b.orElse(benchmark.Lines, ""))
	}
	b.lab.Benchmarks, b.lab.Results = b.known(rows), b.known(documents)
	b.lab.Summary = texts(tables, "\n")
	b.lab.Benchstat = texts(lines, "")
	return nil
}

// texts makes one text of several.
func texts(parts []any, between string) pulumi.StringOutput {
	return pulumi.All(parts...).ApplyT(func(parts []any) string {
		var texts []string
		for _, part := range parts {
			texts = append(texts, part.(string))
		}
		return strings.Join(texts, between)
	}).(pulumi.StringOutput)
}
