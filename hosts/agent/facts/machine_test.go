package facts

import "testing"

func TestVirtualization(t *testing.T) {
	const guest = "processor : 0\nflags : fpu hypervisor sse\n"
	const clocks = "sys/devices/system/clocksource/clocksource0/available_clocksource"
	for name, tc := range map[string]struct {
		files map[string]string
		want  string
	}{
		"bare metal":                 {map[string]string{"proc/cpuinfo": "flags : fpu sse\n", dmi + "/sys_vendor": "Dell Inc."}, ""},
		"rented bare metal":          {map[string]string{"proc/cpuinfo": "flags : fpu sse\n", dmi + "/sys_vendor": "Amazon EC2"}, ""},
		"a rented guest":             {map[string]string{"proc/cpuinfo": guest, dmi + "/sys_vendor": "Amazon EC2\n", clocks: "kvm-clock tsc\n"}, "amazon"},
		"a guest of QEMU and KVM":    {map[string]string{"proc/cpuinfo": guest, dmi + "/sys_vendor": "QEMU\n", clocks: "kvm-clock tsc acpi_pm\n"}, "kvm"},
		"a guest of QEMU alone":      {map[string]string{"proc/cpuinfo": guest, dmi + "/sys_vendor": "QEMU\n", clocks: "tsc acpi_pm\n"}, "qemu"},
		"a guest of a small KVM":     {map[string]string{"proc/cpuinfo": guest, clocks: "tsc kvm-clock\n"}, "kvm"},
		"a guest of Hyper-V":         {map[string]string{"proc/cpuinfo": guest, dmi + "/product_name": "Virtual Machine"}, "microsoft"},
		"a guest of Xen":             {map[string]string{"proc/cpuinfo": guest, "sys/hypervisor/type": "xen\n"}, "xen"},
		"a guest of nobody we know":  {map[string]string{"proc/cpuinfo": guest}, "other"},
		"an arm64 guest by DMI":      {map[string]string{"proc/cpuinfo": "processor : 0\nFeatures : fp\n", dmi + "/product_name": "KVM Virtual Machine"}, "kvm"},
		"an arm64 guest by its tree": {map[string]string{"proc/device-tree/hypervisor/compatible": "linux,kvm\x00"}, "kvm"},
		"a guest of Xen by its tree": {map[string]string{"proc/device-tree/hypervisor/compatible": "xen,xen-4.17\x00xen,xen\x00"}, "xen"},
		"an arm64 machine":           {map[string]string{"proc/device-tree/model": "Raspberry Pi 5\x00"}, ""},
		"nothing at all":             {nil, ""},
	} {
		root := t.TempDir()
		for path, content := range tc.files {
			put(t, root, path, content)
		}
		if got := files(root).virtualization(); got != tc.want {
			t.Errorf("%s: got %q, want %q", name, got, tc.want)
		}
	}
}

func TestContainer(t *testing.T) {
	for name, tc := range map[string]struct {
		files map[string]string
		want  string
	}{
		"none":                   {map[string]string{"proc/1/environ": "HOME=/\x00TERM=linux\x00"}, ""},
		"by its first process":   {map[string]string{"proc/1/environ": "HOME=/\x00container=lxc\x00"}, "lxc"},
		"by systemd":             {map[string]string{"run/systemd/container": "systemd-nspawn\n"}, "systemd-nspawn"},
		"docker":                 {map[string]string{".dockerenv": "", "proc/self/ns/pid": "-> pid:[4026532299]"}, "docker"},
		"podman":                 {map[string]string{"run/.containerenv": "", "proc/self/ns/pid": "-> pid:[4026532299]"}, "podman"},
		"a booted docker image":  {map[string]string{".dockerenv": "", "proc/self/ns/pid": "-> " + initialPIDNamespace}, ""},
		"an empty variable only": {map[string]string{"proc/1/environ": "container=\x00"}, ""},
	} {
		root := t.TempDir()
		for path, content := range tc.files {
			put(t, root, path, content)
		}
		if got := files(root).container(); got != tc.want {
			t.Errorf("%s: got %q, want %q", name, got, tc.want)
		}
	}
}
