//go:build linux

// Command benchlab-netns makes, finds and removes benchlab's namespace hosts and the
// links between them. It is the one part of benchlab that needs root on the machine
// that runs Pulumi. Requests come as JSON on stdin, answers go as JSON to stdout,
// errors as one line to stderr with exit status 1 (2 for wrong usage).
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/hanzoai/benchlab/hosts/namespace"
	"github.com/hanzoai/benchlab/hosts/namespace/privileged"
)

const usage = `usage: benchlab-netns COMMAND

  create         make a host; stdin: {"name", "hostname", "authorizedKey", "port", "systemd"}
  inspect NAME   find a host
  delete NAME    end a host with all that runs in it
  link create    join two hosts; stdin: {"ends": [{"host", "nic", "address"}, …], "queues", "rateBits"}
  link inspect   read both ends of a link; stdin: as above
  link delete    remove a link; stdin: as above

Answers are JSON on stdout. All but this text needs root.
`

// maxRequest bounds stdin; a request has a few hundred bytes.
const maxRequest = 64 << 10

var errUsage = errors.New("wrong usage: \"benchlab-netns help\" shows the right one")

func main() {
	err := run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	if err == nil {
		return
	}
	fmt.Fprintf(os.Stderr, "benchlab-netns: %v\n", err)
	if errors.Is(err, errUsage) {
		os.Exit(2)
	}
	os.Exit(1)
}

func run(args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	if len(args) == 1 && (args[0] == "help" || args[0] == "-h" || args[0] == "--help") {
		_, err := io.WriteString(stdout, usage)
		return err
	}
	command, operands := split(args)
	want, known := map[string]int{"init": 2, "hold": 2, "boot": 1, "create": 0, "inspect": 1, "delete": 1, "link create": 0, "link inspect": 0, "link delete": 0}[command]
	if !known || len(operands) != want {
		return errUsage
	}
	if os.Geteuid() != 0 {
		return errors.New("namespaces need root: run it with sudo")
	}
	answer := json.NewEncoder(stdout)
	switch command {
	case "init", "hold":
		return privileged.Init()
	case "boot":
		return privileged.Boot(operands[0])
	case "create":
		var spec namespace.Spec
		if err := decode(stdin, &spec); err != nil {
			return err
		}
		return privileged.Create(spec, func(state namespace.State) error { return answer.Encode(state) })
	case "inspect":
		inspection, err := privileged.Inspect(operands[0])
		if err != nil {
			return err
		}
		return answer.Encode(inspection)
	case "delete":
		found, err := privileged.Delete(operands[0])
		if err == nil && !found {
			_, err = fmt.Fprintf(stderr, "benchlab-netns: host %q: nothing to delete\n", operands[0])
		}
		return err
	}

	var link namespace.LinkSpec
	if err := decode(stdin, &link); err != nil {
		return err
	}
	switch command {
	case "link delete":
		found, err := privileged.DeleteLink(link)
		if err == nil && !found {
			_, err = fmt.Fprintf(stderr, "benchlab-netns: %s: nothing to delete\n", link)
		}
		return err
	case "link create":
		state, err := privileged.CreateLink(link)
		if err != nil {
			return err
		}
		return answer.Encode(state)
	default:
		state, err := privileged.InspectLink(link)
		if err != nil {
			return err
		}
		return answer.Encode(state)
	}
}

// split takes the command, of one word or two, off the arguments.
func split(args []string) (command string, operands []string) {
	switch {
	case len(args) >= 2 && args[0] == "link":
		return "link " + args[1], args[2:]
	case len(args) >= 1:
		return args[0], args[1:]
	}
	return "", nil
}

func decode(stdin io.Reader, request any) error {
	decoder := json.NewDecoder(io.LimitReader(stdin, maxRequest))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(request); err != nil {
		return fmt.Errorf("request on stdin: %w", err)
	}
	return nil
}
