package pass

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/oracle"
	"github.com/gotaichi/ti/internal/pass/passtest"
	"github.com/gotaichi/ti/internal/randtest"
)

// A maker generates random kernels: straight-line code and nested control flow over values of all kinds, with fields, local arrays and
// jumps. All its float ops are strict, so that passes must not change any bit.
type maker struct {
	*rand.Rand
	b      *ir.Builder
	k      *ir.Kernel
	values map[ir.Kind][]*ir.Value
	arrays []*ir.Value
	leave  []*ir.Op // loops and blocks that may be left
	budget int
}

var madeKinds = []ir.Kind{ir.I32, ir.U32, ir.I8, ir.I64, ir.F32, ir.F64, ir.Bool}

func makeKernel(seed uint64) *ir.Kernel {
	k := &ir.Kernel{Name: "Random", Int: ir.I32, Body: &ir.Block{}}
	for i, c := range []ir.Kind{ir.I32, ir.F32, ir.U32} {
		k.Fields = append(k.Fields, &ir.Field{Name: string(rune('X' + i)), Index: i, Comps: []ir.Kind{c, c}, Shape: []int64{8}, Origin: []int64{0}})
	}
	for i, c := range madeKinds {
		k.Params = append(k.Params, &ir.Param{Name: fmt.Sprintf("p%d", i), Kind: c, Comps: 1, Slot: i})
		k.Results = append(k.Results, c)
	}
	m := &maker{
		Rand: rand.New(rand.NewPCG(seed, 1)), b: ir.NewBuilder(k.Body), k: k,
		values: map[ir.Kind][]*ir.Value{}, budget: 60,
	}
	for i, c := range madeKinds {
		p := ir.NewOp(ir.OpParam, ir.Pos{}, []ir.Type{ir.Scalar(c)})
		p.Aux = int64(i)
		m.add(m.b.Emit(p))
	}
	for range m.IntN(3) {
		m.arrays = append(m.arrays, m.b.Alloc(ir.I32, 4, ""))
	}
	m.stmts(3)
	var rs []*ir.Value
	for _, c := range madeKinds {
		rs = append(rs, m.any(c))
	}
	m.b.Return(rs...)
	return k
}

func (m *maker) add(v *ir.Value) *ir.Value {
	m.values[v.Type.Kind] = append(m.values[v.Type.Kind], v)
	return v
}

// any returns a value of kind c: a recent one, or a constant.
func (m *maker) any(c ir.Kind) *ir.Value {
	vs := m.values[c]
	if len(vs) == 0 || m.IntN(5) == 0 {
		return m.constant(c)
	}
	if m.IntN(2) == 0 {
		return vs[len(vs)-1-m.IntN(min(4, len(vs)))]
	}
	return vs[m.IntN(len(vs))]
}

func (m *maker) constant(c ir.Kind) *ir.Value {
	t := ir.Scalar(c)
	if c.IsFloat() {
		fs := []float64{0, 1, -1, 2, 0.5, 3, -0.25, math.Inf(1), math.NaN(), 1e30, math.Copysign(0, -1)}
		return m.b.Float(t, fs[m.IntN(len(fs))])
	}
	is := []int64{0, 1, -1, 2, 3, 4, 7, 8, -8, 16, 31, 100, math.MinInt64, math.MinInt32, -128, 127}
	return m.b.Int(t, is[m.IntN(len(is))])
}

func (m *maker) kind() ir.Kind { return madeKinds[m.IntN(len(madeKinds))] }

// stmts appends a few statements, those with regions at most depth deep.
func (m *maker) stmts(depth int) {
	for range 2 + m.IntN(5) {
		if m.budget--; m.budget < 0 {
			return
		}
		switch n := m.IntN(15); {
		case n < 6 || depth == 0:
			m.arith()
		case n < 8:
			m.memory()
		case n >= 12:
			m.path()
		case n < 9:
			m.branch(depth)
		case n < 10:
			m.rangeLoop(depth)
		case n < 11:
			m.endless(depth)
		default:
			m.once(depth)
		}
	}
}

