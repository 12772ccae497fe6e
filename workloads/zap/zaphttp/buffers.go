package zaphttp

import (
	"math/bits"
	"sync"
)

const (
	// firstStep is the most that is held on the word of a length.
	firstStep = 128 << 10
	// growth is how much larger than what has arrived a buffer may be, beyond firstStep.
	growth = 4
	// largest is the binary logarithm of the largest buffer: a frame and its prefix take
	// more than maxFrame.
	largest = 27
)

// buffers keeps large buffers between frames, by the binary logarithm of their size. What is
// not used for two collections goes.
var buffers [largest + 1]sync.Pool

// getBuffer returns a buffer of at least so many bytes, with anything in it.
func getBuffer(size int) *[]byte {
	class := bits.Len(uint(size - 1))
	if b, ok := buffers[class].Get().(*[]byte); ok {
		return b
	}
	b := make([]byte, 1<<class)
	return &b
}

// putBuffer gives a buffer back, which nobody may look at any more.
func putBuffer(b *[]byte) { buffers[bits.Len(uint(len(*b)-1))].Put(b) }
