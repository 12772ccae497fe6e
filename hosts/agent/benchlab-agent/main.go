// Command benchlab-agent runs on a host of a lab. The provider starts it over SSH and
// speaks to it on stdin and stdout; it ends with the connection. By hand, as root, it
// tunes the host to a profile, shows what labs have on it and puts it back, without Pulumi
// and by the same code.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/hanzoai/benchlab/hosts/agent"
	"github.com/hanzoai/benchlab/tuning/profiles"
	"github.com/hanzoai/benchlab/tuning/spec"
)

const usage = `usage: benchlab-agent COMMAND [--json]

  plan    --profile PROFILE [--nic NIC]...    show what apply would change; change nothing
  apply   --profile PROFILE [--nic NIC]...    tune this host; the original of each value is
                                              recorded before it is first written
  verify  [--profile PROFILE [--nic NIC]...]  compare the values with the profile, or with
                                              what labs want here if none is given
  status                                      show what labs hold here: originals, wanted
                                              and live values, servers
  restore [LAB]...                            put the originals of these labs back, of all
                                              labs if none is named (by-hand is the lab of
                                              apply), stop their servers, forget the labs
  boot                                        what systemd starts at boot where a lab
                                              persists: apply its values
  serve                                       what the provider starts over SSH: gRPC on
                                              stdin and stdout

PROFILE is the name of a shipped profile (%s) or the path of a file, FILE.hcl.
--nic names a NIC that the profile is for; give it once for each.

Exit codes: 0 done, and nothing differs; 1 plan: apply would change something, verify and
status: something is not as wanted; 2 an error, or wrong usage.
`

// The exit codes.
const (
	fine = iota
	differs
	failed
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

func run(args []string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	defer stop()
	c := command{hand: agent.NewByHand(), out: output{w: stdout}, stderr: stderr}
	code, err := c.run(ctx, args)
	if errors.Is(err, flag.ErrHelp) {
		_, _ = fmt.Fprintf(stdout, usage, strings.Join(profiles.Names(), ", "))
		return fine
	}
	if err != nil {
		_, _ = fmt.Fprintln(stderr, "benchlab-agent:", err)
		return failed
	}
	return code
}

// command is one run of the program.
type command struct {
	hand   agent.ByHand
	out    output
	stderr io.Writer

	profile string
	nics    []string
}

func (c *command) run(ctx context.Context, args []string) (code int, err error) {
	if len(args) == 0 {
		return failed, errors.New("no command is given; benchlab-agent help lists them")
	}
	if slices.Contains([]string{"help", "-h", "-help", "--help"}, args[0]) {
		return fine, flag.ErrHelp
	}
	action, known := map[string]func(context.Context, []string) (int, error){
		"plan": c.plan, "apply": c.apply, "verify": c.verify, "status": c.status, "restore": c.restore,
		"boot": c.boot, "serve": serve,
	}[args[0]]
	if !known {
		return failed, fmt.Errorf("%q is no command; benchlab-agent help lists them", args[0])
	}
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	flags.SetOutput(io.Discard) // the error says it
	machine := args[0] == "boot" || args[0] == "serve"
	if !machine {
		flags.BoolVar(&c.out.json, "json", false, "")
	}
	if slices.Contains([]string{"plan", "apply", "verify"}, args[0]) {
		flags.StringVar(&c.profile, "profile", "", "")
		flags.Func("nic", "", func(nic string) error {
			c.nics = append(c.nics, nic)
			return nil
		})
	}
	if err := flags.Parse(args[1:]); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return fine, err
		}
		return failed, fmt.Errorf("%s: %w; benchlab-agent help shows the usage", args[0], err)
	}
	if flags.NArg() > 0 && args[0] != "restore" {
		return failed, fmt.Errorf("%s: %q is one word too many; benchlab-agent help shows the usage", args[0], flags.Arg(0))
	}
	if !machine && os.Geteuid() != 0 {
		return failed, fmt.Errorf("%s needs root; run it with sudo", args[0])
	}
	return action(ctx, flags.Args())
}

// boot applies what labs persist, and logs what became of each value.
func (c *command) boot(ctx context.Context, _ []string) (int, error) {
	return fine, agent.NewService().Boot(ctx, func(v spec.Setting) {
		text := fmt.Sprintf("%s %s: wanted %s, found %s, original of this boot %s", v.Key, v.Status, v.Desired, v.Live, v.Original)
		if v.Reason != "" {
			text += ": " + v.Reason
		}
		_, _ = fmt.Fprintln(c.out.w, text)
	})
}

func serve(ctx context.Context, _ []string) (int, error) {
	return fine, agent.Serve(ctx, agent.NewService())
}
