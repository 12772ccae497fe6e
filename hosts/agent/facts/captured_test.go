package facts

import (
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"golang.org/x/sys/unix"

	"github.com/hanzoai/benchlab/tuning/ethtool"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

// The facts of machines that are not here.
func TestCaptured(t *testing.T) {
	machines, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(machines) < 3 {
		t.Fatalf("got %q, %v", machines, err)
	}
	for _, machine := range machines {
		name := strings.TrimSuffix(machine, ".txtar")
		t.Run(filepath.Base(name), func(t *testing.T) {
			f := captured(t, machine)
			facts, err := read(f, capturedWire(f))
			if err != nil {
				t.Fatal(err)
			}
			facts.Arch = "" // that of the test, whatever the machine is
			got, err := json.MarshalIndent(facts, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, '\n')
			if *update {
				if err := os.WriteFile(name+".json", got, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(name + ".json")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

var (
	rangeOf  = regexp.MustCompile(`\{(\d+)-(\d+)\}`)
	numberOf = regexp.MustCompile(`\{n([+-]\d+)?\}`)
)

// captured builds a machine of testdata; see testdata/README for the form.
func captured(t *testing.T, machine string) files {
	t.Helper()
	archive, err := txtar.ParseFile(machine)
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	for _, f := range archive.Files {
		bounds := rangeOf.FindStringSubmatch(f.Name)
		if bounds == nil {
			put(t, root, f.Name, string(f.Data))
			continue
		}
		for n := number(t, bounds[1]); n <= number(t, bounds[2]); n++ {
			one := func(text string) string {
				return numberOf.ReplaceAllStringFunc(text, func(s string) string {
					beside := strings.Trim(s, "{n}")
					if beside == "" {
						return strconv.Itoa(n)
					}
					return strconv.Itoa(n + number(t, beside))
				})
			}
			put(t, root, one(strings.Replace(f.Name, bounds[0], strconv.Itoa(n), 1)), one(string(f.Data)))
		}
	}
	return files(root)
}

func number(t *testing.T, digits string) int {
	t.Helper()
	n, err := strconv.Atoi(digits)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func put(t *testing.T, root, name, content string) {
	t.Helper()
	path := filepath.Join(root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	var err error
	if target, isLink := strings.CutPrefix(content, "-> "); isLink {
		err = os.Symlink(strings.TrimSpace(target), path)
	} else {
		err = os.WriteFile(path, []byte(content), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// capturedWire answers what wire/ of a machine says. Where there is none of it, the kernel
// has no netlink family of ethtool and its drivers say nothing.
func capturedWire(f files) *wire {
	w := &wire{addresses: map[int][]string{}, driver: func(nic string) (driver, error) {
		lines := strings.Split(f.text("wire", nic, "driver")+"\n\n", "\n")
		if lines[0] == "" {
			return driver{}, unix.EOPNOTSUPP
		}
		return driver{lines[0], lines[1], lines[2]}, nil
	}}
	if len(f.names("wire")) > 0 {
		w.ethtool = answers{f}
	}
	for _, nic := range f.names("wire") {
		w.addresses[f.number(netDir, nic, "ifindex")] = strings.Fields(f.text("wire", nic, "address"))
	}
	return w
}

// answers are those of the NICs of a captured machine.
type answers struct{ files }

func (a answers) Get(nic string, g *ethtool.Group) (map[string]ethtool.Parameter, error) {
	found := map[string]ethtool.Parameter{}
	for line := range strings.Lines(a.text("wire", nic, g.String())) {
		words := strings.Fields(line + " 0")
		value, err := strconv.ParseUint(words[1], 10, 32)
		if err != nil {
			return nil, err
		}
		most, err := strconv.ParseUint(words[2], 10, 32)
		if err != nil {
			return nil, err
		}
		found[words[0]] = ethtool.Parameter{Value: uint32(value), Max: uint32(most)}
	}
	if len(found) == 0 {
		return nil, &ethtool.Error{NIC: nic, Asked: g.String(), Err: unix.EOPNOTSUPP}
	}
	return found, nil
}

func (a answers) Features(nic string) ([]ethtool.Feature, error) {
	all := []ethtool.Feature{{Name: "tx-vlan-hw-insert"}} // one that is off
	for name := range strings.FieldsSeq(a.text("wire", nic, "features")) {
		all = append(all, ethtool.Feature{Name: name, Active: true})
	}
	if len(all) == 1 {
		return nil, errors.New("no answer")
	}
	return all, nil
}
