package hostspec

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Identity is what results depend on and no tuning changes: machine, firmware, kernel,
// CPUs, and the NICs that are devices, each in words for a person. What the host does not
// say is absent. Results of two systems whose identities differ can't be compared.
//
// A namespace host has no machine id in it, as each one is made with a new one.
func (f Facts) Identity() map[string]string {
	all := map[string]string{}
	set := func(name string, words ...string) {
		if text := strings.Join(strings.Fields(strings.Join(words, " ")), " "); text != "" {
			all[name] = text
		}
	}
	if !f.Namespace {
		set("machine id", f.MachineID)
	}
	set("machine", f.Machine.Vendor, f.Machine.Product, f.Machine.Board)
	set("firmware", f.Machine.FirmwareVersion, f.Machine.FirmwareDate)
	set("virtualization", f.Machine.Virtualization)
	set("kernel", f.Kernel, f.KernelBuild)
	set("command line", bootParameters(f.CommandLine))
	set("CPU", f.CPU.Model)
	set("CPUs", fmt.Sprintf("sockets %d, cores %d, online %d", f.CPU.Sockets, f.CPU.Cores, f.CPU.Online))
	set("microcode", f.CPU.Microcode)
	for _, n := range f.NICs {
		if n.Bus == "" {
			continue // made by somebody, and gone tomorrow
		}
		nic := "NIC " + n.Name + " "
		version := n.DriverVersion
		if version == f.Kernel { // one difference, said once
			version = ""
		}
		set(nic+"device", n.PCIID)
		set(nic+"driver", n.Driver, version)
		set(nic+"firmware", n.FirmwareVersion)
		if n.SpeedMbps > 0 {
			set(nic+"speed", fmt.Sprintf("%d Mbit/s", n.SpeedMbps), n.Duplex)
		}
		if n.PCI.Speed != "" {
			set(nic+"bus", fmt.Sprintf("%s x%d", n.PCI.Speed, n.PCI.Width))
		}
	}
	return all
}

// bootParameters leaves out where the boot loader found the kernel: the name of its file
// changes with each kernel, which is said already.
func bootParameters(commandLine string) string {
	var kept []string
	for word := range strings.FieldsSeq(commandLine) {
		if !strings.HasPrefix(word, "BOOT_IMAGE=") && !strings.HasPrefix(word, "initrd=") {
			kept = append(kept, word)
		}
	}
	return strings.Join(kept, " ")
}

// IdentityDifferences says in what a host is another system than it was, each in words that
// go behind the host's name. An identity that is not known differs in nothing. when is the
// time of the first, such as "when this lab was locked".
func IdentityDifferences(was, is map[string]string, when string) []string {
	if len(was) == 0 || len(is) == 0 {
		return nil
	}
	all := maps.Clone(was)
	maps.Copy(all, is)
	var found []string
	for _, what := range slices.Sorted(maps.Keys(all)) {
		before, wasThere := was[what]
		now, isThere := is[what]
		switch {
		case before == now:
		case !wasThere:
			found = append(found, fmt.Sprintf("%s was not there %s, it is %q now", what, when, now))
		case !isThere:
			found = append(found, fmt.Sprintf("%s was %q %s, it is not there now", what, before, when))
		default:
			found = append(found, fmt.Sprintf("%s was %q %s, it is %q now", what, before, when, now))
		}
	}
	return found
}
