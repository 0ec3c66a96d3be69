package ti_test

import (
	"testing"

	ti "github.com/gotaichi/ti"
)

// A ring is a host that leads back to itself.
type ring struct {
	*ring
	X    ti.Field[int32]
	Next *ring
}

// TestHostInCircle binds structs that hold pointers to themselves.
func TestHostInCircle(t *testing.T) {
	rt := newRuntime(t, ti.Config{})
	r := &ring{}
	r.ring, r.Next = r, r
	rt.Place(ti.Shape{4}, &r.X)
	if err := rt.Load("package p\nvar X field[i32]\nfunc F() { X[0] = 1 }", &struct {
		*ring
		F func()
	}{ring: r}); err != nil {
		t.Errorf("embedded in itself: %v", err)
	}
	err := rt.Load("package p\nvar R struct\nfunc F() { R.X[0] = 1 }", &struct {
		R *ring
		F func()
	}{R: r})
	if err == nil {
		t.Error("a bundle within itself was bound")
	}
}
