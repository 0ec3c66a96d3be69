package variant_test

import (
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

const sharedSource = `package p

var X, Y field[f32]

func Axpy(a f32) {
	for i := range X {
		Y[i] += a * X[i]
	}
}
`

type sharedHost struct {
	X, Y ti.Field[float32]
	Axpy func(a float32)
}

// loadShared places two fields of n elements each and loads the source for them.
func loadShared(t *testing.T, rt *ti.Runtime, n int) *sharedHost {
	t.Helper()
	s := &sharedHost{}
	rt.Place(ti.Shape{n}, &s.X, &s.Y)
	if err := rt.Load(sharedSource, s); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		s.X.Set(float32(i), i)
	}
	return s
}

// check runs the kernel a few times and looks at all that it writes.
func (s *sharedHost) check(t *testing.T, n int) {
	t.Helper()
	s.Y.Fill(1)
	s.Axpy(2)
	s.Axpy(1)
	for i := range n {
		if got, want := s.Y.At(i), 1+3*float32(i); got != want {
			t.Fatalf("of %d elements, Y[%d] is %v, want %v", n, i, got, want)
		}
	}
}

// TestSharedCode binds one source to several structs of the same form: the kernel
// is compiled once, and works on the fields of each.
func TestSharedCode(t *testing.T) {
	rt := titest.New(t, ti.Config{})
	var hosts []*sharedHost
	for range 3 {
		hosts = append(hosts, loadShared(t, rt, 1000))
	}
	for _, s := range hosts {
		s.check(t, 1000)
	}
	if got := rt.Stats().Compiled; got != 1 {
		t.Errorf("%d kernels compiled for three programs of one form, want 1", got)
	}
}

// TestSharedExtents binds one source to fields of many sizes: the first has code of
// its own, and the others share what is compiled for the second.
func TestSharedExtents(t *testing.T) {
	rt := titest.New(t, ti.Config{})
	for i, n := range []int{1000, 10, 1, 77, 1000, 4096, 3} {
		loadShared(t, rt, n).check(t, n)
		if got, want := rt.Stats().Compiled, int64(min(i+1, 2)); got != want {
			t.Errorf("with %d sizes, %d kernels compiled, want %d", i+1, got, want)
		}
	}
}

// TestSharedTemplate launches a kernel on fields of many sizes that it is given as
// arguments.
func TestSharedTemplate(t *testing.T) {
	rt := titest.New(t, ti.Config{})
	var s struct {
		Copy func(dst, src *ti.Field[int32])
	}
	if err := rt.Load("package p\n\nfunc Copy(dst, src field[i32, D2]) {\n\tfor p := range dst {\n\t\tdst[p] = src[p] + src.shape.x\n\t}\n}\n", &s); err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{4, 9, 5, 30} {
		var a, b ti.Field[int32]
		rt.Place(ti.Shape{n, n + 1}, &a)
		rt.Place(ti.Shape{n, n + 1}, &b)
		b.Set(7, n-1, n)
		s.Copy(&a, &b)
		if got := a.At(n-1, n); got != int32(7+n) {
			t.Errorf("%d: copied %d", n, got)
		}
	}
	if got := rt.Stats().Compiled; got != 2 {
		t.Errorf("%d kernels compiled for four sizes, want 2", got)
	}
}
