package loader

// A queue holds the indexes of connections, first in, first out. Each connection is in it
// at most once, so that it never grows.
type queue struct {
	ring    []int32
	head, n int
}

// newQueue makes a queue of at most n connections.
func newQueue(n int) queue { return queue{ring: make([]int32, n)} }

func (q *queue) push(index int32) {
	q.ring[(q.head+q.n)%len(q.ring)] = index
	q.n++
}

func (q *queue) pop() int32 {
	index := q.ring[q.head]
	q.head = (q.head + 1) % len(q.ring)
	q.n--
	return index
}
