package memory

import "testing"

// TestArena takes regions from an arena until there is no room, and gives them back.
func TestArena(t *testing.T) {
	a, err := NewArena(4)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := a.Free(); err != nil {
			t.Error(err)
		}
	}()
	var regions []*Region
	for _, n := range []int64{1, 5 << 30, 100} {
		r, err := a.Reserve(n)
		if err != nil {
			t.Fatal(err)
		}
		at := uintptr(r.Base())
		if r.Len() < n || int64(at)%ArenaUnit != 0 || at < a.Base() || at >= a.Base()+uintptr(int64(a.Units())*ArenaUnit) {
			t.Errorf("%d bytes: %d at %x in an arena at %x", n, r.Len(), at, a.Base())
		}
		r.Bytes()[n-1] = 7
		regions = append(regions, r)
	}
	if _, err := a.Reserve(1); err == nil {
		t.Error("a fifth unit of four")
	}
	if err := regions[1].Free(); err != nil {
		t.Fatal(err)
	}
	r, err := a.Reserve(6 << 30)
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Bytes()[5<<30-1]; got != 0 {
		t.Errorf("memory that was used before has %d", got)
	}
	if _, err := a.Reserve(1 << 60); err == nil {
		t.Error("a region larger than the arena")
	}
}

// TestArenaFreedEarly: an arena that is freed before its regions leaves them, and ends with the last of them.
func TestArenaFreedEarly(t *testing.T) {
	a, err := NewArena(2)
	if err != nil {
		t.Fatal(err)
	}
	var regions []*Region
	for range 2 {
		r, err := a.Reserve(100)
		if err != nil {
			t.Fatal(err)
		}
		regions = append(regions, r)
	}
	if err := a.Free(); err != nil {
		t.Fatal(err)
	}
	for _, r := range regions {
		if a.all.free == nil {
			t.Error("the address space is gone before its regions")
		}
		r.Bytes()[99] = 1
		if err := r.Free(); err != nil {
			t.Error(err)
		}
	}
	if a.all.free != nil {
		t.Error("the address space stays when its last region is gone")
	}
}
