package quanttest

import (
	"testing"

	"github.com/gotaichi/ti"
)

// An atomic load makes no cell active, is no store that is counted, and reads a number out of its word; an atomic store is like a store.
func TestAtomicLoads(t *testing.T) {
	const source = `package p
var A field[i32, D1]
var B field[f32, D1]
func Run() (n, m i32, s f32) {
	A[5] = 3
	for i := range 64 { s += f32(atomicLoad(&A[i])) }
	for range A { n++ }
	for i := range 8 { atomicStore(&A[i], i) }
	for range A { m++ }
	for i := range 64 { atomicStore(&B[i], f32(i)/8) }
	for i := range 64 { s += atomicLoad(&B[63-i]) }
	return
}`
	for _, cfg := range []ti.Config{{Arch: ti.Oracle}, {Threads: 1}, {Threads: 2}, {Threads: 2, Debug: true}, {Arch: ti.Oracle, Debug: true}} {
		for name, cells := range map[string]int32{"pointer": 8, "bitmasked": 1} {
			rt := newRuntime(t, cfg)
			var h struct {
				A   ti.Field[int32]
				B   ti.Field[float32]
				Run func() (int32, int32, float32, error)
			}
			if name == "pointer" {
				rt.NewTree().Pointer(ti.I, 8).Dense(ti.I, 8).Place(&h.A)
			} else {
				rt.NewTree().Hash(ti.I, 8).Bitmasked(ti.I, 8).Place(&h.A)
			}
			rt.NewTree().Dense(ti.I, 64).BitStruct(16).Place(&h.B, ti.QuantFixed(10, 32))
			if err := rt.Load(source, &h); err != nil {
				t.Fatal(err)
			}
			n, m, s, err := h.Run()
			if err != nil || n != cells || m != 8 || s != 3+63*64/16 {
				t.Errorf("%+v, %s: %d, %d, %v, %v", cfg, name, n, m, s, err)
			}
		}
	}
}
