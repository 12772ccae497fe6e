package tuning

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hanzoai/benchlab/tuning/spec"
)

// nicWishes is what is wanted of a NIC's device, by the names that NetworkManager has for
// it (nm-settings-nmcli(5), ethtool).
func nicWishes(n spec.NIC) map[string]string {
	wishes := map[string]string{}
	add := func(name, value string) {
		if value != "" && value != "0" {
			wishes[name] = value
		}
	}
	add("mtu", strconv.Itoa(n.MTU))
	if r := n.Ring; r != nil {
		add("ring-rx", r.RX)
		add("ring-tx", r.TX)
		add("ring-rx-mini", r.RXMini)
		add("ring-rx-jumbo", r.RXJumbo)
	}
	if c := n.Channels; c != nil {
		add("channels-rx", c.RX)
		add("channels-tx", c.TX)
		add("channels-combined", c.Combined)
		add("channels-other", c.Other)
	}
	if c := n.Coalescing; c != nil {
		for name, value := range map[string]*int{"rx-usecs": c.RXUsecs, "rx-frames": c.RXFrames, "tx-usecs": c.TXUsecs, "tx-frames": c.TXFrames} {
			if value != nil {
				wishes["coalesce-"+name] = strconv.Itoa(*value)
			}
		}
		for name, value := range map[string]*bool{"rx": c.AdaptiveRX, "tx": c.AdaptiveTX} {
			if value != nil {
				wishes["coalesce-adaptive-"+name] = strconv.FormatBool(*value)
			}
		}
	}
	for name, on := range n.Offloads {
		wishes[featureName("feature-"+name)] = strconv.FormatBool(on)
	}
	return wishes
}

// featureName gives the features that ethtool has its own short names for these.
func featureName(name string) string {
	short := map[string]string{
		"feature-rx-gro": "feature-gro", "feature-tx-generic-segmentation": "feature-gso",
		"feature-rx-lro": "feature-lro", "feature-rx-checksum": "feature-rx",
	}[name]
	if short != "" {
		return short
	}
	return name
}

// linkNames are the names of systemd.link(5) for the same.
var linkNames = map[string]string{
	"MTUBytes": "mtu", "RxBufferSize": "ring-rx", "TxBufferSize": "ring-tx", "RxMiniBufferSize": "ring-rx-mini",
	"RxJumboBufferSize": "ring-rx-jumbo", "RxChannels": "channels-rx", "TxChannels": "channels-tx",
	"OtherChannels": "channels-other", "CombinedChannels": "channels-combined",
	"UseAdaptiveRxCoalesce": "coalesce-adaptive-rx", "UseAdaptiveTxCoalesce": "coalesce-adaptive-tx",
	"RxCoalesceSec": "coalesce-rx-usecs", "TxCoalesceSec": "coalesce-tx-usecs",
	"RxMaxCoalescedFrames": "coalesce-rx-frames", "TxMaxCoalescedFrames": "coalesce-tx-frames",
	"GenericReceiveOffload": "feature-gro", "GenericReceiveOffloadHardware": "feature-rx-gro-hw",
	"LargeReceiveOffload": "feature-lro", "GenericSegmentationOffload": "feature-gso",
	"TCPSegmentationOffload": "feature-tso", "TCP6SegmentationOffload": "feature-tx-tcp6-segmentation",
	"ReceiveChecksumOffload": "feature-rx", "TransmitChecksumOffload": "feature-tx",
}

// fileEntry is one line of a file of sections.
type fileEntry struct {
	section, key, value string
	line                int
}

// sectionsOf reads a file of sections. One that can't be read says nothing to us.
func sectionsOf(file string) []fileEntry {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	var all []fileEntry
	section, number := "", 0
	for line := range strings.Lines(string(text)) {
		number++
		line = strings.TrimSpace(line)
		key, value, isEntry := strings.Cut(line, "=")
		switch {
		case line == "" || line[0] == '#' || line[0] == ';':
		case line[0] == '[' && strings.HasSuffix(line, "]"):
			section = line[1 : len(line)-1]
		case isEntry:
			all = append(all, fileEntry{section, strings.TrimSpace(key), strings.TrimSpace(value), number})
		}
	}
	return all
}

