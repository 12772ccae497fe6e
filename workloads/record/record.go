package record

import "github.com/hanzoai/benchlab/workloads/zap"

// Request asks for the balance of an account at a block. What is read into one is the
// message's own bytes.
type Request struct {
	ID, Block uint64
	Method    []byte
	// Account is 20 raw bytes.
	Account []byte
}

// Response is the answer.
type Response struct {
	ID, Balance, Nonce uint64
	// BlockHash is 32 raw bytes.
	BlockHash []byte
}

// Where the fields are in the root objects, which have 32 bytes each.
const (
	idAt      = 0
	blockAt   = 8
	methodAt  = 16
	accountAt = 24

	balanceAt = 8
	nonceAt   = 16
	hashAt    = 24

	fixedSize = 32
)

// rootOf is the root object of a message; request and response have the same size.
func rootOf(message []byte) (zap.Object, error) {
	m, err := zap.Parse(message)
	if err != nil {
		return zap.Object{}, err
	}
	return m.Root(fixedSize)
}

// AppendZAP writes the request as a message at the end of a buffer.
func (r *Request) AppendZAP(dst []byte) ([]byte, error) {
	b := zap.NewBuilder(dst)
	root := b.Object(fixedSize)
	b.PutUint64(root+idAt, r.ID)
	b.PutUint64(root+blockAt, r.Block)
	b.PutBytes(root+methodAt, r.Method)
	b.PutBytes(root+accountAt, r.Account)
	return b.Finish(root, zap.Version1, 0)
}

// ParseZAP reads the request from a message.
func (r *Request) ParseZAP(message []byte) error {
	root, err := rootOf(message)
	if err != nil {
		return err
	}
	if r.Method, err = root.Bytes(methodAt); err != nil {
		return err
	}
	if r.Account, err = root.Bytes(accountAt); err != nil {
		return err
	}
	r.ID, r.Block = root.Uint64(idAt), root.Uint64(blockAt)
	return nil
}

// AppendZAP writes the response as a message at the end of a buffer.
func (r *Response) AppendZAP(dst []byte) ([]byte, error) {
	b := zap.NewBuilder(dst)
	root := b.Object(fixedSize)
	b.PutUint64(root+idAt, r.ID)
	b.PutUint64(root+balanceAt, r.Balance)
	b.PutUint64(root+nonceAt, r.Nonce)
	b.PutBytes(root+hashAt, r.BlockHash)
	return b.Finish(root, zap.Version1, 0)
}

// ParseZAP reads the response from a message.
func (r *Response) ParseZAP(message []byte) error {
	root, err := rootOf(message)
	if err != nil {
		return err
	}
	if r.BlockHash, err = root.Bytes(hashAt); err != nil {
		return err
	}
	r.ID, r.Balance, r.Nonce = root.Uint64(idAt), root.Uint64(balanceAt), root.Uint64(nonceAt)
	return nil
}
