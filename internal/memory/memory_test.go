package memory

import (
	"testing"
	"unsafe"
)

func TestMap(t *testing.T) {
	if _, err := Map(-1); err == nil {
		t.Error("a negative size was mapped")
	}
	for _, n := range []int64{0, 1, 4096, 10 << 20, 64 << 30} {
		r, err := Map(n)
		if err != nil {
			t.Fatal(err)
		}
		if r.Len() < n || uintptr(r.Base())%4096 != 0 {
			t.Errorf("%d bytes: got %d at %p", n, r.Len(), r.Base())
		}
		*(*byte)(unsafe.Add(r.Base(), max(n-1, 0))) = 1
		if err := r.Free(); err != nil {
			t.Error(err)
		}
	}
}

// TestDiscard gives pages back and finds zeroes there, and the rest as it was.
func TestDiscard(t *testing.T) {
	r, err := Reserve(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Free() }()
	mem := r.Bytes()
	for i := range mem {
		mem[i] = 7
	}
	gone := r.Discard(1, 1<<19)
	if gone < 1<<18 || gone >= 1<<19 {
		t.Errorf("%d bytes given back", gone)
	}
	zero := int64(0)
	for _, b := range mem {
		if b == 0 {
			zero++
		}
	}
	if zero != gone || mem[0] != 7 || mem[1<<19] != 7 {
		t.Errorf("%d bytes are zero after %d were given back", zero, gone)
	}
	if r.Discard(1, 100) != 0 {
		t.Error("part of a page was given back")
	}
}
