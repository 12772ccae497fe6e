package hosts

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"sync"
)

// localFiles are the files that a run brings to its hosts. The checksum of one and its
// compressed form are made once, however many hosts get it.
type localFiles struct {
	mu   sync.Mutex
	seen map[string]*localFile // by version
}

// localFile is one of them as it was when its version was.
type localFile struct {
	path string
	size int64
	// version changes when the file does.
	version string
	// sum is the SHA-256 in hex.
	sum func() (string, error)
	// chunks are gzip members of chunkSize bytes of the file each, the last one of what is
	// left. gzip -d takes any number of members for one file.
	chunks []func() ([]byte, error)
}

// chunkSize is large enough to compress as well as the whole, and small enough that the
// first host need not wait long for it.
const chunkSize = 1 << 20

func (f *localFiles) file(path string) (*localFile, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	l := &localFile{path: path, size: info.Size(), version: fmt.Sprint(path, info.Size(), info.ModTime().UnixNano())}
	f.mu.Lock()
	defer f.mu.Unlock()
	if known := f.seen[l.version]; known != nil {
		return known, nil
	}
	l.sum = sync.OnceValues(func() (string, error) { return SHA256(path) })
	for from := int64(0); from < l.size; from += chunkSize {
		l.chunks = append(l.chunks, sync.OnceValues(func() ([]byte, error) { return l.pack(from) }))
	}
	if f.seen == nil {
		f.seen = map[string]*localFile{}
	}
	f.seen[l.version] = l
	return l, nil
}

// from returns the compressed form of what stands in an offset's chunk from there on.
func (l *localFile) from(offset int64) ([]byte, error) {
	if offset%chunkSize == 0 && offset < l.size {
		return l.chunks[offset/chunkSize]()
	}
	return l.pack(offset)
}

// pack compresses from an offset to the end of its chunk.
func (l *localFile) pack(offset int64) ([]byte, error) {
	file, err := os.Open(l.path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	var packed bytes.Buffer
	// The line between is rarely faster than the weakest compression.
	w, err := gzip.NewWriterLevel(&packed, gzip.BestSpeed)
	if err != nil {
		return nil, err
	}
	if _, err := io.Copy(w, io.NewSectionReader(file, offset, l.end(offset)-offset)); err != nil {
		return nil, err
	}
	err = w.Close()
	return packed.Bytes(), err
}

// end is where an offset's chunk ends.
func (l *localFile) end(offset int64) int64 {
	return min(l.size, offset-offset%chunkSize+chunkSize)
}
