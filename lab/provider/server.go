package provider

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"github.com/hanzoai/benchlab/hosts"
	"github.com/hanzoai/benchlab/tuning/spec"
	"github.com/hanzoai/benchlab/workloads/server/serverspec"
	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"
)

// Server is a benchmark server: a program brought to a host and kept running there.
type Server struct{ lab *lab }

// ServerArgs are the inputs of a Server.
type ServerArgs struct {
	Host          HostRef        `pulumi:"host"`
	Listen        []string       `pulumi:"listen"`
	Program       *ServerProgram `pulumi:"program,optional"`
	Framework     string         `pulumi:"framework,optional"`
	CPUs          string         `pulumi:"cpus,optional"`
	GOGC          int            `pulumi:"gogc,optional"`
	GOMAXPROCS    int            `pulumi:"gomaxprocs,optional"`
	Listeners     int            `pulumi:"listeners,optional"`
	Tuning        []string       `pulumi:"tuning,optional"`
	ProgramDigest string         `pulumi:"programDigest,optional"`
}

// ServerState is the state of a Server.
type ServerState struct {
	ServerArgs
	Ref ServerRef `pulumi:"ref"`
}

// ServerRef is what a benchmark needs to know of a server.
type ServerRef struct {
	Host   HostRef  `pulumi:"host"`
	URN    string   `pulumi:"urn"`
	Unit   string   `pulumi:"unit"`
	URLs   []string `pulumi:"urls"`
	Health string   `pulumi:"health"`
	Digest string   `pulumi:"digest"`
}

// Annotate documents the resource.
func (s *Server) Annotate(a infer.Annotator) {
	a.SetToken("workloads", "Server")
	a.Describe(&s, "A benchmark server on a host: uploaded, started detached, checked for health, restarted when it changes, stopped on delete.")
}

// Annotate documents the inputs.
func (args *ServerArgs) Annotate(a infer.Annotator) {
	a.Describe(&args.Host, "The host to run on.")
	a.Describe(&args.Listen, "Addresses with scheme: `http://10.99.0.1:8080`. One server answers at all of them.")
	a.Describe(&args.Program, "A program of one's own in the place of benchlab-server.")
	a.Describe(&args.CPUs, "The CPUs that it may run on, a list as in `0-3,8`. Default: all.")
	a.Describe(&args.GOGC, "The garbage collector's target percentage. Default 100.")
	a.Describe(&args.Framework, "What answers the requests: `fasthttp` (the default) or `fiber`, on the same HTTP server and with the same bytes.")
	a.Describe(&args.GOMAXPROCS, "How many threads run Go at once. Default: what Go chooses by the CPUs that it may run on.")
	a.Describe(&args.Listeners, "How many sockets share each address, by SO_REUSEPORT where there are several. Default 1.")
	a.Describe(&args.Tuning, "Digests of the tuning of its host (Profile.digest): some values act only when a socket is made, so the server starts afresh when they change.")
	a.Describe(&args.ProgramDigest, "Set by the provider: digest of the program, so that a new build restarts the server.")
}

// Annotate documents the outputs.
func (s *ServerState) Annotate(a infer.Annotator) {
	a.Describe(&s.Ref, "The server as an input of a benchmark.")
}

// Annotate documents the type.
func (s *ServerRef) Annotate(a infer.Annotator) {
	a.SetToken("workloads", "ServerRef")
	a.Describe(&s, "A server as an input of a benchmark: the output `ref` of a Server.")
	a.Describe(&s.URN, "URN of the Server, which owns the unit.")
	a.Describe(&s.Unit, "Name of the process on its host; it follows from the first address.")
	a.Describe(&s.URLs, "Where it listens.")
	a.Describe(&s.Health, "Path that it answers when it is well, which a benchmark asks for where no other is given.")
	a.Describe(&s.Digest, "Digest of program and settings: a benchmark runs again when it changes.")
}

// WireDependencies keeps the reference known in a preview that does not change the server.
func (*Server) WireDependencies(f infer.FieldSelector, args *ServerArgs, state *ServerState) {
	inputs := []infer.InputField{f.InputField(&args.Host), f.InputField(&args.Listen), f.InputField(&args.Program), f.InputField(&args.CPUs), f.InputField(&args.Framework), f.InputField(&args.GOGC), f.InputField(&args.GOMAXPROCS), f.InputField(&args.Listeners), f.InputField(&args.Tuning), f.InputField(&args.ProgramDigest)}
	f.OutputField(&state.Ref).DependsOn(inputs...)
}

