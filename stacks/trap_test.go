//go:build linux

package main

import (
	"fmt"
	"strings"
)

// A trap stops a program on a host at a certain point of its work, by SIGSTOP from a
// strace that stands over it. The host's SSH server is told to start programs so; what
// the lab brings there is as it always is.
type trap struct {
	// program is that of the agent or of an upload, as the host's sshd starts it.
	program string
	// options of strace; empty where nothing is stopped.
	options string
	// when is a shell condition that holds at the point, where nothing is stopped.
	when string
}

const (
	agentProgram  = "benchlab-agent-"
	uploadProgram = "cat"
)

// atWrite stops the agent right after it has written to a kernel file.
func atWrite(path string) trap { return inAgent("write", path) }

// inAgent stops the agent right after a system call on a file. strace counts the calls
// of each thread for itself, so only a call that the agent makes once is a point.
func inAgent(call, path string) trap {
	return trap{program: agentProgram, options: "-P " + path + " -e trace=" + call + " -e inject=" + call + ":signal=SIGSTOP:when=1"}
}

var (
	// atLedger stops the agent when the ledger has been replaced.
	atLedger = inAgent("renameat", "/var/lib/benchlab/ledger.json")
	// atStart stops it when the server of the matrix is recorded.
	atStart = inAgent("renameat", "/var/lib/benchlab/units/http-127-0-0-1-8080/unit.json")
	// inUpload stops an upload after a few writes of at most 64 KB, more than its shell makes.
	inUpload  = trap{program: uploadProgram, options: "-e trace=write -e inject=write:signal=SIGSTOP:when=8"}
	underLoad = trap{program: agentProgram, when: `ls -l /proc/[0-9]*/exe | grep -q /benchlab-loader-`}
	// whileLoaded is when a server is under load with the tuning suspended.
	whileLoaded = trap{
		program: agentProgram,
		when:    `grep -q '"suspended": true' /var/lib/benchlab/ledger.json && ls -l /proc/[0-9]*/exe | grep -q /benchlab-loader- && test "$(cat ` + somaxconn + `)" != 65535`,
	}
)

// trapLog is where strace tells. It is no file that the test of what is left would see.
const trapLog = "/dev/shm/trap.log"

// trapScript starts what a session asks for.
const trapScript = `#!/bin/sh
. /etc/ssh/trap.conf
case "$SSH_ORIGINAL_COMMAND" in
*" serve") program=` + agentProgram + `;;
*" '"cat"'") program=` + uploadProgram + `;;
esac
if [ "$program" = "$trapped" ]; then
  exec strace -D -f -q -o ` + trapLog + ` -e signal=SIGSTOP $options /bin/sh -c "$SSH_ORIGINAL_COMMAND"
fi
exec /bin/sh -c "$SSH_ORIGINAL_COMMAND"
`

// installTrap prepares a host for traps.
func (b *box) installTrap() {
	b.t.Helper()
	b.run(`set -e
cat > /etc/ssh/trap <<'end'
` + trapScript + `end
chmod 755 /etc/ssh/trap
echo trapped=none > /etc/ssh/trap.conf
echo ForceCommand /etc/ssh/trap >> /etc/ssh/benchlab_sshd_config`)
}

// arm sets the trap for the connections that come.
func (b *box) arm(t trap) {
	b.t.Helper()
	if t.options != "" {
		// A test that fails leaves nobody stopped: the rest of its end would wait.
		b.t.Cleanup(func() { _, _ = b.try(t.letGo()) })
		b.run(fmt.Sprintf("rm -f %s; echo 'trapped=%s options=\"%s\"' > /etc/ssh/trap.conf", trapLog, t.program, t.options))
	}
}

// held waits until the trap has closed, and returns.
func (b *box) held(t trap) {
	b.t.Helper()
	when := t.when
	if when == "" {
		when = "grep -q 'stopped by SIGSTOP' " + trapLog + " 2>/dev/null"
	}
	b.wait("the trap has closed", when)
	b.run("echo trapped=none > /etc/ssh/trap.conf")
}

// release lets the program go on, if it still is there.
func (b *box) release(t trap) {
	b.t.Helper()
	if t.options != "" {
		b.run(t.letGo())
	}
}

func (t trap) letGo() string {
	return pids("strace") + `kill -KILL $pids 2>/dev/null; ` + pids(t.program) + `kill -CONT $pids 2>/dev/null; true`
}

// quiet waits until no agent and no upload runs in the host any more.
func (b *box) quiet() {
	b.t.Helper()
	b.wait("the agent has ended", pids(agentProgram)+`test -z "$pids" && `+pids(uploadProgram)+`test -z "$pids"`)
}

// pids sets the shell variable to the processes of a program.
func pids(program string) string {
	return `pids=$(ls -l /proc/[0-9]*/exe 2>/dev/null | sed -n 's|.*/proc/\([0-9]*\)/exe -> .*/` + program + `.*|\1|p'); `
}

func (b *box) wait(what, condition string) {
	b.t.Helper()
	out := b.run(`for i in $(seq 1500); do if ` + condition + `; then echo yes; break; fi; sleep 0.02; done`)
	if !strings.HasSuffix(out, "yes") {
		b.t.Fatalf("host %s: %s: not so after 30 s", b.name, what)
	}
}
