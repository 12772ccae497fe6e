package loader

import "testing"

// Indexes come out in their order, whatever was taken in between, also round the end.
func TestQueue(t *testing.T) {
	q := newQueue(3)
	in, out := int32(0), int32(0)
	for _, fill := range []int{1, 3, 2, 3, 0, 3} {
		for q.n < fill {
			q.push(in)
			in++
		}
		for q.n > fill/2 {
			if got := q.pop(); got != out {
				t.Fatalf("got %d, want %d", got, out)
			}
			out++
		}
	}
	if in-out != int32(q.n) {
		t.Errorf("%d pushed, %d popped, %d are left", in, out, q.n)
	}
}
