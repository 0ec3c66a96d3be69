package llvm

import (
	"math"
	"sync"
	"testing"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/llvm"
)

// atomicCase is an atomic op on one place by several threads.
type atomicCase struct {
	kind ir.AtomicKind
	k    ir.Kind
	from float64 // the value of the place
	want float64 // after v = 1, 2, …, 1000 from each of four threads
}

func TestAtomics(t *testing.T) {
	n := 1000.0
	sum := 4 * n * (n + 1) / 2
	var cases []atomicCase
	for _, k := range []ir.Kind{ir.I32, ir.U64, ir.F32, ir.F64} {
		cases = append(cases,
			atomicCase{ir.AtomicAdd, k, 0, sum}, atomicCase{ir.AtomicSub, k, 1e7, 1e7 - sum},
			atomicCase{ir.AtomicMax, k, 5, n}, atomicCase{ir.AtomicMin, k, 5, 1},
		)
	}
	cases = append(cases, atomicCase{ir.AtomicXor, ir.I32, 3, 3}, atomicCase{ir.AtomicOr, ir.U8, 0, 255},
		atomicCase{ir.AtomicAnd, ir.I64, 7, 0}, atomicCase{ir.AtomicMax, ir.F64, math.NaN(), math.NaN()},
		atomicCase{ir.AtomicDiv, ir.I32, 1000, 0}, atomicCase{ir.AtomicMul, ir.I8, 1, 0})
	k := newKernel()
	for _, c := range cases {
		mapTask(k, 1000, []ir.Kind{c.k}, func(b *ir.Builder, v []*ir.Value) *ir.Value {
			o := ir.NewOp(ir.OpBase, ir.Pos{}, []ir.Type{ir.Scalar(ir.Ptr)})
			o.Aux = 2
			return b.Atomic(c.kind, b.Emit(o), v[0])
		})
	}
	k.Bases = make([]int, 3)
	everywhere(t, func(t *testing.T, l *llvm.Lib, level int) {
		m := build(t, l, k, level, false)
		for i, c := range cases {
			place, in := memory[uint64](1), memory[uint64](1000)
			bits := func(v float64) uint64 {
				if c.k.IsFloat() {
					return ir.FloatBits(c.k, v)
				}
				return ir.IntBits(c.k, int64(v))
			}
			raw := memory[byte](8000)
			for j := range in {
				for s := range c.k.Size() {
					raw[j*c.k.Size()+s] = byte(bits(float64(j+1)) >> (8 * s))
				}
			}
			place[0] = bits(c.from)
			var all sync.WaitGroup
			for range 4 {
				mine := *m
				out := memory[uint64](1000)
				mine.bases = []uint64{addr(raw), addr(out), addr(place)}
				all.Go(func() { mine.run(i, 0, 1000) })
			}
			all.Wait()
			mask := uint64(1)<<(8*c.k.Size()-1)<<1 - 1
			want := bits(c.want) & mask
			if got := place[0] & mask; got != want && !(c.want != c.want && ir.FloatValue(c.k, got) != ir.FloatValue(c.k, got)) {
				t.Errorf("atomic.%s of %s gives %#x, want %#x", c.kind, c.k, got, want)
			}
		}
	})
}

// TestAtomicOldValues checks what atomics return, and the forms that are not
// atomic.
func TestAtomicOldValues(t *testing.T) {
	for _, nonAtomic := range []ir.Flags{0, ir.NonAtomic} {
		k := newKernel()
		type row struct {
			kind     ir.AtomicKind
			k        ir.Kind
			from     uint64
			args     []uint64
			old, now uint64
		}
		f := func(v float32) uint64 { return uint64(math.Float32bits(v)) }
		rows := []row{
			{ir.AtomicAdd, ir.I32, 5, []uint64{3}, 5, 8},
			{ir.AtomicMul, ir.F32, f(1.5), []uint64{f(4)}, f(1.5), f(6)},
			{ir.AtomicDiv, ir.I32, 7, []uint64{0}, 7, 0},
			{ir.AtomicMin, ir.F32, f(2), []uint64{f(3)}, f(2), f(2)},
			{ir.AtomicXchg, ir.F32, f(2), []uint64{f(3)}, f(2), f(3)},
			{ir.AtomicXchg, ir.Bool, 1, []uint64{0}, 1, 0},
			{ir.AtomicLOr, ir.Bool, 0, []uint64{1}, 0, 1},
			{ir.AtomicLAnd, ir.Bool, 1, []uint64{0}, 1, 0},
			{ir.AtomicCAS, ir.I32, 4, []uint64{4, 9}, 4, 9},
			{ir.AtomicCAS, ir.I32, 5, []uint64{4, 9}, 5, 5},
			{ir.AtomicCAS, ir.F32, f(float32(math.Copysign(0, -1))), []uint64{f(0), f(1)}, f(float32(math.Copysign(0, -1))), f(1)},
			{ir.AtomicCAS, ir.F32, f(float32(math.NaN())), []uint64{f(float32(math.NaN())), f(1)}, f(float32(math.NaN())), f(float32(math.NaN()))},
		}
		for _, r := range rows {
			mapTask(k, 1, nil, func(b *ir.Builder, _ []*ir.Value) *ir.Value {
				o := ir.NewOp(ir.OpBase, ir.Pos{}, []ir.Type{ir.Scalar(ir.Ptr)})
				o.Aux = 1
				p := b.Emit(o)
				var args []*ir.Value
				for _, a := range r.args {
					args = append(args, b.Const(ir.Scalar(r.k), a))
				}
				v := b.Atomic(r.kind, p, args...)
				v.Def.Flags |= nonAtomic
				return v
			})
		}
		k.Bases = make([]int, 2)
		everywhere(t, func(t *testing.T, l *llvm.Lib, level int) {
			m := build(t, l, k, level, false)
			for i, r := range rows {
				old, place := memory[uint64](1), memory[uint64](1)
				place[0] = r.from
				m.bases[0], m.bases[1] = addr(old), addr(place)
				m.run(i, 0, 1)
				if old[0] != r.old || place[0] != r.now {
					t.Errorf("atomic.%s of %s: old %#x, new %#x; want %#x, %#x", r.kind, r.k, old[0], place[0], r.old, r.now)
				}
			}
		})
	}
}
