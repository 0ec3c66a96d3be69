package wasm

import (
	"fmt"
	"testing"

	"github.com/gotaichi/ti/internal/ir"
)

// packed writes numbers of a kind into memory as they lie in fields.
func (m *machine) packed(k ir.Kind, numbers []uint64) uint64 {
	size := k.Size()
	at := m.room(size * len(numbers))
	for i, bits := range numbers {
		for b := range size {
			m.mem[at-m.base+uint64(i*size+b)] = byte(memoryBits(k, bits) >> (8 * b))
		}
	}
	return at
}

// unpacked reads them.
func (m *machine) unpacked(k ir.Kind, at uint64, n int) []uint64 {
	size := k.Size()
	numbers := make([]uint64, n)
	for i := range numbers {
		for b := range size {
			numbers[i] |= uint64(m.mem[at-m.base+uint64(i*size+b)]) << (8 * b)
		}
	}
	return numbers
}

// row is the place of n numbers of a kind, those of the iteration, in an entry of the base table.
func (b *bench) row(entry int64, k ir.Kind, n int) *ir.Value {
	base := ir.NewOp(ir.OpBase, ir.Pos{}, []ir.Type{ir.Scalar(ir.Ptr)})
	base.Aux = entry
	b.Emit(base)
	bytes := b.Op(ir.OpMul, b.Convert(b.index, ir.I64), b.Int(ir.Scalar(ir.I64), int64(n*k.Size())))
	return b.Op(ir.OpOffset, base.Results[0], bytes)
}

// runVectors runs a body that makes vectors of n lanes of the operands in rows, and returns all lanes of the results.
func (b *bench) runVectors(t *testing.T, m *machine, c opCase, rows [][]uint64, n int) []uint64 {
	t.Helper()
	slots := map[ir.Slot]uint64{}
	for arg, k := range c.args {
		column := make([]uint64, (len(rows)+n-1)/n*n)
		for i, r := range rows {
			column[i] = r[arg]
		}
		slots[ir.Slot{From: ir.SlotBase, At: int64(arg)}] = m.packed(k, column)
	}
	groups := (len(rows) + n - 1) / n
	out := m.room(8 * groups * n)
	slots[ir.Slot{From: ir.SlotBase, At: int64(len(c.args))}] = out
	m.load(t, &ir.Kernel{}, b.task).run(t, given{slots: slots}, 0, int64(groups))
	return m.unpacked(c.result, out, len(rows))
}

// TestVectorOps is TestOps with vectors of some numbers of lanes.
func TestVectorOps(t *testing.T) {
	for _, n := range []int{2, 3, 4, 8, 32} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			m := newMachine(t, n == 3)
			start := m.next
			for _, c := range opCases() {
				m.next = start
				testVectorOp(t, m, c, n)
			}
		})
	}
}

func testVectorOp(t *testing.T, m *machine, c opCase, n int) {
	t.Helper()
	rows, want := c.rows(t)
	b := newBench()
	var vs []*ir.Value
	for arg, k := range c.args {
		vs = append(vs, b.Load(ir.Vec(k, n), b.row(int64(arg), k, n)))
	}
	b.Store(b.row(int64(len(vs)), c.result, n), b.OpOf(c.code, ir.Vec(c.result, n), vs...))
	b.end()
	got := b.runVectors(t, m, c, rows, n)
	for i, r := range rows {
		if w := memoryBits(c.result, want[i]); !same(c.result, got[i], w) {
			t.Errorf("%s, %d lanes: of %x it is %x, want %x", c, n, r, got[i], w)
			return
		}
	}
	if !is64(c.result) {
		return
	}
	b = newBench() // the lower halves alone
	vs = nil
	for arg, k := range c.args {
		vs = append(vs, b.Load(ir.Vec(k, n), b.row(int64(arg), k, n)))
	}
	b.Store(b.row(int64(len(vs)), ir.U32, n), b.Convert(b.OpOf(c.code, ir.Vec(c.result, n), vs...), ir.U32))
	b.end()
	low := c
	low.result = ir.U32
	got = b.runVectors(t, m, low, rows, n)
	for i, r := range rows {
		if got[i] != want[i]&(1<<32-1) {
			t.Errorf("%s, %d lanes: the lower half of %x is %x, want %x", c, n, r, got[i], want[i])
			return
		}
	}
}

// TestUniformShifts shifts all lanes by a count that is the same for them, and data.
func TestUniformShifts(t *testing.T) {
	m := newMachine(t, false)
	for _, code := range []ir.Code{ir.OpShl, ir.OpShr} {
		for _, k := range allKinds {
			for _, count := range []ir.Kind{ir.I8, ir.U32, ir.I64} {
				if !k.IsInt() {
					continue
				}
				c := opCase{code, []ir.Kind{k, count}, k}
				rows, want := c.rows(t)
				const n = 4
				b := newBench()
				v := b.Load(ir.Vec(k, n), b.row(0, k, n))
				by := b.OpOf(ir.OpSplat, ir.Vec(count, n), b.Load(ir.Scalar(count), b.row(1, count, n)))
				b.Store(b.row(2, k, n), b.OpOf(code, ir.Vec(k, n), v, by))
				b.end()
				var equal [][]uint64 // each row as often as there are lanes
				for _, r := range rows {
					equal = append(equal, r, r, r, r)
				}
				for i, got := range b.runVectors(t, m, c, equal, n) {
					if w := memoryBits(k, want[i/n]); got != w {
						t.Errorf("%s: of %x it is %x, want %x", c, equal[i], got, w)
						break
					}
				}
			}
		}
	}
}
