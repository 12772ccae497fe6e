package facts

import "testing"

// What a host's facts cost: they are read whenever a lab meets a host.
func BenchmarkRead(b *testing.B) {
	for b.Loop() {
		if _, err := Read(); err != nil {
			b.Fatal(err)
		}
	}
}
