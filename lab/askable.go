package lab

import (
	"strings"

	"github.com/hanzoai/benchlab/tuning/profiles/syntax"
	"github.com/zclconf/go-cty/cty"
)

// absent says of what can be referred to why it is not known in some places, and what to do
// without some functions of other languages.
var absent = map[string]string{
	"var":       "The default of a variable refers to nothing.",
	"local":     "The default of a variable refers to nothing.",
	"each":      "each.key and each.value are known in a block with for_each.",
	"host":      "What can be asked of a host is known to links, tune blocks, servers, benchmarks and outputs.",
	"link":      "Nothing can be asked of a link.",
	"tune":      "Nothing can be asked of a tune block.",
	"server":    "What can be asked of a server is known to benchmarks and outputs.",
	"benchmark": "What is measured is in the outputs of the stack, and not known before.",

	"cpus()": "A lab file is read before its hosts are asked, so it can't know what they have. Where the number of CPUs, queues or descriptors decides, " +
		"there are words for it, such as \"all\", \"auto\" and \"max\"; or make it a variable.",
	"file()":  "A lab file means the same wherever it is read. Make what is in the file a variable.",
	"toset()": "for_each takes the list as it is.",
}

// ofHost is what expressions can ask of a host.
func (r *reader) ofHost(name string) map[string]cty.Value {
	h := r.hosts[name]
	if h == nil || h.Connection == nil {
		return nil
	}
	return map[string]cty.Value{"address": cty.StringVal(h.Connection.Address)}
}

// ofLinkedHost adds the NICs that links give to the host.
func (r *reader) ofLinkedHost(name string) map[string]cty.Value {
	known := r.ofHost(name)
	if known != nil {
		return known
	}
	nics := map[string]cty.Value{}
	for _, l := range r.def.Links {
		for _, end := range l.Ends {
			if address, _, ok := strings.Cut(end.Address, "/"); ok && end.Host == name {
				nics[end.NIC] = cty.ObjectVal(map[string]cty.Value{"address": cty.StringVal(address)})
			}
		}
	}
	if r.brokenLinks {
		return map[string]cty.Value{"nic": syntax.Broken}
	}
	return map[string]cty.Value{"nic": cty.ObjectVal(nics)}
}

// ofServer is what expressions can ask of a server.
func (r *reader) ofServer(name string) map[string]cty.Value {
	for _, s := range r.def.Servers {
		if s.Name == name {
			var listen []cty.Value
			for _, at := range s.Listen {
				listen = append(listen, cty.StringVal(at))
			}
			if listen == nil {
				return map[string]cty.Value{"listen": syntax.Broken}
			}
			return map[string]cty.Value{"listen": cty.ListVal(listen)}
		}
	}
	return nil
}
