package record

// JSONRequest is the Request of JSON, in the order of its keys there.
type JSONRequest struct {
	Method string `json:"method"`
	// Account is "0x" and 40 hexadecimal digits.
	Account string `json:"account"`
	Block   uint64 `json:"block"`
	ID      uint64 `json:"id"`
}

// JSONResponse is the Response of JSON.
type JSONResponse struct {
	ID      uint64 `json:"id"`
	Balance uint64 `json:"balance"`
	Nonce   uint64 `json:"nonce"`
	// BlockHash is "0x" and 64 hexadecimal digits.
	BlockHash string `json:"blockHash"`
}
