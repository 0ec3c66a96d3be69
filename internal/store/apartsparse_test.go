package store_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
)

// A struct with members in a dense tree, with others in between, and members in a sparse
// one is read and written by the host as a whole.
func TestMembersDenseAndSparse(t *testing.T) {
	type particle struct {
		Pos  ti.Vec3
		Mass float32
		Vel  ti.Vec2
	}
	rt, err := ti.New(ti.Config{Arch: ti.Oracle})
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close()
	var p ti.Field[particle]
	m := ti.Members(&p)
	rt.Place(ti.Shape{40}, m[0])
	rt.NewTree().Pointer(ti.I, 10).Dense(ti.I, 4).Place(m[1], m[2])
	value := func(i int) particle {
		x := float32(i)
		return particle{ti.Vec3{x, x + 1, x + 2}, x + 3, ti.Vec2{x + 4, x + 5}}
	}
	for _, i := range []int{3, 17, 39} {
		p.Set(value(i), i)
	}
	var b bytes.Buffer
	if _, err := p.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	p.Fill(particle{})
	if _, err := p.ReadFrom(&b); err != nil {
		t.Fatal(err)
	}
	for i := range 40 {
		want := particle{}
		if i == 3 || i == 17 || i == 39 {
			want = value(i)
		}
		if got := p.At(i); got != want {
			t.Errorf("element %d is %v, want %v", i, got, want)
		}
	}
	for idx, got := range p.All() {
		if i := idx[0]; got != (particle{}) && got != value(i) {
			t.Errorf("element %d of all is %v", i, got)
		}
	}
}

// The first member decides which elements are active. If it is always active and another member is
// not, kernels cannot observe that.
func TestMembersDenseAndSparseInKernels(t *testing.T) {
	type pair struct{ A, B float32 }
	const src = `package p
type pair struct { A, B f32 }
var P field[pair, D1]
func F() (n i32) {
	P[3].A = 1
	P[3].B = 2
	P[3].B += P[3].A
	for range P {
		n++
	}
	return
}`
	for sparse := range 2 {
		rt, err := ti.New(ti.Config{})
		if err != nil {
			t.Fatal(err)
		}
		defer rt.Close()
		var s struct {
			P ti.Field[pair]
			F func() (int32, error)
		}
		m := ti.Members(&s.P)
		rt.NewTree().Dense(ti.I, 16).Place(m[1-sparse])
		rt.NewTree().Pointer(ti.I, 16).Place(m[sparse])
		err = rt.Load(src, &s)
		if sparse == 1 {
			var e *ti.SourceError
			if !errors.As(err, &e) || e.Code.String() != "TI0710" || !strings.Contains(e.Msg, "its first member in a dense tree and others in sparse ones") {
				t.Errorf("first member dense: %v", err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if n, err := s.F(); n != 1 || err != nil || s.P.At(3) != (pair{1, 3}) {
			t.Errorf("%d elements are active, element 3 is %v, error %v", n, s.P.At(3), err)
		}
	}
}
