package provider

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/blang/semver"
	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/integration"
)

// TestSchemaIsFresh compares the schema that the SDK was generated from with the one of
// this code.
func TestSchemaIsFresh(t *testing.T) {
	plugin, err := New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	server, err := integration.NewServer(t.Context(), Name, semver.MustParse(Version), integration.WithProvider(plugin))
	if err != nil {
		t.Fatal(err)
	}
	live, err := server.GetSchema(p.GetSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	stored, err := os.ReadFile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(canonical(t, []byte(live.Schema)), canonical(t, stored)) {
		t.Error("schema.json is not the schema of this code: run `make generate`")
	}
}

func canonical(t *testing.T, text []byte) []byte {
	t.Helper()
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
