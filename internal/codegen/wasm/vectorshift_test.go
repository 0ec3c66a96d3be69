package wasm

import (
	"fmt"
	"math/bits"
	"testing"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/fold"
)

// TestConstantShifts shifts vectors of all kinds by constants, and compares with package fold.
func TestConstantShifts(t *testing.T) {
	m := newMachine(t, false)
	start := m.next
	for _, code := range []ir.Code{ir.OpShl, ir.OpShr} {
		for _, k := range allKinds {
			for _, count := range []uint64{0, 1, 5, 7, 8, 16, 24, 31, 32, 33, 40, 56, 63, 64, 1000} {
				if !k.IsInt() || k == ir.Bool {
					continue
				}
				var rows [][]uint64
				var want []uint64
				for _, n := range hard(k) {
					b := ir.NewBuilder(&ir.Block{})
					v, _ := fold.Op(b.OpOf(code, ir.Scalar(k), b.Const(ir.Scalar(k), n), b.Const(ir.Scalar(ir.U32), count)).Def)
					rows, want = append(rows, []uint64{n}), append(want, v)
				}
				for _, n := range []int{4, 8, 16} {
					m.next = start
					b := newBench()
					v := b.Load(ir.Vec(k, n), b.row(0, k, n))
					b.Store(b.row(1, k, n), b.OpOf(code, ir.Vec(k, n), v, b.all(n, ir.U32, count)))
					b.end()
					for i, got := range b.runVectors(t, m, opCase{args: []ir.Kind{k}, result: k}, rows, n) {
						if w := memoryBits(k, want[i]); got != w {
							t.Errorf("%s of %s by %d, %d lanes: of %x it is %x, want %x", code, k, count, n, rows[i], got, w)
							break
						}
					}
				}
			}
		}
	}
}

// TestRotations rotates lanes, the two shifts in either order, where bytes are moved and where they are not. Vectors are as long as registers, and longer.
func TestRotations(t *testing.T) {
	m := newMachine(t, false)
	start := m.next
	var rows [][]uint64
	for _, n := range append(hard(ir.U32), 0x01234567, 0x89abcdef) {
		rows = append(rows, []uint64{n})
	}
	for _, c := range []uint64{1, 8, 13, 16, 24, 29} {
		for _, left := range []bool{false, true} {
			t.Run(fmt.Sprint(c, left), func(t *testing.T) {
				for _, n := range []int{4, 8} {
					m.next = start
					b := newBench()
					v := b.Load(ir.Vec(ir.U32, n), b.row(0, ir.U32, n))
					x, y := b.Op(ir.OpShl, v, b.all(n, ir.U32, c)), b.Op(ir.OpShr, v, b.all(n, ir.U32, 32-c))
					if !left {
						x, y = y, x
					}
					b.Store(b.row(1, ir.U32, n), b.Op(ir.OpOr, x, y))
					b.end()
					for i, got := range b.runVectors(t, m, opCase{args: []ir.Kind{ir.U32}, result: ir.U32}, rows, n) {
						if w := uint64(bits.RotateLeft32(uint32(rows[i][0]), int(c))); got != w {
							t.Errorf("%d lanes: of %x it is %x, want %x", n, rows[i], got, w)
						}
					}
				}
			})
		}
	}
}
