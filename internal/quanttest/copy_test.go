package quanttest

import (
	"bytes"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/gotaichi/ti"
)

// A mixed element has numbers in words and plain ones, and room between them.
type mixed struct {
	A int16
	B [3]float32
	C bool
	D float64
	E uint64
}

// copies moves all elements of a field by its bulk methods, and compares them with one by one.
func copies[T comparable](t *testing.T, name string, f *ti.Field[T], number func(r *rand.Rand) T) {
	t.Helper()
	r := rand.New(rand.NewPCG(5, 6))
	n := 1
	for _, e := range f.Shape() {
		n *= e
	}
	src, each, got := make([]T, n), make([]T, n), make([]T, n)
	eachIndex := func(f func(i int, idx []int)) func(shape, origin ti.Shape) {
		return func(shape, origin ti.Shape) {
			idx := slices.Clone([]int(origin))
			for i := range n {
				f(i, idx)
				for k := len(idx) - 1; k >= 0; k-- {
					if idx[k]++; idx[k] < origin[k]+shape[k] {
						break
					}
					idx[k] = origin[k]
				}
			}
		}
	}
	for i := range src {
		src[i] = number(r)
	}
	eachIndex(func(i int, idx []int) { f.Set(src[i], idx...) })(f.Shape(), f.Origin())
	eachIndex(func(i int, idx []int) { each[i] = f.At(idx...) })(f.Shape(), f.Origin())
	same := func(what string) {
		t.Helper()
		clear(got)
		if err := f.CopyTo(got); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for i := range got {
			if got[i] != each[i] {
				t.Fatalf("%s, %s: element %d is %v, and At has %v", name, what, i, got[i], each[i])
			}
		}
	}
	same("CopyTo")
	var stream bytes.Buffer
	if _, err := f.WriteTo(&stream); err != nil {
		t.Fatal(err)
	}
	written := bytes.Clone(stream.Bytes())
	var zero T
	f.Fill(zero)
	if err := f.CopyTo(got); err != nil || !slices.Equal(got, make([]T, n)) {
		t.Fatalf("%s: filled with zero, %v", name, err)
	}
	if err := f.CopyFrom(src); err != nil {
		t.Fatal(err)
	}
	same("CopyFrom")
	f.Fill(zero)
	stream.WriteString("behind")
	if k, err := f.ReadFrom(&stream); err != nil || k != int64(len(written)) || stream.String() != "behind" {
		t.Fatalf("%s: %d bytes of %d, %v, left %q", name, k, len(written), err, stream.String())
	}
	same("ReadFrom")
	if k, err := f.ReadFrom(bytes.NewReader(written[:len(written)-1])); !errors.Is(err, io.ErrUnexpectedEOF) || k != int64(len(written)-1) {
		t.Errorf("%s: a short stream: %d, %v", name, k, err)
	}
	f.Fill(src[0])
	for i := range each {
		each[i] = f.At(f.Origin()...)
	}
	same("Fill")
}

// inBothWays runs a test by the loops of Go and by kernels, and checks that these are made.
func inBothWays(t *testing.T, test func(t *testing.T, rt *ti.Runtime)) {
	t.Run("Go", func(t *testing.T) {
		rt := newRuntime(t, ti.Config{})
		test(t, rt)
		if s := rt.Stats(); s.Compiled+s.CacheHits > 0 {
			t.Errorf("fields of a few numbers are copied by %d kernels", s.Compiled+s.CacheHits)
		}
	})
	t.Run("kernels", func(t *testing.T) {
		t.Setenv("TI_COPY_FROM", "1")
		rt := newRuntime(t, ti.Config{})
		test(t, rt)
		s := rt.Stats()
		if s.Compiled+s.CacheHits == 0 && rt.Device().Arch != ti.Oracle {
			t.Error("no field is copied by a kernel")
		}
		if s.Launches+s.Tasks > 0 {
			t.Errorf("copies are told as %d launches of %d tasks", s.Launches, s.Tasks)
		}
	})
}

// TestCopies moves fields in words of every kind and layout.
func TestCopies(t *testing.T) { inBothWays(t, testCopies) }