// Check judges the address and adds the digest of the program.
func (s *Server) Check(ctx context.Context, r infer.CheckRequest) (infer.CheckResponse[ServerArgs], error) {
	args, failures, err := infer.DefaultCheck[ServerArgs](ctx, r.NewInputs)
	if err != nil {
		return infer.CheckResponse[ServerArgs]{}, err
	}
	if !r.NewInputs.Get("listen").HasComputed() {
		if err := checkListen(args.Listen); err != nil {
			failures = append(failures, p.CheckFailure{Property: "listen", Reason: err.Error()})
		}
	}
	failures = append(failures, args.judge()...)
	switch {
	case args.Program == nil:
		args.ProgramDigest, err = s.lab.programDigest("benchlab-server")
	case !r.NewInputs.Get("program").HasComputed():
		if faults := args.Program.judge(); len(faults) > 0 {
			failures = append(failures, faults...)
		} else {
			args.ProgramDigest, err = args.Program.digest()
		}
	}
	return infer.CheckResponse[ServerArgs]{Inputs: args, Failures: failures}, err
}

// judge finds what no host could run. What is not known yet is zero, which is well.
func (args ServerArgs) judge() (failures []p.CheckFailure) {
	refuse := func(property, reason string, args ...any) {
		failures = append(failures, p.CheckFailure{Property: property, Reason: fmt.Sprintf(reason, args...)})
	}
	if args.Framework != "" {
		if err := serverspec.CheckFramework(args.Framework); err != nil {
			refuse("framework", "%v", err)
		}
	}
	if args.CPUs != "" {
		if _, err := spec.ParseList(args.CPUs); err != nil {
			refuse("cpus", "%v", err)
		}
	}
	if args.Program != nil {
		const ours = "is of benchlab-server; a program of one's own is told by its args"
		if args.Framework != "" {
			refuse("framework", ours)
		}
		if args.Listeners > 0 {
			refuse("listeners", ours)
		}
	}
	for _, n := range []struct {
		property string
		value    int
		most     int
	}{{"gogc", args.GOGC, serverspec.MostGOGC}, {"gomaxprocs", args.GOMAXPROCS, serverspec.MostProcs}, {"listeners", args.Listeners, serverspec.MostListeners}} {
		if n.value < 0 || n.value > n.most {
			refuse(n.property, "%d: want a number from 1 to %d", n.value, n.most)
		}
	}
	return failures
}

// checkListen reports what is no list of addresses. These are IP addresses, so that server
// and loader mean the same NIC by them.
func checkListen(listen []string) error {
	if len(listen) == 0 {
		return errors.New("want at least one address, as http://ADDRESS:PORT")
	}
	seen := map[netip.AddrPort]bool{}
	for _, l := range listen {
		u, err := url.Parse(l)
		if err != nil {
			return err
		}
		at, err := netip.ParseAddrPort(u.Host)
		if u.Scheme != "http" || err != nil || at.Port() == 0 || strings.TrimSuffix(u.Path, "/") != "" {
			return fmt.Errorf("%q: write it as http://ADDRESS:PORT, with an IP address", l)
		}
		if seen[at] {
			return fmt.Errorf("%s is there twice", at)
		}
		seen[at] = true
	}
	return nil
}

