package device

import "testing"

// TestProcess keeps a value in an area of the process, whose addresses outlive its memory.
func TestProcess(t *testing.T) {
	a, err := Process{}.Allocate(100)
	if err != nil || !a.Shared() || a.Bytes() < 100 || int64(len(a.Host())) != a.Bytes() {
		t.Fatalf("%d bytes, %d for the host, %v", a.Bytes(), len(a.Host()), err)
	}
	host := a.Host()
	if err := a.Map(true); err != nil {
		t.Fatal(err)
	}
	host[99] = 7
	if err := a.Unmap(); err != nil || a.Host()[99] != 7 {
		t.Errorf("the last byte is %d, %v", a.Host()[99], err)
	}
	if err := a.Retire(); err != nil {
		t.Fatal(err)
	}
	host[99] = 8 // does not fault
	for range 2 {
		if err := a.Free(); err != nil {
			t.Error(err)
		}
	}
}
