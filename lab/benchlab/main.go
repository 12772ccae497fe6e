// Benchlab reads lab files without a host, a stack or a network: it checks them, says what
// lab they make, and formats them.
//
//	benchlab check LAB...
//	benchlab fmt [-check] PATH...
//
// It must not know how a lab is made.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

const usage = `usage:
  benchlab check LAB...          check labs and print what an up makes of each: a lab is a .hcl file, or a directory of them
  benchlab fmt [-check] PATH...  format .hcl and .vars files and those of directories; with -check only name those that are not formatted
`

func main() {
	err := run(os.Args[1:], os.Stdout)
	switch {
	case errors.Is(err, errUsage):
		fmt.Fprint(os.Stderr, usage)
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

var errUsage = errors.New("usage")

func run(args []string, out io.Writer) error {
	if len(args) == 0 {
		return errUsage
	}
	command, flags := args[0], flag.NewFlagSet("benchlab "+args[0], flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	onlyCheck := false
	if command == "fmt" {
		flags.BoolVar(&onlyCheck, "check", false, "")
	}
	if err := flags.Parse(args[1:]); err != nil || flags.NArg() == 0 {
		return errUsage
	}
	switch command {
	case "check":
		return check(out, flags.Args(), os.Environ())
	case "fmt":
		return format(out, flags.Args(), onlyCheck)
	}
	return errUsage
}
