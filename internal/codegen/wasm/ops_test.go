package wasm

import (
	"fmt"
	"math"
	"testing"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/fold"
)

var allKinds = []ir.Kind{ir.Bool, ir.I8, ir.I16, ir.I32, ir.I64, ir.U8, ir.U16, ir.U32, ir.U64, ir.F16, ir.F32, ir.F64}

// hard are numbers of a kind at which ops have special cases.
func hard(k ir.Kind) (bits []uint64) {
	switch {
	case k == ir.Bool:
		return []uint64{0, 1}
	case k.IsFloat():
		for _, v := range []float64{
			0, math.Copysign(0, -1), 1, -1, 0.5, -0.5, 0.49999997, 1.5, 2.5, -2.5, -3.5, 3, 7, 127.5, -128.5, 255.5, 65504, 65520, 1e-40, 0x1p-24, 0x1.8p-24, 0x1.ffcp-15, 1e10, -1e10,
			2147483648, -2147483649, 4294967296, 0x1p63, 0x1.fffffffffffffp62, 0x1p64, -0x1p63, 3e38, 1e300, 5e-324, math.Pi, math.Inf(1), math.Inf(-1), math.NaN(), 0x1.fffffep+23, 16777217, 8388609.5,
		} {
			bits = append(bits, ir.FloatBits(k, v))
		}
		return bits
	}
	for _, n := range []int64{
		0, 1, -1, 2, -2, 3, 5, 7, -7, -8, 8, 15, 16, 31, 32, 33, 63, 64, 100, 127, -128, 128, 255, 256, math.MaxInt16, math.MinInt16, math.MaxUint16, math.MaxInt32, math.MinInt32, math.MaxUint32,
		1 << 32, math.MaxInt64, math.MinInt64, math.MinInt64 + 1, 1<<53 + 1, 16777217, 0x123456789abcdef0, -0x123456789abcdef0,
	} {
		bits = append(bits, ir.IntBits(k, n))
	}
	return bits
}

// An opCase is an op with the kinds of its operands and its result.
type opCase struct {
	code   ir.Code
	args   []ir.Kind
	result ir.Kind
}

func (c opCase) String() string { return fmt.Sprintf("%s of %v to %s", c.code, c.args, c.result) }

// opCases lists the ops that compute something of numbers, with all kinds that they take.
func opCases() (all []opCase) {
	for _, code := range ir.Codes() {
		info := code.Info()
		switch code {
		case ir.OpSplat, ir.OpShuffle, ir.OpSlide, ir.OpPack, ir.OpLane, ir.OpRsqrtEst, ir.OpScale, ir.OpAny, ir.OpAll, ir.OpTotal, ir.OpBits, ir.OpLookup, ir.OpCall, ir.OpEntry, ir.OpListMask, ir.OpFma:
			continue
		}
		if !code.Is(ir.Pure) || code.Is(ir.Math) || code.Is(ir.Abstract) || info.Min < 1 || info.Max > 3 || info.Rule == ir.RulePtr {
			continue
		}
		for _, k := range allKinds {
			if info.Domain.Allows(k) && !(k.IsFloat() && (code == ir.OpFloorDiv || code == ir.OpMod)) { // those are of package mathlib
				all = append(all, casesOf(code, k)...)
			}
		}
	}
	return all
}

func casesOf(code ir.Code, k ir.Kind) (all []opCase) {
	args := []ir.Kind{k, k, k}[:code.Info().Min]
	switch code {
	case ir.OpConvert, ir.OpBitcast:
		for _, to := range allKinds {
			if code == ir.OpConvert || to.Bits() == k.Bits() && k != ir.Bool && to != ir.Bool {
				all = append(all, opCase{code, args, to})
			}
		}
		return all
	case ir.OpShl, ir.OpShr:
		for _, count := range allKinds {
			if count.IsInt() {
				all = append(all, opCase{code, []ir.Kind{k, count}, k})
			}
		}
		return all
	case ir.OpSelect:
		args[0] = ir.Bool
	}
	if code.Info().Rule == ir.RuleBool {
		k = ir.Bool
	}
	return append(all, opCase{code, args, k})
}

// rows are all combinations of hard operands, and what package fold computes of them.
func (c opCase) rows(t *testing.T) (operands [][]uint64, want []uint64) {
	t.Helper()
	rows := [][]uint64{nil}
	for _, k := range c.args {
		var longer [][]uint64
		for _, r := range rows {
			for _, bits := range hard(k) {
				longer = append(longer, append(r[:len(r):len(r)], bits))
			}
		}
		rows = longer
	}
	for _, r := range rows {
		b := ir.NewBuilder(&ir.Block{})
		var vs []*ir.Value
		for i, bits := range r {
			vs = append(vs, b.Const(ir.Scalar(c.args[i]), bits))
		}
		v, ok := fold.Op(b.OpOf(c.code, ir.Scalar(c.result), vs...).Def)
		if !ok {
			t.Fatalf("%s is not folded", c)
		}
		want = append(want, v)
	}
	return rows, want
}

