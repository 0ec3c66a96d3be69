package memory

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"
)

func newWindow(t *testing.T) *Window {
	t.Helper()
	w, err := NewWindow()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Free(); err != nil {
			t.Error(err)
		}
	})
	return w
}

// TestWindow: the low 32 bits of an address tell the place in the window, and nothing lies where they are 0.
func TestWindow(t *testing.T) {
	w := newWindow(t)
	if at := uint64(w.arena.base); at<<32 != 0 {
		t.Errorf("a window at %#x", at)
	}
	r, err := w.Map(100)
	if err != nil {
		t.Fatal(err)
	}
	if at := uint32(uintptr(r.Base())); at < windowStart {
		t.Errorf("a region at %#x", at)
	}
	r.Bytes()[99] = 7
	if at := uint32(uintptr(r.Base())); w.Bytes()[at+99] != 7 {
		t.Error("the window has not what its region has")
	}
}

// TestWindowFull takes all there is: the error says what is left, and what was given back is there again.
func TestWindowFull(t *testing.T) {
	w := newWindow(t)
	all := w.Left()
	if _, err := w.Map(5 << 30); err == nil || !strings.Contains(err.Error(), "5 GiB") {
		t.Errorf("5 GiB: %v", err)
	}
	var regions []*Region
	for {
		r, err := w.Reserve(1 << 30)
		if err != nil {
			break
		}
		regions = append(regions, r)
	}
	if len(regions) != 3 {
		t.Fatalf("%d regions of 1 GiB", len(regions))
	}
	for _, i := range []int{1, 0, 2} {
		regions[i].Bytes()[1<<30-1] = 1
		if err := regions[i].Free(); err != nil {
			t.Fatal(err)
		}
	}
	if w.Left() != all || len(w.free) != 1 {
		t.Errorf("%d bytes of %d are left, in %d gaps", w.Left(), all, len(w.free))
	}
	r, err := w.Map(3 << 30)
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Bytes()[1<<30-1+(1<<20)]; got != 0 {
		t.Errorf("memory that was used before has %d", got)
	}
}

// TestWindowOverlap takes and gives back regions at random: none overlaps another one, all are zero.
func TestWindowOverlap(t *testing.T) {
	w := newWindow(t)
	rng := rand.New(rand.NewPCG(1, 2))
	var regions []*Region
	for i := range 2000 {
		if len(regions) > 0 && rng.IntN(2) == 0 {
			k := rng.IntN(len(regions))
			for _, at := range []int64{0, regions[k].Len() - 1} {
				if regions[k].Bytes()[at] != byte(regions[k].Len()>>12) {
					t.Fatal("a region has lost what was written to it")
				}
			}
			if err := regions[k].Free(); err != nil {
				t.Fatal(err)
			}
			regions = append(regions[:k], regions[k+1:]...)
			continue
		}
		r, err := w.Map(1 + rng.Int64N(1<<uint(8+i%15)))
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range []int64{0, r.Len() - 1} {
			if r.Bytes()[at] != 0 {
				t.Fatal("a new region is not zero")
			}
			r.Bytes()[at] = byte(r.Len() >> 12)
		}
		regions = append(regions, r)
	}
}

// TestWindowFreedEarly: a window that is freed before its regions leaves them, and ends with the last of them.
func TestWindowFreedEarly(t *testing.T) {
	w, err := NewWindow()
	if err != nil {
		t.Fatal(err)
	}
	r, err := w.Map(100)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Free(); err != nil {
		t.Fatal(err)
	}
	r.Bytes()[99] = 1
	if w.arena.all.free == nil {
		t.Error("the address space is gone before its region")
	}
	if err := r.Free(); err != nil || w.arena.all.free != nil {
		t.Errorf("the address space stays when its last region is gone, %v", err)
	}
}

// TestHeap: pieces are zero, share no line, and are used again.
func TestHeap(t *testing.T) {
	h := NewHeap(newWindow(t))
	holder := map[uintptr]int{}
	var all [][]uint64
	for i := range 500 {
		n := i * i % 20000
		words, err := h.Words(n)
		if err != nil || len(words) != n {
			t.Fatal(len(words), err)
		}
		for k := range words {
			if words[k] != 0 {
				t.Fatal("a word is not zero")
			}
			words[k] = uint64(i + 1)
			line := uintptr(unsafe.Pointer(&words[k])) / 64
			if who, taken := holder[line]; taken && who != i {
				t.Fatalf("pieces %d and %d share a line", who, i)
			}
			holder[line] = i
		}
		all = append(all, words)
	}
	left := h.window.Left()
	for _, words := range all {
		h.Drop(words)
	}
	for i := range 500 {
		words, err := h.Words(i * i % 20000)
		if err != nil || len(words) > 0 && (words[0] != 0 || words[len(words)-1] != 0) {
			t.Fatal("a piece that was used before is not zero", err)
		}
	}
	if h.window.Left() != left {
		t.Error("what was given back is not used again")
	}
	h.Close()
	h.Drop(all[1])
	if _, err := h.Words(1); err == nil {
		t.Error("a closed heap gives words")
	}
}
