package hostspec

// CPU describes the processors of a host. Lists of CPUs are written as the kernel writes
// them: "0-3,8".
type CPU struct {
	Model string `json:"model" pulumi:"model"`
	// Microcode is the loaded revision, as in "0x2b000603"; x86 has one.
	Microcode string `json:"microcode" pulumi:"microcode"`
	// Possible counts the CPUs the kernel was built up for; masks have that many bits.
	Possible int `json:"possible" pulumi:"possible"`
	Online   int `json:"online" pulumi:"online"`
	Sockets  int `json:"sockets" pulumi:"sockets"`
	Cores    int `json:"cores" pulumi:"cores"`
	// ThreadsPerCore is the most online CPUs that a core has.
	ThreadsPerCore int `json:"threadsPerCore" pulumi:"threadsPerCore"`
	// SMT is on, off, forceoff, notsupported or notimplemented.
	SMT string `json:"smt" pulumi:"smt"`
	// Isolated are the CPUs of isolcpus, NoHZFull those of nohz_full.
	Isolated string `json:"isolated" pulumi:"isolated"`
	NoHZFull string `json:"noHzFull" pulumi:"noHzFull"`
	// Boost is on or off, where the kernel can switch it.
	Boost string `json:"boost" pulumi:"boost"`
	// Kinds are the kinds of cores of a machine that has several, the fastest first.
	Kinds []CoreKind `json:"kinds,omitempty" pulumi:"kinds,optional"`
	// Nodes are the NUMA nodes.
	Nodes []MemoryNode `json:"nodes,omitempty" pulumi:"nodes,optional"`
	// Frequencies are the policies of cpufreq; those that are alike stand together.
	Frequencies []FrequencyPolicy `json:"frequencies,omitempty" pulumi:"frequencies,optional"`
	// Vulnerabilities says of each known one what the kernel does about it.
	Vulnerabilities map[string]string `json:"vulnerabilities,omitempty" pulumi:"vulnerabilities,optional"`
}

// CoreKind is the CPUs of one kind of core.
type CoreKind struct {
	Model string `json:"model" pulumi:"model"`
	// Capacity is relative: the fastest core of the machine has 1024.
	Capacity int    `json:"capacity" pulumi:"capacity"`
	CPUs     string `json:"cpus" pulumi:"cpus"`
}

// MemoryNode is one NUMA node; a node may have memory and no CPUs.
type MemoryNode struct {
	ID          int    `json:"id" pulumi:"id"`
	CPUs        string `json:"cpus" pulumi:"cpus"`
	MemoryBytes int    `json:"memoryBytes" pulumi:"memoryBytes"`
}

// FrequencyPolicy is how the clock of some CPUs is set.
type FrequencyPolicy struct {
	CPUs     string `json:"cpus" pulumi:"cpus"`
	Driver   string `json:"driver" pulumi:"driver"`
	Governor string `json:"governor" pulumi:"governor"`
	// Preference is the energy_performance_preference, where the driver has one.
	Preference string `json:"preference" pulumi:"preference"`
	// MinKHz and MaxKHz are the limits that are set, in kHz; LowestKHz and HighestKHz what the hardware can do.
	MinKHz     int `json:"minKhz" pulumi:"minKhz"`
	MaxKHz     int `json:"maxKhz" pulumi:"maxKhz"`
	LowestKHz  int `json:"lowestKhz" pulumi:"lowestKhz"`
	HighestKHz int `json:"highestKhz" pulumi:"highestKhz"`
}
