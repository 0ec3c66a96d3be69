package memory

import (
	"os"
	"runtime"
	"runtime/debug"
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

// TestGuard has accesses fault that are not allowed.
func TestGuard(t *testing.T) {
	if runtime.GOOS == "js" {
		t.Skip("there are no pages")
	}
	r, err := Reserve(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Free() }()
	page := int64(os.Getpagesize())
	fault := func(f func()) (did bool) {
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
		defer func() { did = recover() != nil }()
		f()
		return false
	}
	var sum byte
	mem := r.Bytes()
	for _, k := range []struct {
		allowed       Access
		reads, writes bool
	}{{Nothing, false, false}, {Reads, true, false}, {All, true, true}} {
		if err := r.Guard(page, page, k.allowed); err != nil {
			t.Fatal(err)
		}
		if got := fault(func() { sum += mem[page] }); got == k.reads {
			t.Errorf("with %d a read faults: %t", k.allowed, got)
		}
		if got := fault(func() { mem[2*page-1] = 1 }); got == k.writes {
			t.Errorf("with %d a write faults: %t", k.allowed, got)
		}
		mem[0], mem[2*page] = sum, 1
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