func testCopies(t *testing.T, rt *ti.Runtime) {
	real := func(r *rand.Rand) float32 { return float32(r.NormFloat64() * 4) }
	vec := func(r *rand.Rand) ti.Vec3 { return ti.Vec3{real(r), real(r), real(r)} }
	whole := func(r *rand.Rand) int32 { return r.Int32N(64) - 32 }
	bit := func(r *rand.Rand) int32 { return r.Int32N(2) }

	var x, plain, other, tiles, shifted ti.Field[float32]
	var half ti.Field[ti.Float16]
	var v, shared, mates, loose ti.Field[ti.Vec3]
	var i, bits, odd, row, hot ti.Field[int32]
	var big ti.Field[uint64]
	var m ti.Field[mixed]
	n := rt.NewTree().Dense(ti.I, 3000)
	n.BitStruct(32).Place(&x, ti.QuantFixed(16, 8)).Place(&other, ti.QuantFloat(5, 11))
	n.Place(&plain)
	copies(t, "fixed", &x, real)
	copies(t, "float", &other, real)
	for _, q := range []ti.Quant{ti.QuantFixed(16, 8), ti.QuantFixed(32, 8), ti.QuantFixed(24, 8).Unsigned(), ti.QuantFloat(8, 24), ti.QuantFloat(8, 22), ti.QuantFloat(5, 11), ti.QuantFloat(6, 9).Unsigned(), ti.QuantFloat(3, 5)} {
		f := new(ti.Field[float32])
		rt.NewTree().Dense(ti.I, 1500).BitStruct(32).Place(f, q)
		copies(t, q.String(), f, func(r *rand.Rand) float32 {
			if r.IntN(8) == 0 { // any bits but those of NaNs
				if v := math.Float32frombits(r.Uint32()); v == v {
					return v
				}
			}
			return real(r) * float32(math.Ldexp(1, r.IntN(24)-12))
		})
		f.Set(float32(math.NaN()), 0)
		if f.Fill(float32(math.NaN())); f.At(7) != 0 {
			t.Errorf("%v: NaN is filled in as %v", q, f.At(7))
		}
	}
	rt.NewTree().Dense(ti.I, 7).Dense(ti.I, 48).BitStruct(16).Place(&half, ti.QuantFloat(5, 11))
	copies(t, "half", &half, func(r *rand.Rand) ti.Float16 { return ti.ToFloat16(real(r)) })
	rt.NewTree().Dense(ti.IJ, 5, 7).BitStruct(64).Place(&v, ti.QuantFixed(21, 8), ti.QuantFixed(20, 8), ti.QuantFixed(23, 32))
	copies(t, "vector", &v, vec)
	rt.NewTree().Dense(ti.IJ, 4, 4).Dense(ti.JI, 8, 16).BitStruct(64).PlaceShared(ti.QuantFloat(6, 19), &shared)
	copies(t, "shared", &shared, vec)
	rt.NewTree().Dense(ti.I, 100).BitStruct(64).PlaceShared(ti.QuantFloat(5, 9), &mates, &loose)
	copies(t, "of a larger group", &mates, vec)
	rt.NewTree().Dense(ti.IJ, 6, 5).Dense(ti.IJ, 4, 4).BitStruct(8).Place(&i, ti.QuantInt(6))
	copies(t, "tiles", &i, whole)
	rt.NewTree().Dense(ti.IJ, 40, 50).BitArray(32, ti.J, 32).Place(&bits, ti.QuantInt(1).Unsigned())
	copies(t, "bits", &bits, bit)
	rt.NewTree().Dense(ti.IJ, 8, 5).Dense(ti.IJ, 4, 7).BitArray(32, ti.IJ, 2, 5).Place(&odd, ti.QuantInt(3))
	copies(t, "odd bits", &odd, func(r *rand.Rand) int32 { return r.Int32N(8) - 4 })
	rt.NewTree().Dense(ti.IJ, 8, 5).BitArray(64, ti.I, 16).Place(&row, ti.QuantInt(4))
	copies(t, "bits down a column", &row, func(r *rand.Rand) int32 { return r.Int32N(16) - 8 })
	rt.NewTree().Dense(ti.IJ, 6, 8).BitArray(64, ti.J, 3).Place(&tiles, ti.QuantFixed(21, 8))
	copies(t, "fixed in an array", &tiles, real)
	tree := rt.NewTree().Origin(ti.IJ, -5, 3)
	tree.Dense(ti.IJ, 5, 9).BitStruct(16).Place(&shifted, ti.QuantFixed(16, 8))
	copies(t, "from an origin", &shifted, real)
	rt.NewTree().Dense(ti.I, 10).BitStruct(64).Place(&big, ti.QuantInt(64).Unsigned())
	copies(t, "64 bits", &big, func(r *rand.Rand) uint64 { return r.Uint64() })
	rt.NewTree().Pointer(ti.I, 10).BitStruct(8).Place(&hot, ti.QuantInt(8))
	copies(t, "sparse", &hot, whole)

	node := rt.NewTree().Dense(ti.IJ, 3, 700)
	ms := ti.Members(&m)
	node.BitStruct(32).Place(ms[0], ti.QuantInt(9)).Place(ms[2], ti.QuantInt(1).Unsigned()).Place(ms[4], ti.QuantInt(20).Unsigned())
	node.BitStruct(64).PlaceShared(ti.QuantFloat(6, 19), ms[1])
	node.Place(ms[3])
	copies(t, "a struct", &m, func(r *rand.Rand) mixed {
		return mixed{int16(r.Int32N(512) - 256), [3]float32{real(r), real(r), real(r)}, r.IntN(2) > 0, math.Sqrt(r.Float64()), r.Uint64N(1 << 20)}
	})
}

// TestCopiesBeside copies a field while others set fields in the same words: nothing of theirs is lost.
func TestCopiesBeside(t *testing.T) { inBothWays(t, testCopiesBeside) }

func testCopiesBeside(t *testing.T, rt *ti.Runtime) {
	const n, turns = 64, 2000
	var a, b, c ti.Field[int32]
	rt.NewTree().Dense(ti.I, n).BitStruct(16).Place(&a, ti.QuantInt(7)).Place(&b, ti.QuantInt(4)).Place(&c, ti.QuantInt(5))
	a.Set(0, 0)
	var wg sync.WaitGroup
	wg.Go(func() {
		src := make([]int32, n)
		for k := range int32(turns) {
			for i := range src {
				src[i] = (k + int32(i)) % 50
			}
			if err := a.CopyFrom(src); err != nil {
				t.Error(err)
			}
		}
	})
	for i, f := range []*ti.Field[int32]{&b, &c} {
		wg.Go(func() {
			for k := range int32(turns * 4) {
				at := int(k) * (i + 1) % n
				if f.Set(k%8, at); f.At(at) != k%8 {
					t.Errorf("%d was set, and %d is there", k%8, f.At(at))
					return
				}
			}
		})
	}
	wg.Wait()
	for i := range n {
		if want := int32(turns-1+i) % 50; a.At(i) != want {
			t.Errorf("%d is %d, not %d", i, a.At(i), want)
		}
	}
}
