package provider

import (
	"context"
	"maps"
	"strings"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// withReplacement completes infer's comparison of old and new inputs with what holds
// for every resource here: it lives on a machine, so another machine is another
// resource; and what is replaced is deleted first, for a delete that came later would
// undo what the new one has set. What a benchmark's hosts should be changes with the lock
// file, and nothing is to be done then.
func withReplacement(inner p.Provider) p.Provider {
	outer := inner
	outer.Diff = func(ctx context.Context, r p.DiffRequest) (p.DiffResponse, error) {
		d, err := inner.Diff(ctx, r)
		if err != nil || !d.HasChanges {
			return d, err
		}
		if d.DetailedDiff != nil {
			maps.DeleteFunc(d.DetailedDiff, func(key string, _ p.PropertyDiff) bool {
				return strings.HasPrefix(key, "serverIdentity") || strings.HasPrefix(key, "baselineIdentity") || strings.HasPrefix(key, "loaderIdentities")
			})
			if len(d.DetailedDiff) == 0 {
				return p.DiffResponse{}, nil
			}
		}
		for _, path := range [][]string{{"host", "machineId"}, {"loaders", "host", "machineId"}, {"server", "host", "machineId"}} {
			if known, changed := textChanged(r.OldInputs, r.Inputs, path...); known && changed {
				replace(&d, path[0]+"."+path[len(path)-1])
			}
		}
		// The unit of a server is named after its first address.
		if old, known := firstText(r.OldInputs.Get("listen")); known {
			if now, known := firstText(r.Inputs.Get("listen")); known && old != now {
				replace(&d, "listen[0]")
			}
		}
		d.DeleteBeforeReplace = true
		return d, nil
	}
	return outer
}

func replace(d *p.DiffResponse, key string) {
	d.DetailedDiff[key] = p.PropertyDiff{Kind: p.UpdateReplace, InputDiff: true}
}

// textChanged compares one text in two property maps; known is false unless both have it.
// Of a list on the way all items count.
func textChanged(old, new property.Map, path ...string) (known, changed bool) {
	a, okA := textAt(property.New(old), path...)
	b, okB := textAt(property.New(new), path...)
	return okA && okB, a != b
}

// firstText is the first element of a list of texts.
func firstText(list property.Value) (string, bool) {
	if !list.IsArray() || list.AsArray().Len() == 0 || !list.AsArray().Get(0).IsString() {
		return "", false
	}
	return list.AsArray().Get(0).AsString(), true
}

func textAt(v property.Value, path ...string) (string, bool) {
	switch {
	case v.IsArray():
		var texts []string
		for _, item := range v.AsArray().All {
			text, ok := textAt(item, path...)
			if !ok {
				return "", false
			}
			texts = append(texts, text)
		}
		return strings.Join(texts, "\n"), true
	case len(path) > 0 && v.IsMap():
		return textAt(v.AsMap().Get(path[0]), path[1:]...)
	case len(path) > 0 || !v.IsString():
		return "", false
	}
	return v.AsString(), true
}
