package zaphttp

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

// read reads a header block by itself.
func read(c *Codec, b []byte) ([]Field, error) {
	text := make([]byte, 0, len(b))
	k := block{codec: c, left: defaultFields}
	err := k.read(b, &text)
	return k.fields, err
}

func TestJSONRead(t *testing.T) {
	c := &Codec{Dialect: JSON}
	for block, want := range map[string]string{
		``:                                  "",
		`{}`:                                "",
		" {\r\n\t} ":                        "",
		`{"A":[]}`:                          "",
		`{"A":["b"]}`:                       "A=b",
		` { "A" : [ "b" , "c" ] } `:         "A=b A=c",
		`{"A":["b"],"C":["d"],"A":["e"]}`:   "A=b C=d A=e",
		`{"A":["\"\\\/\u003C\u003e"]}`:      `A="\/<>`,
		`{"A":["x\ty","\u00e9","→"]}`:       "A=x\ty A=é A=→",
		`{"A":["\ud83d\ude00"]}`:            "A=😀",
		`{"A":["\ud83d","\ud83dx"]}`:        "A=\ufffd A=\ufffdx",
		`{"A":["\ud83d\u0041"]}`:            "A=\ufffdA",
		`{"A":["\ud83d\uzzzz"]}`:            "!is not {",
		`{"\u0041":["plain","esc\\aped"]}`:  `A=plain A=esc\aped`,
		`{"A":["\n"]}`:                      "!field A: control character",
		`{"A":["\r","x"]}`:                  "!field A: control character",
		`{"A":["\b"]}`:                      "!field A: control character",
		`{"A":["\f"]}`:                      "!field A: control character",
		`{"A b":["x"]}`:                     "!field name",
		`{"":["x"]}`:                        "!field name",
		`{"A":["x` + "\n" + `"]}`:           "!at byte 7",
		`{"A":["\\` + "\n" + `"]}`:          "!is not {",
		`{"A":["b"]} x`:                     "!at byte 12",
		`{"A":["b"],}`:                      "!is not {",
		`{"A":["b",]}`:                      "!is not {",
		`{"A":["b" "c"]}`:                   "!is not {",
		`{"A":["b"] "C":["d"]}`:             "!is not {",
		`{"A":"b"}`:                         "!is not {",
		`{"A" ["b"]}`:                       "!is not {",
		`{"A":[1]}`:                         "!is not {",
		`{"A":["b`:                          "!is not {",
		`{"A":["\`:                          "!is not {",
		`{"A":["\x"]}`:                      "!is not {",
		`{"A":["\u00"]}`:                    "!is not {",
		`{"A":["\u004g"]}`:                  "!is not {",
		`{"A":["\u004`:                      "!is not {",
		`{"A":["\"`:                         "!is not {",
		`["A"]`:                             "!at byte 0",
		"{\"A\":[\"caf\xe9\"]}":             "!is not UTF-8",
		"\x01\x00\x00\x00\x01\x00\x00\x00A": "!is not {",
		`{"Host":["a"],"host":["b"]}`:       "!a second Host",
	} {
		fields, err := read(c, []byte(block))
		if failure, ok := strings.CutPrefix(want, "!"); ok {
			if !errors.Is(err, ErrMalformed) || !strings.Contains(err.Error(), failure) {
				t.Errorf("%q: fields %q, error %v, want %q in it", block, fields, err, failure)
			}
			continue
		}
		var got []string
		for _, f := range fields {
			got = append(got, string(f.Name)+"="+string(f.Value))
		}
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%q: fields %q, %v, want %q", block, got, err, want)
		}
	}
}

// marshal is the block as encoding/json has it.
func marshal(t *testing.T, fields []Field) string {
	t.Helper()
	byName := map[string][]string{}
	for _, f := range fields {
		byName[string(f.Name)] = append(byName[string(f.Name)], string(f.Value))
	}
	text, err := json.Marshal(byName)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// FuzzJSON writes fields and compares with encoding/json.
func FuzzJSON(f *testing.F) {
	f.Add("Accept", "*/*", "X-Multi", "one", "X-Multi", "<b>&\"quoted\"\\</b>")
	f.Add("a&b", "caf\xe9", "A", "h\u00e9llo \u2192 \u4e16\u754c", "B", "\u2028\u2029\ufffd\t")
	f.Fuzz(func(t *testing.T, n1, v1, n2, v2, n3, v3 string) {
		c := &Codec{Dialect: JSON}
		fields := []Field{field(n1, v1), field(n2, v2), field(n3, v3)}
		for i := range fields {
			if checkField(fields[i].Name, fields[i].Value) != nil || specialName(fields[i].Name) != ordinary {
				return
			}
		}
		got := c.appendJSON(nil, fields, 0)
		if want := marshal(t, fields); string(got) != want {
			t.Errorf("wrote %s, want %s", got, want)
		}
		back, err := read(c, got)
		if err != nil {
			t.Fatal(err)
		}
		wantFields(t, JSON, back, fields)
	})
}

// FuzzFields reads any bytes as a header block of each dialect. What could be read can be
// written, and reads the same again; encoding/json agrees about JSON.
func FuzzFields(f *testing.F) {
	f.Add(pairs(field("Host", "a"), field("X", "y"), field("X", "")))
	f.Add(pairs(field("Content-Length", "1"), field("Trailer", "X"))[:30])
	f.Add([]byte(`{"A":["b","\u003c\ud83d\ude00\t"],"Content-Length":["1"]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, c := range []*Codec{{}, {Dialect: JSON}} {
			fields, err := read(c, b)
			if err != nil {
				if !errors.Is(err, ErrMalformed) && !errors.Is(err, ErrTooLarge) {
					t.Errorf("error %v", err)
				}
				continue
			}
			if len(fields) > defaultFields {
				t.Errorf("%d fields", len(fields))
			}
			var sent []Field
			for i := range fields {
				if err := checkField(fields[i].Name, fields[i].Value); err != nil {
					t.Errorf("read %q: %v", fields[i], err)
				}
				if c.sent(fields[i].Name) {
					sent = append(sent, fields[i])
				}
			}
			var again []byte
			if c.Dialect == JSON {
				if len(b) > 0 && !json.Valid(b) {
					t.Errorf("read %q, which is no JSON", b)
				}
				again = c.appendJSON(nil, fields, 0)
			} else {
				again = c.appendPairs(nil, fields, 0)
			}
			back, err := read(c, again)
			if err != nil {
				t.Fatal(err)
			}
			wantFields(t, c.Dialect, back, sent)
		}
	})
}
