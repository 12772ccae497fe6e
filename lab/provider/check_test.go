//go:build linux

package provider

import (
	"strings"
	"testing"

	"github.com/blang/semver"
	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/integration"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// Each tunable's resource judges its inputs without a host.
func TestCheck(t *testing.T) {
	plugin, err := New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	server, err := integration.NewServer(t.Context(), Name, semver.MustParse(Version), integration.WithProvider(plugin))
	if err != nil {
		t.Fatal(err)
	}
	yes := property.New(true)
	on := func(nic string, more inputs) inputs {
		all := inputs{"nic": property.New(nic)}
		for k, v := range more {
			all[k] = v
		}
		return all
	}
	for _, tc := range []struct {
		kind   string
		inputs inputs
		// wants is a part of the failure; empty where there is none.
		wants string
	}{
		{"Channels", on("eth0", inputs{"combined": text("max")}), ""},
		{"Channels", on("eth0", inputs{"combined": text("4"), "rx": text("2")}), "combined ones are rx and tx at once"},
		{"Channels", on("eth0", nil), "channels: no value is given"},
		{"Ring", on("eth0", inputs{"rx": text("4096"), "tx": text("max"), "required": yes}), ""},
		{"Ring", on("eth0", inputs{"rx": text("many")}), `"many" must be a whole number or "max"`},
		{"Offload", on("eth0", inputs{"features": property.New(inputs{"tso": property.New(false)})}), ""},
		{"Offload", on("eth0", inputs{"features": property.New(inputs{})}), `NIC "eth0": no value is given`},
		{"Coalesce", on("eth0", inputs{"adaptiveRx": property.New(false), "rxUsecs": number(0)}), ""},
		{"Coalesce", on("eth0", inputs{"adaptiveRx": yes, "rxUsecs": number(10)}), "the driver chooses the times itself"},
		{"MTU", on("eth0", inputs{"mtu": number(9000)}), ""},
		{"MTU", on("eth0", inputs{"mtu": number(100)}), "from 1280 to 65535"},
		{"MTU", on("eth0", inputs{"mtu": number(0)}), `NIC "eth0": no value is given`},
		{"MTU", on("a/b", inputs{"mtu": number(1500)}), "is no name of an interface"},
		{"QueueDiscipline", on("eth0", inputs{"kind": text("fq")}), ""},
		{"QueueDiscipline", on("eth0", inputs{"kind": text("fq limit 3")}), `"fq limit 3"`},
		{"IRQAffinity", on("eth0", inputs{"cpus": text("0-3,8")}), ""},
		{"IRQAffinity", on("eth0", inputs{"cpus": text("3-0")}), "3-0"},
		{"IRQAffinity", on("eth0", inputs{"cpus": text("")}), `NIC "eth0": no value is given`},
		{"PacketSteering", on("eth0", inputs{"required": yes}), ""},
		{"PacketSteering", on("eth0", inputs{"drift": property.New(inputs{"x": text("y")})}), "only a refresh sets it"},
		{"Sysctl", inputs{"key": text("net.core.somaxconn"), "value": text("1024"), "required": yes}, ""},
		{"Sysctl", inputs{"key": text("net.core.somaxconn"), "value": text("015")}, "leading zero"},
		{"SysfsValue", inputs{"path": text("/sys/kernel/mm/ksm/run"), "value": text("0")}, ""},
		{"SysfsValue", inputs{"path": text("/etc/passwd"), "value": text("0")}, "write the whole path"},
		{"Service", inputs{"unit": text("irqbalance"), "state": text("masked")}, ""},
		{"Service", inputs{"unit": text("sshd"), "state": text("stopped")}, "needed to reach and run the host"},
		{"Service", inputs{"unit": text("irqbalance"), "state": text("off")}, `"off" is no state`},
		{"Governor", inputs{"governor": text("performance"), "boost": yes}, ""},
		{"Governor", inputs{}, "cpu: no value is given"},
		{"TransparentHugepage", inputs{"enabled": text("madvise")}, ""},
		{"TransparentHugepage", inputs{"enabled": text("[never]")}, "is none of always, madvise, never"},
		{"NUMABalancing", inputs{"enabled": property.New(false)}, ""},
		{"Limits", inputs{"noFile": number(1 << 20)}, ""},
		{"Limits", inputs{"noFile": number(3)}, "from 64"},
	} {
		all := inputs{"host": property.New(inputs{
			"connection": property.New(inputs{"address": text("192.0.2.1")}), "machineId": text("m"), "lab": text("l"),
		})}
		for k, v := range tc.inputs {
			all[k] = v
		}
		r, err := server.Check(p.CheckRequest{
			Urn:    resource.NewURN("test", "check", "", tokens.Type("benchlab:tuning:"+tc.kind), "x"),
			Inputs: property.NewMap(all),
		})
		if err != nil {
			t.Errorf("%s %v: %v", tc.kind, tc.inputs, err)
			continue
		}
		var reasons []string
		for _, f := range r.Failures {
			reasons = append(reasons, f.Reason)
		}
		got := strings.Join(reasons, "\n")
		if tc.wants == "" && got != "" || !strings.Contains(got, tc.wants) {
			t.Errorf("%s %v: failures %q, want %q", tc.kind, tc.inputs, got, tc.wants)
		}
	}
}

// A secret in the place of a reference to it is refused before it is in any state. Pulumi
// shows the value of a property that a failure names, so none does.
func TestCheckSecrets(t *testing.T) {
	plugin, err := New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	server, err := integration.NewServer(t.Context(), Name, semver.MustParse(Version), integration.WithProvider(plugin))
	if err != nil {
		t.Fatal(err)
	}
	for _, attribute := range []string{"passphrase", "password", "becomePassword"} {
		for value, refused := range map[string]bool{"hunter2": true, "secret:": true, "secret:box": false, "env:BOX": false} {
			c := property.New(inputs{"address": text("192.0.2.1"), attribute: text(value)})
			for kind, all := range map[string]inputs{
				"Host":        {"lab": text("l"), "connection": c},
				"LabInstance": {"machines": property.New([]property.Value{c})},
			} {
				r, err := server.Check(p.CheckRequest{
					Urn:    resource.NewURN("test", "check", "", tokens.Type("benchlab:hosts:"+kind), "x"),
					Inputs: property.NewMap(all),
				})
				if err != nil || len(r.Failures) > 0 != refused {
					t.Errorf("%s of %s = %q: %v, %v", attribute, kind, value, r.Failures, err)
				}
				for _, f := range r.Failures {
					if f.Property != "" || !strings.Contains(f.Reason, "."+attribute+": ") || strings.Contains(f.Reason, "hunter2") {
						t.Errorf("%s of %s = %q: failure %+v", attribute, kind, value, f)
					}
				}
			}
		}
	}
}
