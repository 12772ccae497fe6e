package facts

import (
	"bufio"
	"cmp"
	"maps"
	"os"
	"strconv"
	"strings"

	"github.com/hanzoai/benchlab/hosts/hostspec"
)

const cpuDir = "sys/devices/system/cpu"

func (f files) cpu() hostspec.CPU {
	online := f.list(cpuDir, "online").CPUs()
	first := f.firstCPU()
	c := hostspec.CPU{
		Microcode:       first["microcode"],
		Possible:        f.list(cpuDir, "possible").Count(),
		Online:          len(online),
		SMT:             f.text(cpuDir, "smt/control"),
		Isolated:        f.list(cpuDir, "isolated").List(),
		NoHZFull:        f.list(cpuDir, "nohz_full").List(),
		Boost:           f.boost(),
		Kinds:           f.kinds(online),
		Nodes:           f.nodes(),
		Frequencies:     f.frequencies(),
		Vulnerabilities: f.vulnerabilities(),
	}
	c.Sockets, c.Cores, c.ThreadsPerCore = f.topology(online)
	c.Model = cmp.Or(first["model name"], first["cpu"], first["uarch"])
	if c.Model == "" && len(online) > 0 {
		c.Model = f.armModel(online[0])
		if len(c.Kinds) > 0 {
			var models []string
			for _, k := range c.Kinds {
				models = append(models, k.Model)
			}
			c.Model = strings.Join(models, " + ")
		}
	}
	return c
}

// firstCPU is the part of /proc/cpuinfo about the first CPU. The rest is not read: the
// kernel asks each CPU in turn.
func (f files) firstCPU() map[string]string {
	file, err := os.Open(f.path("proc/cpuinfo"))
	if err != nil {
		return nil
	}
	defer func() { _ = file.Close() }() // it was read, not written
	fields := map[string]string{}
	for lines := bufio.NewScanner(file); lines.Scan() && lines.Text() != ""; {
		if name, value, ok := strings.Cut(lines.Text(), ":"); ok {
			fields[strings.TrimSpace(name)] = strings.TrimSpace(value)
		}
	}
	return fields
}

// topology counts what the online CPUs are on. Ids of cores repeat between sockets and
// clusters; the list of a core's CPUs is its own. Linux 5.3 gave it its present name.
func (f files) topology(online []int) (sockets, cores, threads int) {
	packages, perCore := map[int]bool{}, map[string]int{}
	for _, cpu := range online {
		dir := ofCPU(cpu, "topology")
		packages[f.number(dir, "physical_package_id")] = true
		perCore[cmp.Or(f.text(dir, "core_cpus_list"), f.text(dir, "thread_siblings_list"), strconv.Itoa(cpu))]++
	}
	for n := range maps.Values(perCore) {
		threads = max(threads, n)
	}
	return len(packages), len(perCore), threads
}

func ofCPU(cpu int, name string) string {
	return cpuDir + "/cpu" + strconv.Itoa(cpu) + "/" + name
}

func (f files) vulnerabilities() map[string]string {
	const dir = cpuDir + "/vulnerabilities"
	all := map[string]string{}
	for _, name := range f.names(dir) {
		all[name] = f.text(dir, name)
	}
	return all
}

// nodes are the NUMA nodes; on some machines one has memory and no CPUs.
func (f files) nodes() []hostspec.MemoryNode {
	const dir = "sys/devices/system/node"
	var nodes []hostspec.MemoryNode
	for _, id := range f.list(dir, "online").CPUs() {
		node := dir + "/node" + strconv.Itoa(id)
		n := hostspec.MemoryNode{ID: id, CPUs: f.list(node, "cpulist").List()}
		for line := range strings.Lines(f.text(node, "meminfo")) {
			// Node 0 MemTotal:       24684092 kB
			if words := strings.Fields(line); len(words) == 5 && words[2] == "MemTotal:" {
				kilobytes, err := strconv.Atoi(words[3])
				if err == nil {
					n.MemoryBytes = kilobytes << 10
				}
			}
		}
		nodes = append(nodes, n)
	}
	return nodes
}
