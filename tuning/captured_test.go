package tuning

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/mdlayher/genetlink"
	"github.com/mdlayher/genetlink/genltest"
	"github.com/mdlayher/netlink"
	"github.com/rogpeppe/go-internal/txtar"
	"golang.org/x/sys/unix"

	"github.com/hanzoai/benchlab/tuning/ethtool"
)

// captured builds a machine of testdata; see testdata/README for the form.
func captured(t *testing.T, machine string) *tree {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("testdata", machine+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	tr := emptyTree(t)
	for _, f := range archive.Files {
		for _, one := range expandFile(t, f.Name, string(f.Data)) {
			target, isLink := strings.CutPrefix(one.content, "-> ")
			if !isLink {
				tr.put(one.path, one.content)
				continue
			}
			path := tr.path(one.path)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(strings.TrimSpace(target), path); err != nil {
				t.Fatal(err)
			}
		}
	}
	return tr
}

type treeFile struct{ path, content string }

var (
	rangeOf  = regexp.MustCompile(`\{(\d+)-(\d+)\}`)
	numberOf = regexp.MustCompile(`\{n([+-]\d+)?\}`)
)

func expandFile(t *testing.T, path, content string) []treeFile {
	t.Helper()
	if !rangeOf.MatchString(path) {
		var lines strings.Builder
		for line := range strings.Lines(content) {
			for _, one := range each(t, line) {
				lines.WriteString(one)
			}
		}
		return []treeFile{{path, lines.String()}}
	}
	var files []treeFile
	for _, both := range each(t, path+"\x00"+content) {
		path, content, _ := strings.Cut(both, "\x00")
		files = append(files, treeFile{path, content})
	}
	return files
}

// each is a text once for every number of the range in it.
func each(t *testing.T, text string) []string {
	t.Helper()
	bounds := rangeOf.FindStringSubmatch(text)
	if bounds == nil {
		return []string{text}
	}
	number := func(digits string) int {
		n, err := strconv.Atoi(digits)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	var all []string
	for n := number(bounds[1]); n <= number(bounds[2]); n++ {
		one := strings.Replace(text, bounds[0], strconv.Itoa(n), 1)
		all = append(all, numberOf.ReplaceAllStringFunc(one, func(s string) string {
			beside := strings.Trim(s, "{n}")
			if beside == "" {
				return strconv.Itoa(n)
			}
			return strconv.Itoa(n + number(beside))
		}))
	}
	return all
}

// fakeEthtool is a client on a wire whose other end is the drivers of the tree.
func (tr *tree) fakeEthtool() (*ethtool.Client, error) {
	family := genetlink.Family{ID: 21, Name: unix.ETHTOOL_GENL_NAME, Version: unix.ETHTOOL_GENL_VERSION}
	return ethtool.New(genltest.Dial(genltest.ServeFamily(family, func(g genetlink.Message, n netlink.Message) ([]genetlink.Message, error) {
		nic, err := requestedNIC(g.Data)
		if err != nil {
			return nil, err
		}
		text, err := os.ReadFile(tr.path("ethtool", nic, "channels"))
		if err != nil || g.Header.Command == unix.ETHTOOL_MSG_CHANNELS_SET && tr.fixedChannels {
			return nil, genltest.Error(int(unix.EOPNOTSUPP))
		}
		d := &driver{values: map[string]uint32{}, maxima: map[string]uint32{}, take: func(name string, value uint32) (uint32, error) {
			return tr.takeChannels(nic, strings.TrimPrefix(name, "channels/"), value)
		}}
		for line := range strings.Lines(string(text)) {
			var name string
			var value, most uint32
			if _, err := fmt.Sscanf(line, "%s %d/%d", &name, &value, &most); err != nil {
				return nil, fmt.Errorf("%q: %w", line, err)
			}
			d.values["channels/"+name], d.maxima["channels/"+name] = value, most
		}
		return d.serve(g, n)
	})))
}

func requestedNIC(data []byte) (nic string, err error) {
	d, err := netlink.NewAttributeDecoder(data)
	if err != nil {
		return "", err
	}
	for d.Next() {
		if d.Type() == unix.ETHTOOL_A_CHANNELS_HEADER {
			d.Nested(func(header *netlink.AttributeDecoder) error {
				for header.Next() {
					if header.Type() == unix.ETHTOOL_A_HEADER_DEV_NAME {
						nic = header.String()
					}
				}
				return nil
			})
		}
	}
	return nic, d.Err()
}

// takeChannels is the tree's driver: it has the test make what comes with other channels.
func (tr *tree) takeChannels(nic, name string, value uint32) (uint32, error) {
	path := "ethtool/" + nic + "/channels"
	was := regexp.MustCompile(`(?m)^` + name + ` (\d+)/`).FindStringSubmatch(tr.get(path))
	if was[1] == strconv.Itoa(int(value)) {
		return value, nil
	}
	if tr.setChannels == nil {
		return 0, genltest.Error(int(unix.EINVAL))
	}
	tr.put(path, strings.Replace(tr.get(path), was[0], fmt.Sprintf("%s %d/", name, value), 1))
	tr.setChannels(nic, int(value))
	return value, nil
}
