package facts

import "testing"

func TestPreemption(t *testing.T) {
	for _, tc := range []struct{ build, debug, commandLine, want string }{
		{"#1 SMP PREEMPT_DYNAMIC Debian 6.1.158-1", "none voluntary (full) lazy", "preempt=none", "full"},
		{"#1 SMP PREEMPT_DYNAMIC Debian 6.1.158-1", "", "quiet preempt=none preempt=voluntary -- preempt=full", "voluntary"},
		{"#1 SMP PREEMPT_DYNAMIC Debian 6.1.158-1", "", "quiet", "dynamic"},
		{"#1 SMP PREEMPT_RT Debian 6.1.158-1", "(none)", "preempt=none", "rt"},
		{"#1 SMP PREEMPT Tue Mar 3 2026", "", "", "full"},
		{"#1 SMP Tue Mar 3 2026", "", "", "none or voluntary"},
		{"", "", "", ""},
	} {
		if got := preemption(tc.build, tc.debug, tc.commandLine); got != tc.want {
			t.Errorf("%q, %q, %q: got %q, want %q", tc.build, tc.debug, tc.commandLine, got, tc.want)
		}
	}
}

func TestWithoutSecrets(t *testing.T) {
	const line = "root=/dev/sda1  ro systemd.set_credential=a:b AUTH_TOKEN=c ks.password=d quiet token"
	const want = "root=/dev/sda1 ro systemd.set_credential=… AUTH_TOKEN=… ks.password=… quiet token"
	if got := withoutSecrets(line); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
