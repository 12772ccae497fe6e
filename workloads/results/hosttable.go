package results

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// HostTable renders what the hosts did in the measuring phase as aligned text: a line for
// each connection count, variant and host, in the order of the trials, over all rounds.
// It is empty where nobody has counted.
func HostTable(trials []Trial) string {
	type level struct {
		connections int
		variant     string
	}
	var order []level
	byLevel := map[level][]Trial{}
	variants := map[string]bool{}
	for _, t := range trials {
		if len(t.Hosts) == 0 {
			continue
		}
		l := level{t.Connections, t.Variant}
		if byLevel[l] == nil {
			order = append(order, l)
		}
		byLevel[l] = append(byLevel[l], t)
		variants[l.variant] = true
	}
	if len(order) == 0 {
		return ""
	}
	var text strings.Builder
	// Writes to a strings.Builder cannot fail, so neither can those of the tabwriter.
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', tabwriter.AlignRight)
	line := func(connections, variant string, cells ...string) {
		if len(variants) > 1 {
			cells = slices.Insert(cells, 0, variant)
		}
		_, _ = fmt.Fprintln(table, connections+"\t"+strings.Join(cells, "\t")+"\t")
	}
	line("connections", "variant", "host", "CPUs", "busy", "busiest CPU", "most softirq", "NIC", "rx bit/s", "tx bit/s", "drops", "retransmits", "refused")
	for _, l := range order {
		for _, h := range mediansOfHosts(byLevel[l]) {
			nics, rx, tx := h.traffic()
			line(strconv.Itoa(l.connections), l.variant,
				h.Role, strconv.Itoa(h.CPUs), percent(h.Busy),
				fmt.Sprintf("%s on %d", percent(h.Busiest.BusyMean), h.Busiest.CPU),
				fmt.Sprintf("%s on %d", percent(h.MostSoftIRQ.SoftIRQMean), h.MostSoftIRQ.CPU),
				nics, rx, tx,
				Count(float64(h.dropped())), Count(float64(h.Retransmits)), Count(float64(h.ListenDrops)))
		}
	}
	_ = table.Flush()
	return text.String()
}

// traffic names the NICs that carried at least a tenth of what the foremost one did, with
// their rates: a run over two NICs shows both. They are not added up, as a bond counts what
// its NICs have counted.
func (h HostFigures) traffic() (nics, rx, tx string) {
	both := func(n NICFigures) float64 { return n.RxBytesPerSecond + n.TxBytesPerSecond }
	var most float64
	for _, n := range h.NICs {
		most = max(most, both(n))
	}
	var names, in, out []string
	for _, n := range h.NICs {
		if most > 0 && both(n) >= most/10 {
			names = append(names, n.NIC)
			in = append(in, Count(8*n.RxBytesPerSecond))
			out = append(out, Count(8*n.TxBytesPerSecond))
		}
	}
	if names == nil {
		return "-", "0", "0"
	}
	return strings.Join(names, " + "), strings.Join(in, " + "), strings.Join(out, " + ")
}

// dropped counts packets that were lost on the way in and out, wherever.
func (h HostFigures) dropped() int64 {
	n := h.SoftnetDropped
	for _, nic := range h.NICs {
		n += nic.Dropped + nic.Errors
	}
	return n
}

func percent(share float64) string { return fmt.Sprintf("%.0f%%", 100*share) }
