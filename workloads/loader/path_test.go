package loader

import (
	"net/netip"
	"strings"
	"testing"
)

func TestNewPaths(t *testing.T) {
	for name, test := range map[string]struct {
		targets, sources []string
		want             string // the paths, or
		err              string // part of the error
	}{
		"the kernel chooses":      {targets: []string{"127.0.0.1:80", "[::1]:80"}, want: "127.0.0.1:80, [::1]:80"},
		"each with each":          {targets: []string{"127.0.0.1:80", "127.0.0.1:81"}, sources: []string{"127.0.0.2", "127.0.0.3"}, want: "127.0.0.1:80 from 127.0.0.2, 127.0.0.1:80 from 127.0.0.3, 127.0.0.1:81 from 127.0.0.2, 127.0.0.1:81 from 127.0.0.3"},
		"in no source's subnet":   {targets: []string{"192.0.2.1:80"}, sources: []string{"127.0.0.2"}, want: "192.0.2.1:80 from 127.0.0.2"},
		"only where it is near":   {targets: []string{"127.0.0.1:80", "[::1]:80"}, sources: []string{"127.0.0.2", "::1"}, want: "127.0.0.1:80 from 127.0.0.2, [::1]:80 from ::1"},
		"no address of this host": {targets: []string{"127.0.0.1:80"}, sources: []string{"192.0.2.7"}, err: "source 192.0.2.7 is no address of this host; it has"},
		"IPv4 and IPv6":           {targets: []string{"192.0.2.1:80"}, sources: []string{"::1"}, err: "one is IPv4 and the other IPv6"},
	} {
		t.Run(name, func(t *testing.T) {
			var targets []*target
			for _, text := range test.targets {
				targets = append(targets, &target{address: netip.MustParseAddrPort(text)})
			}
			var sources []netip.Addr
			for _, text := range test.sources {
				sources = append(sources, netip.MustParseAddr(text))
			}
			paths, err := newPaths(targets, sources)
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Errorf("error %v, want %q in it", err, test.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for i, p := range paths {
				if p.index != i {
					t.Errorf("path %d has the index %d", i, p.index)
				}
				got = append(got, p.String())
			}
			if text := strings.Join(got, ", "); text != test.want {
				t.Errorf("paths %s\nwant  %s", text, test.want)
			}
		})
	}
}
