package quanttest

import (
	"errors"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
)

// quantSource works on fields that a test packs.
const quantSource = `
package q

var (
	X, V field[vec3]
	K    field[i32]
	S    field[f32]
	B    field[i32, D2]
)

func Move(dt f32) {
	for p := range X {
		v := V[p]
		v.y -= dt * 9.8
		V[p] = v
		X[p] += v * dt
		K[p] = i32(X[p].x * 3)
		S[p] = length(V[p]) // the rounded number
	}
}

func Scatter() {
	for p := range X {
		K[(p*7)%8] += 3
		S[(p*3)%8] -= 0.25
		X[(p*5)%8].z = f32(p)
	}
}

func Bits() {
	for i, j := range B {
		B[i][j] = i32((i*7+j*3)%5 == 0)
	}
}

func Count() i32 {
	n := i32(0)
	for i, j := range B {
		n += B[i][j]
	}
	return n
}
`

type quantHost struct {
	X, V    ti.Field[ti.Vec3]
	K       ti.Field[int32]
	S       ti.Field[float32]
	B       ti.Field[int32]
	Move    func(dt float32) error
	Scatter func() error
	Bits    func() error
	Count   func() (int32, error)
}

func newQuantHost(t *testing.T, cfg ti.Config) *quantHost {
	rt := newRuntime(t, cfg)
	h := &quantHost{}
	n := rt.NewTree().Dense(ti.I, 8)
	n.BitStruct(64).Place(&h.X, ti.QuantFixed(21, 8))
	n.BitStruct(64).PlaceShared(ti.QuantFloat(6, 15), &h.V).Place(&h.K, ti.QuantInt(7))
	n.BitStruct(16).Place(&h.S, ti.QuantFixed(11, 20))
	rt.NewTree().Dense(ti.IJ, 4, 2).BitArray(32, ti.J, 32).Place(&h.B, ti.QuantInt(1).Unsigned())
	if err := rt.Load(quantSource, h); err != nil {
		t.Fatal(err)
	}
	for p := range 8 {
		h.X.Set(ti.Vec3{float32(p), 0.3, -1}, p)
		h.V.Set(ti.Vec3{1, float32(p) / 3, 100}, p)
	}
	return h
}

// TestQuantKernels compares kernels on packed fields with the oracle.
func TestQuantKernels(t *testing.T) {
	for _, cfg := range []ti.Config{{}, {Threads: 4}, {Unchecked: true}, {Debug: true}} {
		oracle := newQuantHost(t, ti.Config{Arch: ti.Oracle})
		h := newQuantHost(t, cfg)
		for range 3 {
			for _, o := range []*quantHost{h, oracle} {
				for _, f := range []func() error{func() error { return o.Move(0.01) }, o.Scatter, o.Bits} {
					if err := f(); err != nil {
						t.Fatal(err)
					}
				}
			}
			n, err := h.Count()
			if m, err2 := oracle.Count(); n != m || err != nil || err2 != nil || n == 0 {
				t.Fatal(n, m, err, err2)
			}
			for p := range 8 {
				if h.X.At(p) != oracle.X.At(p) || h.V.At(p) != oracle.V.At(p) || h.K.At(p) != oracle.K.At(p) || h.S.At(p) != oracle.S.At(p) {
					t.Fatalf("%v: element %d: %v %v %v %v, not %v %v %v %v", cfg, p, h.X.At(p), h.V.At(p), h.K.At(p), h.S.At(p), oracle.X.At(p), oracle.V.At(p), oracle.K.At(p), oracle.S.At(p))
				}
			}
			for i, v := range oracle.B.All() {
				if h.B.At(i[0], i[1]) != v {
					t.Fatalf("bit %v", i[:2])
				}
			}
		}
	}
}

// TestOverflow checks that debug mode reports an integer that does not fit.
func TestOverflow(t *testing.T) {
	const source = "package o\n\nvar (\n\tK, W field[i32]\n\tF field[i64]\n)\n\nfunc Store(n i32) {\n\tfor p := range K {\n\t\tK[p] = n\n\t\tW[p] = n\n\t\tF[p] = 3\n\t}\n}\n\nfunc Add(n i32) {\n\tfor p := range K {\n\t\tK[p] += n\n\t}\n}\n"
	for _, arch := range []ti.Arch{ti.LLVM, ti.Oracle} {
		rt := newRuntime(t, ti.Config{Arch: arch, Debug: true})
		var s struct {
			K, W       ti.Field[int32]
			F          ti.Field[int64]
			Store, Add func(n int32) error
		}
		rt.NewTree().Dense(ti.I, 4).BitStruct(64).Place(&s.K, ti.QuantInt(7)).Place(&s.W, ti.QuantInt(7).Wrap()).Place(&s.F, ti.QuantInt(3))
		if err := rt.Load(source, &s); err != nil {
			t.Fatal(err)
		}
		if err := s.Store(63); err != nil {
			t.Errorf("%v: %v", arch, err)
		}
		for name, err := range map[string]error{"a store": s.Store(64), "a sum": s.Add(1)} {
			if !errors.Is(err, ti.ErrOverflow) || !strings.Contains(err.Error(), "64 does not fit int(7)") {
				t.Errorf("%v: %s: %v", arch, name, err)
			}
		}
		if s.K.At(2) != 63 || s.W.At(2) != -64 {
			t.Errorf("%v: %d and %d are stored", arch, s.K.At(2), s.W.At(2))
		}
	}
}
