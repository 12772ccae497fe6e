package record

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

// A vector is a record as another program has written it.
type vector struct {
	Name   string `json:"name"`
	Kind   string `json:"kind"`
	Inputs struct {
		ID        number `json:"id"`
		Block     number `json:"block"`
		Method    string `json:"method"`
		Account   string `json:"account_hex"`
		Balance   number `json:"balance"`
		Nonce     number `json:"nonce"`
		BlockHash string `json:"blockHash_hex"`
	} `json:"inputs"`
	Hex string `json:"hex"`
}

// number is one of 64 bits, which JSON has in quotes where it is large.
type number uint64

func (n *number) UnmarshalJSON(text []byte) error {
	v, err := strconv.ParseUint(strings.Trim(string(text), `"`), 10, 64)
	*n = number(v)
	return err
}

func vectors(t testing.TB) map[string]vector {
	t.Helper()
	text, err := os.ReadFile("testdata/golden.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []vector
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	byName := map[string]vector{}
	for _, v := range all {
		byName[v.Name] = v
	}
	return byName
}

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	if len(b) == 0 {
		return nil
	}
	return b
}

func TestGolden(t *testing.T) {
	count := 0
	for _, v := range vectors(t) {
		wire, in := unhex(t, v.Hex), v.Inputs
		var got []byte
		var back, sent any
		var err, failed error
		switch v.Kind {
		case "typed-request":
			r := Request{uint64(in.ID), uint64(in.Block), []byte(in.Method), unhex(t, in.Account)}
			if in.Method == "" {
				r.Method = nil
			}
			var read Request
			got, err = r.AppendZAP(nil)
			failed = read.ParseZAP(wire)
			back, sent = read, r
		case "typed-response":
			r := Response{uint64(in.ID), uint64(in.Balance), uint64(in.Nonce), unhex(t, in.BlockHash)}
			var read Response
			got, err = r.AppendZAP(nil)
			failed = read.ParseZAP(wire)
			back, sent = read, r
		default:
			continue
		}
		count++
		if err != nil || !bytes.Equal(got, wire) {
			t.Errorf("%s: wrote\n% x, %v, want\n% x", v.Name, got, err, wire)
		}
		if failed != nil || !reflect.DeepEqual(back, sent) {
			t.Errorf("%s: read %+v, %v, want %+v", v.Name, back, failed, sent)
		}
	}
	if count != 10 {
		t.Errorf("%d vectors, want 10", count)
	}
}

func TestGoldenJSON(t *testing.T) {
	all := vectors(t)
	request := JSONRequest{"eth_getBalance", "0xdeadbeef00112233445566778899aabbccddeeff", 68943, 1}
	response := JSONResponse{1, balance, nonce, jsonHash}
	for name, value := range map[string]any{"json_req_sample": request, "json_resp_sample": response} {
		text, err := json.Marshal(value)
		if want := unhex(t, all[name].Hex); err != nil || !bytes.Equal(text, want) {
			t.Errorf("%s, %v, want %s", text, err, want)
		}
	}
}

func TestAnswers(t *testing.T) {
	all := vectors(t)
	for _, test := range []struct {
		answer            func(dst, request []byte) ([]byte, error)
		request, response string
	}{
		{AnswerZAP, "typed_req_sample", "typed_resp_server_compute_zap"},
		{AnswerJSON, "json_req_sample", "json_resp_server_compute"},
	} {
		request, want := unhex(t, all[test.request].Hex), unhex(t, all[test.response].Hex)
		got, err := test.answer([]byte("before"), request)
		if err != nil || string(got[:6]) != "before" || !bytes.Equal(got[6:], want) {
			t.Errorf("%s: %q, %v, want %q", test.request, got, err, want)
		}
		if got, err := test.answer(nil, request[:len(request)-1]); err == nil || len(got) > 0 {
			t.Errorf("%s cut short: %q, no error", test.request, got)
		}
	}
	// Nothing in it is nothing to fold.
	empty, err := (&Request{ID: 7}).AppendZAP(nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := AnswerZAP(nil, empty)
	if err != nil {
		t.Fatal(err)
	}
	var r Response
	if err := r.ParseZAP(answer); err != nil || r.ID != 7 || r.Balance != balance {
		t.Errorf("%+v, %v", r, err)
	}
}

// Every place at which a message can be cut or its lengths can lie is an error.
func TestDamaged(t *testing.T) {
	wire := unhex(t, vectors(t)["typed_req_sample"].Hex)
	for i := range wire {
		if err := new(Request).ParseZAP(wire[:i]); err == nil {
			t.Errorf("cut to %d bytes: no error", i)
		}
	}
	for _, at := range []int{35, 39, 43, 47} { // the upper bytes of the slots
		damaged := bytes.Clone(wire)
		damaged[at] = 1
		if err := new(Request).ParseZAP(damaged); err == nil {
			t.Errorf("byte %d damaged: no error", at)
		}
	}
	response := unhex(t, vectors(t)["typed_resp_sample"].Hex)
	response[43] = 1
	if err := new(Response).ParseZAP(response); err == nil {
		t.Error("hash past the end: no error")
	}
}

func TestNoAllocation(t *testing.T) {
	wire := unhex(t, vectors(t)["typed_req_sample"].Hex)
	var request Request
	var response Response
	buf := make([]byte, 0, 256)
	n := testing.AllocsPerRun(1000, func() {
		if err := request.ParseZAP(wire); err != nil {
			t.Fatal(err)
		}
		if _, err := request.AppendZAP(buf); err != nil {
			t.Fatal(err)
		}
		out, err := AnswerZAP(buf, wire)
		if err != nil {
			t.Fatal(err)
		}
		if err := response.ParseZAP(out); err != nil {
			t.Fatal(err)
		}
	})
	if n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}
