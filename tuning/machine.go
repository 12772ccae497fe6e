package tuning

import (
	"fmt"
	"os"
)

// initialPIDNamespace is what /proc/self/ns/pid says in the PID namespace that the
// kernel booted with; its inode is a constant (PROC_PID_INIT_INO).
const initialPIDNamespace = "pid:[4026531836]"

// notOurs says why a value of the whole machine is not this host's to set: on a host that
// is only a namespace of its machine, two ledgers over one value can't know its original.
// It is empty where the host is the machine.
func (h *Host) notOurs() (unsupported string, err error) {
	path := h.path("proc/self/ns/pid")
	namespace, err := os.Readlink(path)
	if err != nil {
		return "", fmt.Errorf("is this host a machine or a namespace? %w; is /proc mounted?", err)
	}
	if namespace != initialPIDNamespace {
		return fmt.Sprintf("the value belongs to the whole machine, and this host is a namespace of it (%s is %s); tune the machine itself as a host, or leave the key out", path, namespace), nil
	}
	return "", nil
}