// A bench is a task over the rows of a table: operand n of row i lies at entry n of the base table, in word i, and its results at the entry behind the operands.
type bench struct {
	*ir.Builder
	task  *ir.Task
	index *ir.Value
}

func newBench() *bench {
	task := &ir.Task{Name: "rows", Loop: 1, Dims: []ir.Dim{{Kind: ir.I32, Hi: ir.Bound{From: ir.FromConst, Const: 1 << 20}}}, Body: &ir.Block{}}
	i := task.Body.AddParam(ir.Scalar(ir.I32), "i")
	return &bench{Builder: ir.NewBuilder(task.Body), task: task, index: i}
}

// place is word index of an entry of the base table.
func (b *bench) place(entry int64) *ir.Value {
	base := ir.NewOp(ir.OpBase, ir.Pos{}, []ir.Type{ir.Scalar(ir.Ptr)})
	base.Aux = entry
	b.Emit(base)
	bytes := b.Op(ir.OpMul, b.Convert(b.index, ir.I64), b.Int(ir.Scalar(ir.I64), 8))
	return b.Op(ir.OpOffset, base.Results[0], bytes)
}

// end ends the body.
func (b *bench) end() { b.Jump(ir.OpContinue, nil) }

// run runs the task for rows and returns the words of an entry.
func (b *bench) run(t *testing.T, m *machine, rows [][]uint64, entry int) []uint64 {
	t.Helper()
	slots := map[ir.Slot]uint64{}
	for n := range rows[0] {
		column := make([]uint64, len(rows))
		for i, r := range rows {
			column[i] = r[n]
		}
		slots[ir.Slot{From: ir.SlotBase, At: int64(n)}] = m.fill(column)
	}
	out := m.room(8 * len(rows))
	slots[ir.Slot{From: ir.SlotBase, At: int64(entry)}] = out
	m.load(t, &ir.Kernel{}, b.task).run(t, given{slots: slots}, 0, int64(len(rows)))
	return append([]uint64(nil), m.words(out, len(rows))...)
}

// memoryBits are the bits that a constant has in memory.
func memoryBits(k ir.Kind, bits uint64) uint64 {
	if k == ir.Bool {
		return bits & 1
	}
	return bits & (1<<(k.Bits()-1)<<1 - 1)
}

// same reports whether two results are equal. Of NaN, all bits are.
func same(k ir.Kind, got, want uint64) bool {
	if got == want {
		return true
	}
	if !k.IsFloat() {
		return false
	}
	a, b := ir.FloatValue(k, got), ir.FloatValue(k, want)
	return a != a && b != b
}

// TestOps computes every op for every kind of operand and pairs of hard numbers, and compares with package fold.
func TestOps(t *testing.T) {
	for _, interpreter := range []bool{false, true} {
		t.Run(map[bool]string{false: "compiled", true: "interpreted"}[interpreter], func(t *testing.T) {
			m := newMachine(t, interpreter)
			start := m.next
			for _, c := range opCases() {
				m.next = start
				testOp(t, m, c)
			}
		})
	}
}

func testOp(t *testing.T, m *machine, c opCase) {
	t.Helper()
	rows, want := c.rows(t)
	b := newBench()
	var vs []*ir.Value
	for n, k := range c.args {
		vs = append(vs, b.Load(ir.Scalar(k), b.place(int64(n))))
	}
	b.Store(b.place(int64(len(vs))), b.OpOf(c.code, ir.Scalar(c.result), vs...))
	b.end()
	got := b.run(t, m, rows, len(vs))
	for i, r := range rows {
		if w := memoryBits(c.result, want[i]); !same(c.result, got[i], w) {
			t.Errorf("%s: of %x it is %x, want %x", c, r, got[i], w)
			return
		}
	}
	if is64(c.result) { // of which the lower half alone is wanted
		b := newBench()
		var vs []*ir.Value
		for n, k := range c.args {
			vs = append(vs, b.Load(ir.Scalar(k), b.place(int64(n))))
		}
		b.Store(b.place(int64(len(vs))), b.Convert(b.OpOf(c.code, ir.Scalar(c.result), vs...), ir.U32))
		b.end()
		got := b.run(t, m, rows, len(vs))
		for i, r := range rows {
			if got[i] != want[i]&math.MaxUint32 {
				t.Errorf("%s: the lower half of %x it is %x, want %x", c, r, got[i], want[i])
				return
			}
		}
	}
}
