package record

import (
	"encoding/json"
	"testing"
)

// BenchmarkRecord reads and writes the call in either form; benchstat -col /form compares.
// What reads or writes both messages says so in its name.
func BenchmarkRecord(b *testing.B) {
	all := vectors(b)
	zapRequest, zapResponse := unhex(b, all["typed_req_sample"].Hex), unhex(b, all["typed_resp_sample"].Hex)
	jsonRequest, jsonResponse := unhex(b, all["json_req_sample"].Hex), unhex(b, all["json_resp_sample"].Hex)
	var request Request
	var response Response
	var request2 JSONRequest
	var response2 JSONResponse
	if err := json.Unmarshal(jsonRequest, &request2); err != nil {
		b.Fatal(err)
	}
	if err := json.Unmarshal(jsonResponse, &response2); err != nil {
		b.Fatal(err)
	}
	if err := request.ParseZAP(zapRequest); err != nil {
		b.Fatal(err)
	}
	if err := response.ParseZAP(zapResponse); err != nil {
		b.Fatal(err)
	}
	var buf []byte
	var err error
	run := func(name string, op func() error) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := op(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	run("op=read-request/form=zap", func() error { return request.ParseZAP(zapRequest) })
	run("op=read-request/form=json", func() error { return json.Unmarshal(jsonRequest, &request2) })
	run("op=read-both/form=zap", func() error {
		if err := request.ParseZAP(zapRequest); err != nil {
			return err
		}
		return response.ParseZAP(zapResponse)
	})
	run("op=read-both/form=json", func() error {
		if err := json.Unmarshal(jsonRequest, &request2); err != nil {
			return err
		}
		return json.Unmarshal(jsonResponse, &response2)
	})
	run("op=write-both/form=zap", func() error {
		if buf, err = request.AppendZAP(buf[:0]); err != nil {
			return err
		}
		buf, err = response.AppendZAP(buf[:0])
		return err
	})
	run("op=write-both/form=json", func() error {
		if buf, err = json.Marshal(&request2); err != nil {
			return err
		}
		buf, err = json.Marshal(&response2)
		return err
	})
	run("op=answer/form=zap", func() error { buf, err = AnswerZAP(buf[:0], zapRequest); return err })
	run("op=answer/form=json", func() error { buf, err = AnswerJSON(buf[:0], jsonRequest); return err })
}
