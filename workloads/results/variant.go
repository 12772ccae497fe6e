package results

// Variant is one of the settings that a benchmark measures in turn.
type Variant struct {
	// Name is Untuned or Tuned where the tuning is compared, else the name of the server.
	Name string `json:"name" pulumi:"name"`
	// Targets are the URLs of the requests, one for each address of the server.
	Targets []string `json:"targets" pulumi:"targets"`
	// Untuned says that the hosts had their originals back.
	Untuned bool `json:"untuned" pulumi:"untuned"`
}

// Names of the variants of a benchmark that compares the tuning.
const (
	// Tuned is what the lab file asks for.
	Tuned = "tuned"
	// Untuned is what the hosts had before.
	Untuned = "untuned"
)

// Trial is one loader run of a benchmark.
type Trial struct {
	// Round counts from 1.
	Round       int    `json:"round" pulumi:"round"`
	Connections int    `json:"connections" pulumi:"connections"`
	Variant     string `json:"variant" pulumi:"variant"`
	Figures
}