var (
	intOps = []ir.Code{
		ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpDiv, ir.OpRem, ir.OpFloorDiv, ir.OpMod, ir.OpAnd, ir.OpOr, ir.OpXor,
		ir.OpShl, ir.OpShr, ir.OpMin, ir.OpMax, ir.OpNeg, ir.OpNot, ir.OpAbs, ir.OpAdd, ir.OpMul, ir.OpClz, ir.OpPopcount,
	}
	floatOps   = []ir.Code{ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpDiv, ir.OpNeg, ir.OpAbs, ir.OpSqrt, ir.OpFloor, ir.OpFma, ir.OpAdd, ir.OpTrunc}
	boolOps    = []ir.Code{ir.OpAnd, ir.OpOr, ir.OpXor, ir.OpNot}
	compareOps = []ir.Code{ir.OpEq, ir.OpNe, ir.OpLt, ir.OpLe, ir.OpGt, ir.OpGe}
)

func (m *maker) arith() {
	k := m.kind()
	switch m.IntN(8) {
	case 0:
		to := m.kind()
		if v := m.any(k); k != to {
			m.add(m.b.OpOf(ir.OpConvert, ir.Scalar(to), v))
		}
	case 1:
		m.add(m.b.Op(ir.OpSelect, m.any(ir.Bool), m.any(k), m.any(k)))
	case 2:
		ops := compareOps
		if k == ir.Bool {
			ops = ops[:2]
		}
		m.add(m.b.Op(ops[m.IntN(len(ops))], m.any(k), m.any(k)))
	default:
		ops := intOps
		if k == ir.Bool {
			ops = boolOps
		} else if k.IsFloat() {
			ops = floatOps
		}
		code := ops[m.IntN(len(ops))]
		var args []*ir.Value
		for range code.Info().Min {
			args = append(args, m.any(k))
		}
		m.b.Flags = ir.Strict
		m.add(m.b.Op(code, args...))
		m.b.Flags = 0
	}
}

// index returns an index that is mostly in range of n elements, a power of two.
func (m *maker) index(n int64) *ir.Value {
	switch i := m.any(ir.I32); m.IntN(8) {
	case 0:
		return i
	case 1, 2:
		return m.b.Op(ir.OpAnd, i, m.b.Int(ir.Scalar(ir.I32), n-1))
	default:
		return m.b.Int(ir.Scalar(ir.I32), m.Int64N(n))
	}
}

func (m *maker) memory() {
	var place *ir.Value
	kind := ir.I32
	if len(m.arrays) > 0 && m.IntN(2) == 0 {
		place = m.b.Op(ir.OpCell, m.arrays[m.IntN(len(m.arrays))], m.index(4))
	} else {
		f := m.k.Fields[m.IntN(len(m.k.Fields))]
		kind = f.Comps[0]
		place = m.b.Ptr(f, m.IntN(2), m.index(8))
	}
	switch n := m.IntN(5); {
	case n < 2:
		m.add(m.b.Load(ir.Scalar(kind), place))
	case n == 2 && kind.IsInt():
		m.add(m.b.Atomic(ir.AtomicXor, place, m.any(kind)))
	default:
		m.b.Store(place, m.any(kind))
	}
}

// path follows an index through memory, often several times, sometimes with a store before a load.
func (m *maker) path() {
	i32 := ir.Scalar(ir.I32)
	start, steps, comp, by := m.any(ir.I32), 1+m.IntN(6), m.IntN(2), m.IntN(3)
	for range 2 + m.IntN(3) {
		at := start
		for range steps {
			in := m.b.Op(ir.OpAnd, at, m.b.Int(i32, 7))
			at = m.b.Op(ir.OpAdd, m.b.Load(i32, m.b.Ptr(m.k.Fields[0], comp, in)), m.b.Int(i32, int64(by)))
		}
		m.add(at)
		if m.IntN(4) == 0 { // the store may be on the path
			m.b.Store(m.b.Ptr(m.k.Fields[0], comp, m.index(8)), m.any(ir.I32))
		}
	}
}

// scope runs f and forgets the values that it made.
func (m *maker) scope(f func()) {
	sizes := map[ir.Kind]int{}
	for k, vs := range m.values {
		sizes[k] = len(vs)
	}
	arrays := len(m.arrays)
	f()
	for k, vs := range m.values {
		m.values[k] = vs[:sizes[k]]
	}
	m.arrays = m.arrays[:arrays]
}

func (m *maker) kinds() (ts []ir.Type) {
	for range m.IntN(3) {
		ts = append(ts, ir.Scalar(m.kind()))
	}
	return ts
}