// programDigest is one digest of a program in all architectures it is built for, as the
// host's is not known when inputs are checked.
func (l *lab) programDigest(program string) (string, error) {
	sum := sha256.New()
	for _, arch := range []string{"amd64", "arm64"} {
		path, err := l.binaries.Path(program, arch)
		if err != nil {
			return "", err
		}
		one, err := hosts.SHA256(path)
		if err != nil {
			return "", err
		}
		_, _ = sum.Write([]byte(one)) // a hash never fails to write
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// unit follows from the first address: a server that is only renamed in the program keeps
// its process.
func (args ServerArgs) unit() string {
	if len(args.Listen) == 0 {
		return "" // not known yet
	}
	return strings.Trim(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.ReplaceAll(strings.ToLower(args.Listen[0]), "://", "-")), "-")
}

func (args ServerArgs) env() map[string]string {
	// The host restarts a server whose environment differs.
	env := map[string]string{"BENCHLAB_TUNING": strings.Join(args.Tuning, " ")}
	if args.Program != nil {
		maps.Copy(env, args.Program.Env)
	}
	if args.GOGC > 0 {
		env["GOGC"] = strconv.Itoa(args.GOGC)
	}
	if args.GOMAXPROCS > 0 {
		env["GOMAXPROCS"] = strconv.Itoa(args.GOMAXPROCS)
	}
	return env
}

// arguments are those of the program; what is left out is its default.
func (args ServerArgs) arguments() []string {
	if args.Program != nil {
		return args.Program.Args
	}
	var list []string
	for _, l := range args.Listen {
		list = append(list, "-listen", l)
	}
	if args.Framework != "" {
		list = append(list, "-framework", args.Framework)
	}
	if args.Listeners > 0 {
		list = append(list, "-listeners", strconv.Itoa(args.Listeners))
	}
	return list
}

// Create brings the program to the host and starts it.
func (s *Server) Create(ctx context.Context, r infer.CreateRequest[ServerArgs]) (infer.CreateResponse[ServerState], error) {
	if r.DryRun {
		return infer.CreateResponse[ServerState]{ID: "preview", Output: ServerState{ServerArgs: r.Inputs}}, nil
	}
	state, err := s.start(ctx, r.Inputs)
	return infer.CreateResponse[ServerState]{ID: r.Inputs.Host.MachineID + "/" + r.Inputs.unit(), Output: state}, err
}

// Update restarts the server where it has changed or no longer runs.
func (s *Server) Update(ctx context.Context, r infer.UpdateRequest[ServerArgs, ServerState]) (infer.UpdateResponse[ServerState], error) {
	if r.DryRun {
		return infer.UpdateResponse[ServerState]{Output: ServerState{ServerArgs: r.Inputs, Ref: r.State.Ref}}, nil
	}
	if r.Inputs.Host.Decommissioned {
		state := r.State
		state.ServerArgs, state.Ref.Host = r.Inputs, r.Inputs.Host
		return infer.UpdateResponse[ServerState]{Output: state}, nil
	}
	state, err := s.start(ctx, r.Inputs)
	return infer.UpdateResponse[ServerState]{Output: state}, err
}

func (s *Server) start(ctx context.Context, args ServerArgs) (ServerState, error) {
	way := s.lab.forWork(args.Host)
	status(ctx, "uploading the server")
	var binary string
	var err error
	if args.Program != nil {
		binary, err = s.lab.uploadFile(ctx, way, args.Program.on)
	} else {
		binary, err = s.lab.upload(ctx, way, "benchlab-server")
	}
	if err != nil {
		return ServerState{}, err
	}
	var health []string
	for _, l := range args.Listen {
		health = append(health, target(l, args.health()))
	}
	status(ctx, "starting on %s", strings.Join(args.Listen, " and "))
	_, err = settled(ctx, way, func(ctx context.Context, host *hosts.Host) (hosts.ServerStatus, error) {
		return host.StartServer(ctx, hosts.Server{
			Owner: spec.Owner{URN: urn(ctx), Lab: args.Host.Lab}, Unit: args.unit(), Binary: binary,
			Args: args.arguments(), Env: args.env(), Health: health, CPUs: args.CPUs,
		})
	})
	if err != nil {
		return ServerState{}, err
	}
	digest, err := args.digest()
	return ServerState{ServerArgs: args, Ref: ServerRef{
		Host: args.Host, URN: urn(ctx), Unit: args.unit(), URLs: args.Listen, Health: args.health(), Digest: digest,
	}}, err
}

// digest covers what is served: not on which host, nor where a program stands here.
func (args ServerArgs) digest() (string, error) {
	args.Host = HostRef{}
	if args.Program != nil {
		program := *args.Program
		program.Command = ""
		args.Program = &program
	}
	text, err := json.Marshal(args)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// health is the path that the server answers when it is well.
func (args ServerArgs) health() string {
	if args.Program != nil && args.Program.Health != "" {
		return args.Program.Health
	}
	return serverspec.DefaultHealth
}

// target is the URL of a path at a listen address.
func target(listen, path string) string { return strings.TrimSuffix(listen, "/") + path }

// Read says whether the server still runs. One that does not loses the digest of its
// program, so that the next run starts it again.
func (s *Server) Read(ctx context.Context, r infer.ReadRequest[ServerArgs, ServerState]) (infer.ReadResponse[ServerArgs, ServerState], error) {
	args := r.State.ServerArgs
	found, err := settled(ctx, s.lab.to(args.Host), func(ctx context.Context, host *hosts.Host) (hosts.ServerStatus, error) {
		return host.InspectServer(ctx, spec.Owner{URN: urn(ctx), Lab: args.Host.Lab}, args.unit())
	})
	if errors.Is(err, errGone) {
		return infer.ReadResponse[ServerArgs, ServerState]{}, nil
	}
	if errors.Is(err, errDecommissioned) {
		return infer.ReadResponse[ServerArgs, ServerState](r), nil
	}
	if err != nil {
		return infer.ReadResponse[ServerArgs, ServerState]{}, err
	}
	state := r.State
	if !found.Running {
		p.GetLogger(ctx).Warningf("drift on %s: server %s is not running; the end of its log:\n%s", args.Host.Connection, args.unit(), found.Log)
		state.ProgramDigest, r.Inputs.ProgramDigest = notRunning, notRunning
	}
	return infer.ReadResponse[ServerArgs, ServerState]{ID: r.ID, Inputs: r.Inputs, State: state}, nil
}

const notRunning = "not running"

// Delete stops the server.
func (s *Server) Delete(ctx context.Context, r infer.DeleteRequest[ServerState]) (infer.DeleteResponse, error) {
	args := r.State.ServerArgs
	_, err := settled(ctx, s.lab.to(args.Host), func(ctx context.Context, host *hosts.Host) (struct{}, error) {
		return struct{}{}, host.StopServer(ctx, spec.Owner{URN: urn(ctx), Lab: args.Host.Lab}, args.unit())
	})
	if errors.Is(err, errGone) {
		p.GetLogger(ctx).Warningf("%v, and the server with it", err)
		return infer.DeleteResponse{}, nil
	}
	if errors.Is(err, errDecommissioned) {
		p.GetLogger(ctx).Warningf("%v, and so does the server %s", err, args.unit())
		return infer.DeleteResponse{}, nil
	}
	return infer.DeleteResponse{}, err
}
