// Command benchlab-agent runs on a host of a lab. The provider starts it over SSH and
// speaks to it on stdin and stdout; it ends with the connection. By hand, as root, it
// shows what labs have on the host and puts it back without Pulumi.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/hanzoai/benchlab/hosts/agent"
	"github.com/hanzoai/benchlab/tuning/spec"
)

const usage = `usage: benchlab-agent COMMAND

  status  [-json]           show what labs hold on this host: originals, wanted and live values
  restore [-json] [LAB...]  put the originals of these labs back, of all labs if none is
                            named, stop their servers, and forget the labs
  boot                      what systemd starts at boot where a lab persists: apply its values
  serve                     what the provider starts over SSH: gRPC on stdin and stdout

Exit codes: 0 done, 1 failed, 2 wrong usage.
`

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

func run(args []string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	defer stop()
	if len(args) == 0 {
		args = []string{""}
	}
	flags := flag.NewFlagSet("benchlab-agent "+args[0], flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() { _, _ = fmt.Fprint(stderr, usage) }
	asJSON := flags.Bool("json", false, "print JSON")
	if err := flags.Parse(args[1:]); err != nil {
		return 2
	}
	var err error
	switch service := agent.NewService(); {
	case args[0] == "serve" && flags.NArg() == 0:
		err = agent.Serve(ctx, service)
	case args[0] == "boot" && flags.NArg() == 0:
		err = boot(ctx, service, stdout)
	case args[0] == "status" && flags.NArg() == 0:
		err = status(ctx, service, stdout, *asJSON)
	case args[0] == "restore":
		err = restore(ctx, service, flags.Args(), stdout, *asJSON)
	default:
		flags.Usage()
		return 2
	}
	if err != nil {
		_, _ = fmt.Fprintln(stderr, "benchlab-agent:", err)
		return 1
	}
	return 0
}

// boot applies what labs persist, and logs what became of each value.
func boot(ctx context.Context, s *agent.Service, out io.Writer) error {
	return s.Boot(ctx, func(v spec.Setting) {
		text := fmt.Sprintf("%s %s: wanted %s, found %s, original of this boot %s", v.Key, v.Status, v.Desired, v.Live, v.Original)
		if v.Reason != "" {
			text += ": " + v.Reason
		}
		_, _ = fmt.Fprintln(out, text)
	})
}

// status prints what labs hold on this host.
func status(ctx context.Context, s *agent.Service, out io.Writer, asJSON bool) error {
	ledger, settings, err := s.Status(ctx)
	if err != nil {
		return err
	}
	if asJSON {
		return printJSON(out, map[string]any{"ledger": ledger, "settings": settings})
	}
	if len(ledger.Claims) == 0 && len(settings) == 0 {
		_, err := fmt.Fprintln(out, "no lab has anything on this host")
		return err
	}
	for _, c := range ledger.Claims {
		_, _ = fmt.Fprintf(out, "%s %s: %s of lab %s since %s\n", c.Kind, c.Name, c.Owner.URN, c.Owner.Lab, c.Time.Format(time.RFC3339))
	}
	return printSettings(out, settings)
}

// restore ends labs on this host.
func restore(ctx context.Context, s *agent.Service, labs []string, out io.Writer, asJSON bool) error {
	report, err := s.EndLabs(ctx, labs)
	if asJSON {
		if printErr := printJSON(out, report); err == nil {
			err = printErr
		}
		return err
	}
	for _, w := range report.Warnings {
		_, _ = fmt.Fprintln(out, "warning:", w)
	}
	if len(report.Settings) == 0 && err == nil {
		_, err = fmt.Fprintln(out, "nothing to put back")
		return err
	}
	if printErr := printSettings(out, report.Settings); err == nil {
		err = printErr
	}
	return err
}

func printJSON(out io.Writer, v any) error {
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(v)
}

func printSettings(out io.Writer, settings []spec.Setting) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "KEY\tORIGINAL\tWANTED\tLIVE\tVERDICT")
	for _, s := range settings {
		verdict := string(s.Status)
		if s.Reason != "" {
			verdict += ": " + s.Reason
		}
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", s.Key, s.Original, s.Desired, s.Live, verdict)
	}
	return table.Flush() // reports the first error of the writes above
}