func (m *maker) anyOf(ts []ir.Type) (vs []*ir.Value) {
	for _, t := range ts {
		vs = append(vs, m.any(t.Kind))
	}
	return vs
}

func (m *maker) addAll(vs []*ir.Value) {
	for _, v := range vs {
		m.add(v)
	}
}

// jump ends a block with a jump to an enclosing op, if there is one.
func (m *maker) jump() bool {
	if len(m.leave) == 0 {
		return false
	}
	o := m.leave[m.IntN(len(m.leave))]
	if o.Code == ir.OpFor && m.IntN(2) == 0 {
		m.b.Jump(ir.OpContinue, o, m.anyOf(typesOf(o.Results))...)
	} else {
		m.b.Jump(ir.OpBreak, o, m.anyOf(typesOf(o.Results))...)
	}
	return true
}

func typesOf(vs []*ir.Value) (ts []ir.Type) {
	for _, v := range vs {
		ts = append(ts, v.Type)
	}
	return ts
}

func (m *maker) branch(depth int) {
	jumped := 0
	o := ir.NewOp(ir.OpIf, ir.Pos{}, m.kinds(), m.any(ir.Bool))
	for _, r := range o.Regions {
		m.b.In(r, func() {
			m.scope(func() {
				m.stmts(depth - 1)
				if jumped == 0 && m.IntN(3) == 0 && m.jump() {
					jumped++
					return
				}
				m.b.Yield(m.anyOf(typesOf(o.Results))...)
			})
		})
	}
	m.b.Emit(o)
	m.addAll(o.Results)
}

func (m *maker) body(o *ir.Op, depth int, end func()) {
	m.leave = append(m.leave, o)
	m.b.In(o.Regions[0], func() {
		m.scope(func() {
			if m.IntN(3) == 0 {
				m.arrays = append(m.arrays, m.b.Alloc(ir.I32, 4, ""))
			}
			m.addAll(o.Regions[0].Params)
			m.stmts(depth - 1)
			end()
		})
	})
	m.leave = m.leave[:len(m.leave)-1]
	m.b.Emit(o)
	m.addAll(o.Results)
}

func (m *maker) rangeLoop(depth int) {
	i32 := ir.Scalar(ir.I32)
	lo, hi := m.b.Int(i32, int64(m.IntN(3))), m.b.Int(i32, int64(m.IntN(5)))
	if m.IntN(3) == 0 {
		hi = m.b.Op(ir.OpAnd, m.any(ir.I32), m.b.Int(i32, 3))
	}
	ts := m.kinds()
	o := ir.NewOp(ir.OpFor, ir.Pos{}, ts, append([]*ir.Value{lo, hi}, m.anyOf(ts)...)...)
	o.Regions[0].AddParam(i32, "")
	for _, t := range ts {
		o.Regions[0].AddParam(t, "")
	}
	m.body(o, depth, func() {
		if m.IntN(4) == 0 { // carry a value on unchanged
			m.b.Jump(ir.OpContinue, o, o.Regions[0].Params[1:]...)
			return
		}
		m.b.Jump(ir.OpContinue, o, m.anyOf(ts)...)
	})
}

// endless generates a loop that ends when a counter does.
func (m *maker) endless(depth int) {
	i32 := ir.Scalar(ir.I32)
	o := ir.NewOp(ir.OpLoop, ir.Pos{}, m.kinds(), m.b.Int(i32, int64(m.IntN(4))))
	n := o.Regions[0].AddParam(i32, "")
	m.body(o, depth, func() {
		zero := m.b.Int(i32, 0)
		m.b.If(m.b.Op(ir.OpLe, n, zero), nil, func() {
			m.b.Jump(ir.OpBreak, o, m.anyOf(typesOf(o.Results))...)
		}, func() { m.b.Yield() })
		m.b.Jump(ir.OpContinue, o, m.b.Op(ir.OpSub, n, m.b.Int(i32, 1)))
	})
}

func (m *maker) once(depth int) {
	o := ir.NewOp(ir.OpBlock, ir.Pos{}, m.kinds())
	m.body(o, depth, func() { m.b.Yield(m.anyOf(typesOf(o.Results))...) })
}

