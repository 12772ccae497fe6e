package telemetry

import (
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
)

// What a reading costs, of which there is one a second: 10 ms are 1 % of a core. The
// kernel's part is in that of this machine alone.
func BenchmarkRead(b *testing.B) {
	for name, proc := range map[string]string{"this machine": "/proc", "32 CPUs": machine(b, 32), "256 CPUs": machine(b, 256)} {
		b.Run(name, func(b *testing.B) {
			r, err := newReader(proc)
			if err != nil {
				b.Fatal(err)
			}
			before, err := r.read()
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				now, err := r.read()
				if err != nil {
					b.Fatal(err)
				}
				between(before, now, "measure")
			}
		})
	}
}

// machine makes a procfs as large as that of a machine with so many CPUs, an interrupt for
// each CPU of two NICs among a thousand, and 20 NICs.
func machine(t testing.TB, cpus int) string {
	t.Helper()
	var stat, softirqs, softnet, dev strings.Builder
	times := " 1625705123 1178576 795100777 1819022999 8045 0 39323123 3898 0 0\n"
	stat.WriteString("cpu " + times)
	header, counts := "          ", ""
	for cpu := range cpus {
		fmt.Fprintf(&stat, "cpu%d%s", cpu, times)
		fmt.Fprintf(&softnet, "063b0b%02x%s 003cf38a 00000000 00000000 %08x 00000000 00000000\n", cpu%256, strings.Repeat(" 00000000", 8), cpu)
		header += fmt.Sprintf(" %10s", fmt.Sprintf("CPU%d", cpu))
		counts += fmt.Sprintf(" %10d", 104473997+cpu)
	}
	stat.WriteString("intr 105520909" + strings.Repeat(" 0", 1000) + strings.Repeat(" 51982123", 2*cpus) +
		"\nctxt 277043472\nbtime 1796060544\nprocesses 2507743\nprocs_running 2\nprocs_blocked 0\n" +
		"softirq 226422279 0 3148467 51082 202587606 5198014 0 5602 2494227 122706 12814575\n")
	softirqs.WriteString(header + "\n")
	for _, kind := range strings.Fields("HI TIMER NET_TX NET_RX BLOCK IRQ_POLL TASKLET SCHED HRTIMER RCU") {
		fmt.Fprintf(&softirqs, "%12s:%s\n", kind, counts)
	}
	dev.WriteString("Inter-|   Receive | Transmit\n face |bytes packets | bytes\n")
	for nic := range 20 {
		fmt.Fprintf(&dev, "  eth%d: 1127336420 87149 0 0 0 0 0 0 8127958 81393 0 0 0 0 0 0\n", nic)
	}
	proc := newProc(t)
	for name, text := range map[string]string{
		"stat": stat.String(), "softirqs": softirqs.String(), "softnet_stat": softnet.String(), "dev": dev.String(),
		"snmp": "Tcp: RtoAlgorithm CurrEstab InSegs OutSegs RetransSegs\nTcp: 1 4 132269572 132234776 29746\n",
		"netstat": "TcpExt:" + strings.Repeat(" TCPTimeouts", 130) + "\nTcpExt:" + strings.Repeat(" 660171", 130) +
			"\nIpExt: InOctets\nIpExt: 96456891004\n",
	} {
		write(t, proc, name, text)
	}
	return proc
}

// talk sends so many segments over a connection of this machine with itself.
func talk(t *testing.T, segments int) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	sent := make(chan error, 1)
	go func() {
		conn, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			sent <- err
			return
		}
		one := []byte("x")
		for range segments { // a ping-pong: the kernel must not join them
			if _, err = conn.Write(one); err == nil {
				_, err = io.ReadFull(conn, one)
			}
			if err != nil {
				break
			}
		}
		sent <- errors.Join(err, conn.Close())
	}()
	conn, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(conn, conn); err != nil {
		t.Error(err)
	}
	if err := errors.Join(<-sent, conn.Close(), listener.Close()); err != nil {
		t.Error(err)
	}
}
