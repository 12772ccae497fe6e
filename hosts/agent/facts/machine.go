package facts

import (
	"cmp"
	"os"
	"strings"

	"github.com/hanzoai/benchlab/hosts/hostspec"
)

const dmi = "sys/class/dmi/id"

// machine is what DMI says on x86 and on most arm64 servers, and the device tree elsewhere.
func (f files) machine() hostspec.Machine {
	return hostspec.Machine{
		Vendor:          f.dmi("sys_vendor"),
		Product:         cmp.Or(f.dmi("product_name"), f.text("proc/device-tree/model")),
		Board:           f.dmi("board_name"),
		FirmwareVersion: f.dmi("bios_version"),
		FirmwareDate:    f.dmi("bios_date"),
		Virtualization:  f.virtualization(),
		Container:       f.container(),
	}
}

// dmi is a field that the maker of the machine has filled in.
func (f files) dmi(field string) string {
	text := f.text(dmi, field)
	switch strings.ToLower(text) {
	case "default string", "not applicable", "not specified", "system manufacturer", "system product name", "to be filled by o.e.m.", "unknown":
		return ""
	}
	return text
}

// hypervisors are known by how their DMI texts begin. The words are those of
// systemd-detect-virt(1).
var hypervisors = []struct{ begins, name string }{
	{"Amazon EC2", "amazon"},
	{"Apple Virtualization", "apple"},
	{"BHYVE", "bhyve"},
	{"Bochs", "bochs"},
	{"Google Compute Engine", "google"},
	{"Hyper-V", "microsoft"},
	{"KVM", "kvm"},
	{"KubeVirt", "kvm"},
	{"OpenStack", "kvm"},
	{"Parallels", "parallels"},
	{"QEMU", "qemu"},
	{"VMW", "vmware"},
	{"VMware", "vmware"},
	{"VirtualBox", "oracle"},
	{"Virtual Machine", "microsoft"},
	{"Xen", "xen"},
	{"innotek GmbH", "oracle"},
}

// clocks are clock sources that only guests have. They tell what runs a QEMU machine, and
// what small hypervisors, that have no DMI, are.
var clocks = map[string]string{"kvm-clock": "kvm", "hyperv_clocksource_tsc_page": "microsoft", "xen": "xen"}

func (f files) virtualization() string {
	flags, known := f.firstCPU()["flags"] // x86 alone has them
	guest := strings.Contains(" "+flags+" ", " hypervisor ")
	if known && !guest {
		return "" // also for a rented machine of bare metal, whose DMI reads like that of a guest
	}
	if kind := f.text("sys/hypervisor/type"); kind != "" {
		return kind
	}
	name := ""
	for _, field := range []string{"product_name", "sys_vendor", "board_vendor", "bios_vendor", "product_version"} {
		text := f.dmi(field)
		for _, h := range hypervisors {
			if name == "" && strings.HasPrefix(text, h.begins) {
				name = h.name
			}
		}
	}
	if name == "" || name == "qemu" {
		for clock := range strings.FieldsSeq(f.text("sys/devices/system/clocksource/clocksource0/available_clocksource")) {
			name = cmp.Or(clocks[clock], name)
		}
	}
	if name == "" {
		// "linux,kvm" or "xen,xen-4.11" with "xen,xen", each ended by a NUL.
		tree, _, _ := strings.Cut(f.text("proc/device-tree/hypervisor/compatible"), "\x00")
		vendor, kind, _ := strings.Cut(tree, ",")
		name = map[string]string{"linux": kind, "xen": "xen", "vmware": "vmware"}[vendor]
	}
	if name == "" && guest {
		return "other"
	}
	return name
}

// container asks the first process, to which a container's manager gives a variable, and
// looks for what Docker and Podman leave. Their images can be booted too, so these files
// alone say nothing.
func (f files) container() string {
	for variable := range strings.SplitSeq(f.text("proc/1/environ"), "\x00") {
		if name, ok := strings.CutPrefix(variable, "container="); ok && name != "" {
			return name
		}
	}
	if f.inNamespace() {
		for _, sign := range []struct{ path, name string }{{".dockerenv", "docker"}, {"run/.containerenv", "podman"}} {
			if _, err := os.Stat(f.path(sign.path)); err == nil {
				return sign.name
			}
		}
	}
	return f.text("run/systemd/container")
}
