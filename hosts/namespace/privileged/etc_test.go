//go:build linux

package privileged

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOwnPasswd(t *testing.T) {
	for _, tc := range []struct{ name, machine, want string }{
		{
			"root with an odd shell and home, sshd there",
			"root:!:0:0:r:/var/roothome:/usr/bin/fish\nsshd:x:102:65534::/run/sshd:/usr/sbin/nologin\nme:x:1000:1000::/home/me:/bin/zsh\n",
			"root:x:0:0:root:/root:/bin/sh\nsshd:x:102:65534::/run/sshd:/usr/sbin/nologin\nme:x:1000:1000::/home/me:/bin/zsh\n",
		},
		{
			"no sshd, blank line, no newline at the end",
			"root:x:0:0:root:/root:/bin/bash\n\nme:x:1000:1000::/home/me:/bin/zsh",
			"root:x:0:0:root:/root:/bin/sh\nme:x:1000:1000::/home/me:/bin/zsh\nsshd:x:65533:65534:sshd:/run/sshd:/usr/sbin/nologin\n",
		},
		{
			"empty",
			"",
			"root:x:0:0:root:/root:/bin/sh\nsshd:x:65533:65534:sshd:/run/sshd:/usr/sbin/nologin\n",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, ownPasswd(tc.machine, "/bin/sh")); diff != "" {
				t.Errorf("accounts (-want +got):\n%s", diff)
			}
		})
	}
}
