package randtest

import (
	"runtime"
	"testing"
)

// What a fuzz target of a file format allows.
const (
	FileRoom  = 4 << 20  // bytes that the contents of a file may take
	mostAlloc = 32 << 20 // bytes that reading it may allocate in all, with copies and buffers
)

// Bounded calls f, which reads a file of at most [FileRoom] bytes of contents, and fails if it
// allocates much more.
func Bounded(t *testing.T, f func()) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > mostAlloc {
		t.Errorf("%d bytes were allocated", n)
	}
}
