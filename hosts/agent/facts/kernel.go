package facts

import "strings"

// preemption is the model of the kernel's preemption, from what uname -v says it was built
// with, from debugfs (sched/preempt, "none voluntary (full) lazy") where that is mounted,
// and from the command line.
func preemption(build, debug, commandLine string) string {
	flags := strings.Fields(build)
	has := func(flag string) bool {
		for _, f := range flags {
			if f == flag {
				return true
			}
		}
		return false
	}
	switch {
	case has("PREEMPT_RT"):
		return "rt"
	case has("PREEMPT_DYNAMIC"):
		if _, rest, ok := strings.Cut(debug, "("); ok {
			model, _, _ := strings.Cut(rest, ")")
			return model
		}
		if model := parameter(commandLine, "preempt"); model != "" {
			return model
		}
		return "dynamic"
	case has("PREEMPT"):
		return "full"
	case build == "":
		return ""
	}
	return "none or voluntary"
}

// parameter is the value of a parameter of the kernel; the last one counts. What follows
// "--" is for the first process.
func parameter(commandLine, name string) (value string) {
	for _, word := range strings.Fields(commandLine) {
		if word == "--" {
			break
		}
		if v, ok := strings.CutPrefix(word, name+"="); ok {
			value = v
		}
	}
	return value
}

// secretWords are in the names of parameters whose values are nobody's business, as those
// of systemd.set_credential= and of installers are.
var secretWords = []string{"credential", "passw", "passphrase", "secret", "token"}

// withoutSecrets puts "…" in the place of secret values.
func withoutSecrets(commandLine string) string {
	words := strings.Fields(commandLine)
	for i, word := range words {
		name, _, ok := strings.Cut(word, "=")
		for _, secret := range secretWords {
			if ok && strings.Contains(strings.ToLower(name), secret) {
				words[i] = name + "=…"
			}
		}
	}
	return strings.Join(words, " ")
}