// connectionFiles names the profiles of NetworkManager for a NIC that set what is wanted
// otherwise. One that names no NIC is for whichever comes, and is left out.
func (h *Host) connectionFiles(nic string, wishes map[string]string) []string {
	var warnings []string
	for _, file := range h.glob("etc/NetworkManager/system-connections/*.nmconnection") {
		all := sectionsOf(file)
		if !slices.ContainsFunc(all, func(e fileEntry) bool {
			return e.section == "connection" && e.key == "interface-name" && e.value == nic ||
				e.key == "mac-address" && strings.EqualFold(e.value, h.hardwareAddress(nic))
		}) {
			continue
		}
		sets := differing(all, wishes, func(e fileEntry) string {
			if e.section == "ethtool" || e.section == "ethernet" && e.key == "mtu" {
				return featureName(e.key)
			}
			return ""
		})
		if sets != "" {
			warnings = append(warnings, fmt.Sprintf("NIC %s: NetworkManager runs here, and %s sets %s: it sets that again whenever it brings the NIC up", nic, h.shown(file), sets))
		}
	}
	return warnings
}

// linkFiles names the .link file for a NIC, where it sets what is wanted otherwise. Only
// the first that matches counts.
func (h *Host) linkFiles(nic string, wishes map[string]string) []string {
	for _, file := range h.glob("etc/systemd/network/*.link") {
		all := sectionsOf(file)
		if !h.linkMatches(all, nic) {
			continue
		}
		sets := differing(all, wishes, func(e fileEntry) string {
			if e.section == "Link" {
				return linkNames[e.key]
			}
			return ""
		})
		if sets == "" {
			return nil
		}
		return []string{fmt.Sprintf("NIC %s: %s sets %s: udev sets that again whenever the NIC is found, as at boot", nic, h.shown(file), sets)}
	}
	return nil
}

// linkMatches says whether a .link file is for a NIC. A condition that is not known here
// is taken as not met: rather no warning than a false one.
func (h *Host) linkMatches(all []fileEntry, nic string) bool {
	named := slices.ContainsFunc(all, func(e fileEntry) bool { return e.section == "Link" && e.key == "Name" && e.value == nic })
	conditions := 0
	for _, e := range all {
		if e.section != "Match" {
			continue
		}
		conditions++
		met := false
		switch e.key {
		case "OriginalName":
			met = named || anyMatches(e.value, nic)
		case "MACAddress", "PermanentMACAddress":
			met = anyMatches(strings.ToLower(e.value), h.hardwareAddress(nic))
		case "Driver":
			driver, err := os.Readlink(h.path("sys/class/net", nic, "device/driver"))
			met = err == nil && anyMatches(e.value, filepath.Base(driver))
		}
		if !met {
			return false
		}
	}
	return conditions > 0
}

func anyMatches(patterns, name string) bool {
	return slices.ContainsFunc(strings.Fields(patterns), func(pattern string) bool {
		matches, err := path.Match(pattern, name)
		return err == nil && matches
	})
}

// hardwareAddress is that address of a NIC in lower case; empty where it has none.
func (h *Host) hardwareAddress(nic string) string {
	text, err := os.ReadFile(h.path("sys/class/net", nic, "address"))
	if err != nil {
		return ""
	}
	return strings.ToLower(strings.TrimSpace(string(text)))
}

// differing lists what entries set to another value than is wished.
func differing(all []fileEntry, wishes map[string]string, name func(fileEntry) string) string {
	last := map[string]fileEntry{}
	for _, e := range all {
		if n := name(e); n != "" {
			last[n] = e
		}
	}
	var sets []string
	for _, n := range slices.Sorted(maps.Keys(last)) {
		e := last[n]
		if wish, ok := wishes[n]; ok && plain(e.key, e.value) != wish {
			sets = append(sets, fmt.Sprintf("%s = %s (line %d, wanted %s)", e.key, e.value, e.line, wish))
		}
	}
	return strings.Join(sets, ", ")
}

// plain is a value of such a file in the form of a wish.
func plain(key, value string) string {
	name := cmp.Or(linkNames[key], key)
	if strings.HasPrefix(name, "feature-") || strings.Contains(name, "adaptive") {
		switch strings.ToLower(value) {
		case "1", "yes", "true", "on":
			return "true"
		case "0", "no", "false", "off":
			return "false"
		}
	}
	if name != key && strings.HasSuffix(name, "-usecs") { // systemd has a time there
		if seconds, err := strconv.ParseFloat(value, 64); err == nil {
			value = strconv.FormatFloat(seconds, 'f', -1, 64) + "s"
		}
		if d, err := time.ParseDuration(strings.ReplaceAll(value, " ", "")); err == nil {
			return strconv.FormatInt(d.Microseconds(), 10)
		}
	}
	return value
}
