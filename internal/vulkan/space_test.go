package vulkan

import "testing"

// TestNoAddress: an address outside of all regions has no place in the device's memory.
func TestNoAddress(t *testing.T) {
	if got := (&space{}).address(1 << 40); got != 0 {
		t.Errorf("without regions: %x", got)
	}
	all, err := Devices()
	if err != nil {
		t.Skipf("no Vulkan device: %v", err)
	}
	a, err := load(loaderNames())
	if err != nil {
		t.Fatal(err)
	}
	d, err := a.open(all[0].Index)
	if err != nil {
		t.Fatal(err)
	}
	d.uses.Add(1)
	defer d.release()
	if d.fn[getHostPointerProperties] == 0 {
		t.Skipf("%s imports no memory of the host", d.name)
	}
	s := &space{d: d}
	r, err := s.Reserve(100)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Free() }()
	defer s.close()
	inside := uint64(uintptr(r.Base()))
	for _, host := range []uint64{0, uint64(s.arena.Base()) - 1, uint64(s.arena.Base()) + uint64(s.arena.Units())<<32, ^uint64(0)} {
		if got := s.address(host); got != 0 {
			t.Errorf("%x has the address %x", host, got)
		}
	}
	if s.address(inside+5) != s.address(inside)+5 || s.address(inside) == 0 {
		t.Errorf("%x has the address %x", inside, s.address(inside))
	}
}
