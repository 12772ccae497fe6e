package tuning

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// interrupt is one line of /proc/interrupts.
type interrupt struct {
	number int
	// chip is what delivers it ("PCI-MSIX-0000:00:03.0 1-edge").
	chip string
	// name is what the driver called it ("virtio2-input.0"), or several such names.
	name string
}

// interrupts are those of a NIC that serve queues, in numeric order. Where there are
// none, why says so in words for a person.
//
// They are found by the NIC's device, never by the name of a driver: in the device's
// msi_irqs, which some kernels since 5.17 and devices behind virtio leave empty, and
// then in /proc/interrupts by PCI address, device name, or the NIC's own name.
func (h *Host) interrupts(nic string) (found []interrupt, why string, err error) {
	d := h.device(nic)
	if d.path == "" {
		return nil, "no interrupts of its own: it is a virtual device", nil
	}
	all, err := h.allInterrupts()
	if err != nil {
		return nil, "", fmt.Errorf("NIC %s: %w", nic, err)
	}
	numbers := d.vectors()
	for _, i := range all {
		switch {
		case slices.Contains(numbers, i.number):
		case len(numbers) == 0 && slices.ContainsFunc(d.names(), func(name string) bool { return hasWord(i.chip, name) || hasWord(i.name, name) }):
		case len(numbers) == 0 && hasWord(i.name, nic):
		default:
			continue
		}
		found = append(found, i)
	}
	if len(found) == 0 && len(numbers) > 0 {
		return nil, fmt.Sprintf("none of the interrupts of %s is in use; bring the NIC up first (ip link set %s up)", d.path, nic), nil
	}
	if len(found) == 0 {
		return nil, fmt.Sprintf("no interrupts of its own: neither %s/msi_irqs nor /proc/interrupts has one of its device", d.path), nil
	}
	if others := h.sharers(nic, d); len(others) > 0 {
		mine := slices.DeleteFunc(found, func(i interrupt) bool { return namedNIC(i.name, append(others, nic)) != nic })
		if len(mine) == 0 {
			return nil, fmt.Sprintf("%s is the device of %s too, and /proc/interrupts does not tell whose interrupt is whose", d.path, strings.Join(others, ", ")), nil
		}
		found = mine
	}
	return ofQueues(found), "", nil
}

// vectors are the numbers of the interrupts that the device was given, also of those
// that no one has asked for.
func (d device) vectors() []int {
	for _, dir := range d.dirs() {
		entries, err := os.ReadDir(dir + "/msi_irqs")
		if err != nil {
			continue // what is missing here is looked for elsewhere
		}
		var numbers []int
		for _, e := range entries {
			if n, err := strconv.Atoi(e.Name()); err == nil {
				numbers = append(numbers, n)
			}
		}
		if len(numbers) > 0 {
			return numbers
		}
	}
	return nil
}

// sharers are the other NICs of the same device, as ports of one PCI function are.
func (h *Host) sharers(nic string, d device) []string {
	entries, _ := os.ReadDir(h.path("sys/class/net"))
	var others []string
	for _, e := range entries {
		if e.Name() != nic && h.device(e.Name()).path == d.path {
			others = append(others, e.Name())
		}
	}
	return others
}

// namedNIC is the NIC that an interrupt is named after: of "wan" and "wan-1" the
// longer one that fits.
func namedNIC(name string, nics []string) string {
	best := ""
	for _, nic := range nics {
		if len(nic) > len(best) && hasWord(name, nic) {
			best = nic
		}
	}
	return best
}

// trigger is the field of /proc/interrupts that stands before the names: "3-edge" on
// x86, "3 Edge" elsewhere.
var trigger = regexp.MustCompile(`^(.*?\S)\s+(?:\d+-\w+|(?:\d+\s+)?(?:Edge|Level))\s+(.*)$`)

// allInterrupts reads /proc/interrupts, in numeric order.
func (h *Host) allInterrupts() ([]interrupt, error) {
	text, err := os.ReadFile(h.path("proc/interrupts"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return parseInterrupts(string(text)), nil
}

func parseInterrupts(text string) []interrupt {
	var all []interrupt
	for line := range strings.Lines(text) {
		left, rest, ok := strings.Cut(line, ":")
		number, err := strconv.ParseUint(strings.TrimSpace(left), 10, 31)
		if !ok || err != nil {
			continue // the heading, and what has a name instead of a number (NMI, LOC)
		}
		// One count for each CPU, then the chip.
		rest = strings.TrimLeft(rest, " 0123456789")
		parts := trigger.FindStringSubmatch(strings.TrimSpace(rest))
		if parts == nil {
			continue // nobody has asked for it
		}
		all = append(all, interrupt{number: int(number), chip: parts[1], name: parts[2]})
	}
	slices.SortFunc(all, func(a, b interrupt) int { return cmp.Compare(a.number, b.number) })
	return all
}

// hasWord says whether word stands in text with nothing beside it that could belong to
// a longer name: "eth0" is in "i40e-eth0-TxRx-1" and not in "eth0.100" or "eth01".
func hasWord(text, word string) bool {
	for at := 0; ; at++ {
		i := strings.Index(text[at:], word)
		if i < 0 {
			return false
		}
		at += i
		end := at + len(word)
		if (at == 0 || !isWord(text[at-1])) && (end == len(text) || !isWord(text[end])) {
			return true
		}
	}
}

func isWord(c byte) bool {
	return c == '_' || c == '.' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// noQueue are words in the names of interrupts that carry no packets.
var noQueue = []string{
	"admin", "adminq", "async", "asq", "cmd", "config", "control", "ctrl", "err", "error", "event", "fw",
	"health", "link", "lpi", "lsc", "mailbox", "mbx", "mgmnt", "mgmt", "misc", "oicr", "pages", "ptp", "wol",
}

// ofQueues leaves out the interrupts whose names say that they serve no queue. Where
// that would leave none the names say nothing.
func ofQueues(all []interrupt) []interrupt {
	var queues []interrupt
	for _, i := range all {
		words := strings.FieldsFunc(strings.ToLower(i.name), func(r rune) bool { return r < 'a' || r > 'z' })
		if slices.ContainsFunc(words, func(w string) bool { return slices.Contains(noQueue, w) }) {
			continue
		}
		// "eth0" beside "eth0-TxRx-0" is the device's own: its link.
		if slices.ContainsFunc(all, func(o interrupt) bool {
			return len(o.name) > len(i.name) && strings.HasPrefix(o.name, i.name) && !isWord(o.name[len(i.name)])
		}) {
			continue
		}
		queues = append(queues, i)
	}
	if len(queues) == 0 {
		return all
	}
	return queues
}

var digits = regexp.MustCompile(`\d+`)

// byShape groups interrupts whose names differ in numbers only: the members of a group
// belong to the queues 0, 1, 2 and so on. rx and tx are the numbers of queues: where
// there are groups of just that size, others are no groups of queues.
func byShape(all []interrupt, rx, tx int) [][]interrupt {
	var groups [][]interrupt
	at := map[string]int{}
	for _, i := range all {
		shape := digits.ReplaceAllString(i.name, "#")
		n, ok := at[shape]
		if !ok {
			n = len(groups)
			at[shape] = n
			groups = append(groups, nil)
		}
		groups[n] = append(groups[n], i)
	}
	fits := func(g []interrupt) bool { return len(g) > 1 && (len(g) == rx || len(g) == tx) }
	if slices.ContainsFunc(groups, fits) {
		groups = slices.DeleteFunc(groups, func(g []interrupt) bool { return len(g) != rx && len(g) != tx })
	}
	return groups
}
