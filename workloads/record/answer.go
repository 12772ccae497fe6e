package record

import (
	"encoding/json"
	"fmt"
)

// What every answer says.
const (
	balance = 1_000_000_000_000_000_000
	nonce   = 42
)

var (
	hash     = []byte("\x01\x23\x45\x67\x89\xab\xcd\xef\xfe\xdc\xba\x98\x76\x54\x32\x10\x0f\x1e\x2d\x3c\x4b\x5a\x69\x78\x87\x96\xa5\xb4\xc3\xd2\xe1\xf0")
	jsonHash = fmt.Sprintf("0x%x", hash)
)

// AnswerZAP reads a request and writes its response at the end of a buffer. The balance
// depends on every field, so that none can be left unread.
func AnswerZAP(dst, message []byte) ([]byte, error) {
	var request Request
	if err := request.ParseZAP(message); err != nil {
		return dst, err
	}
	response := Response{
		ID:        request.ID,
		Balance:   fold(request.Block, len(request.Method), len(request.Account)),
		Nonce:     nonce,
		BlockHash: hash,
	}
	if len(request.Account) > 0 {
		response.Balance ^= uint64(request.Account[0])
	}
	return response.AppendZAP(dst)
}

// AnswerJSON is AnswerZAP of JSON. The account is its text there, which is not converted: its
// length and first byte, and so the balance, are others.
func AnswerJSON(dst, text []byte) ([]byte, error) {
	var request JSONRequest
	if err := json.Unmarshal(text, &request); err != nil {
		return dst, fmt.Errorf("request: %w", err)
	}
	response := JSONResponse{
		ID:        request.ID,
		Balance:   fold(request.Block, len(request.Method), len(request.Account)),
		Nonce:     nonce,
		BlockHash: jsonHash,
	}
	if len(request.Account) > 0 {
		response.Balance ^= uint64(request.Account[0])
	}
	out, err := json.Marshal(&response)
	if err != nil {
		return dst, fmt.Errorf("response: %w", err)
	}
	return append(dst, out...), nil
}

func fold(block uint64, method, account int) uint64 {
	return balance ^ block ^ uint64(method) ^ uint64(account)
}