// given returns half of n as a float, and n as an integer.
func given(c ir.Kind, n int64) uint64 {
	if c.IsFloat() {
		return ir.FloatBits(c, float64(n)/2)
	}
	return ir.IntBits(c, n)
}

// outcome runs a kernel on the oracle and describes the results.
func outcome(t *testing.T, k *ir.Kernel, seed uint64) string {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 2))
	env := &oracle.Env{MaxSteps: 200_000}
	for range k.Fields {
		env.Fields = append(env.Fields, oracle.Cells{})
	}
	for _, c := range madeKinds {
		n := r.Int64N(40) - 20
		if c.IsFloat() {
			n = r.Int64N(9) - 4
		}
		env.Args = append(env.Args, given(c, n))
	}
	for _, f := range k.Fields {
		for i := range f.Shape[0] {
			for c, kind := range f.Comps {
				n := r.Int64N(16) - 4
				env.Fields[f.Index].Store([]int64{i}, c, given(kind, n))
			}
		}
	}
	res, err := oracle.Run(context.Background(), k, env)
	if errors.Is(err, oracle.ErrSteps) {
		return "too long"
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, k)
	}
	s := fmt.Sprintf("failed: %t\n", res.Failure != nil)
	show := func(c ir.Kind, bits uint64) {
		if x := ir.FloatValue(c, bits); c.IsFloat() && x != x {
			s += " nan"
		} else {
			s += fmt.Sprintf(" %x", bits)
		}
	}
	for i, v := range res.Values {
		show(k.Results[i], v)
	}
	for _, f := range k.Fields {
		s += "\n" + f.Name
		for i := range f.Shape[0] {
			for c := range f.Comps {
				show(f.Comps[c], env.Fields[f.Index].Load([]int64{i}, c))
			}
		}
	}
	return s
}

var seeds = randtest.New("seeds", "firstseed", "random kernels before and after passes", 300, 300)

// TestRandom compares random kernels before and after each pass, and after all passes.
func TestRandom(t *testing.T) {
	stages := []string{"simplify", "cse", "dce", "promote", "forward", "ifconv", "licm"}
	for n := range seeds.Count() {
		seed := seeds.First() + uint64(n)
		k := makeKernel(seed)
		if err := ir.Verify(k); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, k)
		}
		want := outcome(t, k, seed)
		if want == "too long" {
			continue
		}
		before := k.String()
		for i := range len(stages) + 1 {
			k := makeKernel(seed)
			run := stages
			if i < len(stages) {
				run = stages[i : i+1]
			} else {
				run = append(run, run...)
			}
			for _, stage := range run {
				if err := RunStage(k, Options{Options: option.Options{Level: 3, Verify: true}, Target: passtest.CPU(0)}, stage); err != nil {
					t.Fatalf("seed %d: %v\nbefore:\n%s", seed, err, before)
				}
			}
			if got := outcome(t, k, seed); got != want {
				t.Fatalf("seed %d, stages %v: got\n%s\nwant\n%s\nbefore:\n%s\nafter:\n%s", seed, run, got, want, before, k)
			}
		}
	}
}

// TestRandomFixpoint compares random kernels before and after the fixpoint loop of forward, simplify and cse. Most of them need several
// rounds.
func TestRandomFixpoint(t *testing.T) {
	again, compared := 0, 0
	for n := range seeds.Count() {
		seed := seeds.First() + uint64(n)
		k := makeKernel(seed)
		want, before := outcome(t, k, seed), k.String()
		if want == "too long" {
			continue
		}
		for _, stage := range []string{"simplify", "cse"} { // the fixpoint loop comes after these
			if err := RunStage(k, Options{Options: option.Options{Level: 3, Verify: true}, Target: passtest.CPU(0)}, stage); err != nil {
				t.Fatalf("seed %d: %v\nbefore:\n%s", seed, err, before)
			}
		}
		if visits := settle(t, k, 0); visits["forward"] > 2 {
			again++
		}
		if got := outcome(t, k, seed); got != want {
			t.Fatalf("seed %d: got\n%s\nwant\n%s\nbefore:\n%s\nafter:\n%s", seed, got, want, before, k)
		}
		compared++
	}
	if again < compared/4 {
		t.Errorf("%d of %d kernels went through the loop more than twice; that is hardly a test of it", again, compared)
	}
}
