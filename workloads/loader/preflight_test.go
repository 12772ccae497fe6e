package loader

import (
	"strings"
	"testing"
)

func TestParsePortRange(t *testing.T) {
	if first, last, err := parsePortRange("32768\t60999\n"); first != 32768 || last != 60999 || err != nil {
		t.Errorf("got %d, %d, %v", first, last, err)
	}
	for _, text := range []string{"", "1024", "a b", "0 10", "60999 32768"} {
		if _, _, err := parsePortRange(text); err == nil || !strings.Contains(err.Error(), portRangeFile) {
			t.Errorf("%q: error %v, want one that names the file", text, err)
		}
	}
}

func TestCheckPorts(t *testing.T) {
	// No range has as many ports.
	err := checkPorts(65536, 1, 1)
	if err == nil || !strings.Contains(err.Error(), "65536 connections need as many local ports") ||
		!strings.Contains(err.Error(), "sysctl net.ipv4.ip_local_port_range") {
		t.Errorf("65536 connections: error %v", err)
	}
	if err := checkPorts(65536, 4, 1); err != nil {
		t.Errorf("65536 connections over four paths: %v", err)
	}
	if err := checkPorts(65536, 4, 4); err == nil {
		t.Error("65536 connections over four paths to one address: no error")
	}
	if err := checkPorts(1, 1, 1); err != nil {
		t.Errorf("one connection: %v", err)
	}
}
