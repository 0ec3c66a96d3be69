package quanttest

import (
	"errors"
	"slices"
	"testing"

	"github.com/gotaichi/ti"
)

// TestOneFailure: an access out of range is one failure, however many accesses to words it takes.
func TestOneFailure(t *testing.T) {
	const source = `package f

var (
	K field[i32]
	V field[vec3]
	B field[i32]
)

func Exchange() {
	for i := range 8 {
		K[i*i%7 + 8*(i/7)] += 1
	}
}

func Store() {
	for i := range 8 {
		B[i*i%7 + 64*(i/7)] = 1
	}
}

func Or() {
	for i := range 8 {
		B[i*i%7 + 64*(i/7)] |= 1
	}
}

func Component() {
	for i := range 8 {
		V[i][i%3 + 3*(i/7)] = 2
	}
}
`
	for _, arch := range []ti.Arch{ti.Oracle, ti.LLVM} {
		rt := newRuntime(t, ti.Config{Arch: arch, Threads: 2})
		var s struct {
			K, B                           ti.Field[int32]
			V                              ti.Field[ti.Vec3]
			Exchange, Store, Or, Component func() error
		}
		n := rt.NewTree().Dense(ti.I, 8)
		n.BitStruct(16).Place(&s.K, ti.QuantInt(7))
		n.BitStruct(64).Place(&s.V, ti.QuantFixed(20, 8))
		rt.NewTree().Dense(ti.I, 2).BitArray(32, ti.I, 32).Place(&s.B, ti.QuantInt(1).Unsigned())
		if err := rt.Load(source, &s); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			name  string
			f     func() error
			field string
			index []int
		}{{"exchange", s.Exchange, "K", []int{8}}, {"store", s.Store, "B", []int{64}}, {"or", s.Or, "B", []int{64}}, {"component", s.Component, "V", []int{7, 4}}} {
			var e *ti.RuntimeError
			if err := c.f(); !errors.As(err, &e) || e.Count != 1 || e.Field != c.field || !slices.Equal(e.Index, c.index) {
				t.Errorf("%v: %s: %v", arch, c.name, err)
			}
		}
	}
}
