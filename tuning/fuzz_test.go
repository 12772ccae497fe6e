package tuning

import (
	"strings"
	"testing"
)

// Whatever /proc/interrupts says, its lines are read without harm, and a line that is
// taken has a number, a chip and a name.
func FuzzInterrupts(f *testing.F) {
	for _, s := range []string{
		" 38:          0      70429 PCI-MSIX-0000:00:03.0   1-edge      virtio2-input.0",
		" 32:          0          0   ITS-MSI 524288 Edge      eth0-rx-0", "NMI: 1 2 Non-maskable interrupts",
		"-1: 0 X 1-edge y", "9:", ":", "9: 0 IO-APIC 9-fasteoi", "99999999999999999999: 0 X 1-edge y", "4: 0 X  3-edge  a, b",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, i := range parseInterrupts("CPU0\n" + text) {
			if i.number < 0 || i.chip == "" || i.name == "" || strings.Contains(i.name, "\n") {
				t.Fatalf("%q: %+v", text, i)
			}
		}
	})
}
