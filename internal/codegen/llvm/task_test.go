package llvm

import (
	"slices"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/llvm"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/target"
)

// nestKernel has a task that notes the order of its iterations: each stores
// a running number at the row-major place of its indices, and counts.
func nestKernel(dims []ir.Dim) *ir.Kernel {
	k := newKernel()
	k.Bases = make([]int, 2)
	k.Params = []*ir.Param{{Name: "n", Kind: ir.I32, Comps: 1}, {Name: "x", Content: ir.ParamSlice, Kind: ir.F32, Comps: 1, Slot: 1}}
	t := &ir.Task{Name: "nest", Loop: 1, Dims: dims, Prologue: &ir.Block{}, Body: &ir.Block{}, Epilogue: &ir.Block{}}
	i64 := ir.Scalar(ir.I64)
	// The counter passes from iteration to iteration, as no field of a parallel loop
	// may; what is private to a thread may.
	t.Private = []ir.Private{{Base: 0}}
	pro := ir.NewBuilder(t.Prologue)
	o := ir.NewOp(ir.OpBase, ir.Pos{}, []ir.Type{ir.Scalar(ir.Ptr)})
	counter := pro.Emit(o)
	o = ir.NewOp(ir.OpBase, ir.Pos{}, []ir.Type{ir.Scalar(ir.Ptr)})
	o.Aux = 1
	out := pro.Emit(o)
	pro.Yield()
	ir.NewBuilder(t.Epilogue).Yield()
	b := ir.NewBuilder(t.Body)
	at := b.Int(i64, 0)
	for _, d := range dims {
		i := t.Body.AddParam(ir.Scalar(d.Kind), "i")
		at = b.Op(ir.OpAdd, b.Op(ir.OpMul, at, b.Int(i64, 10)), b.Convert(i, ir.I64))
	}
	n := b.Load(i64, counter)
	n = b.Op(ir.OpAdd, n, b.Int(i64, 1))
	b.Store(counter, n)
	b.Store(b.Op(ir.OpOffset, out, b.Op(ir.OpMul, at, b.Int(i64, 8))), n)
	b.Jump(ir.OpContinue, nil)
	k.Tasks = append(k.Tasks, t)
	return k
}

func constDim(kind ir.Kind, lo, hi int64) ir.Dim {
	return ir.Dim{Kind: kind, Lo: ir.Bound{Const: lo}, Hi: ir.Bound{Const: hi}}
}

func TestNests(t *testing.T) {
	run := ir.Dim{Kind: ir.I32, Lo: ir.Bound{Const: 1}, Hi: ir.Bound{From: ir.FromArg, Slot: 0}}      // n = 6
	length := ir.Dim{Kind: ir.I64, Lo: ir.Bound{Const: 2}, Hi: ir.Bound{From: ir.FromLen, Const: -1}} // len(x) = 7
	frame := ir.Dim{Kind: ir.U8, Lo: ir.Bound{From: ir.FromFrame, Slot: 8}, Hi: ir.Bound{Const: 4}}   // 1
	backward := ir.Dim{Kind: ir.I32, Lo: ir.Bound{Const: 9}, Hi: ir.Bound{From: ir.FromArg, Slot: 0}} // nothing
	limits := map[ir.BoundFrom]int64{ir.FromArg: 6, ir.FromLen: 7, ir.FromFrame: 1, ir.FromConst: 0}
	for _, test := range []struct {
		name string
		dims []ir.Dim
	}{
		{"1-D", []ir.Dim{constDim(ir.I32, 2, 9)}},
		{"2-D", []ir.Dim{constDim(ir.I32, 1, 4), constDim(ir.I32, 2, 7)}},
		{"3-D", []ir.Dim{constDim(ir.I64, 0, 3), constDim(ir.I16, 1, 3), constDim(ir.I32, 4, 7)}},
		{"4-D", []ir.Dim{constDim(ir.I32, 1, 3), constDim(ir.I32, 0, 2), constDim(ir.I32, 2, 5), constDim(ir.U8, 1, 2)}},
		{"bounds", []ir.Dim{run, length, frame}},
		{"empty", []ir.Dim{run, backward}},
		{"no rows", []ir.Dim{backward, run}},
	} {
		k := nestKernel(test.dims)
		for i := range test.dims {
			for _, b := range []*ir.Bound{&test.dims[i].Lo, &test.dims[i].Hi} {
				if b.From == ir.FromLen {
					b.Param = k.Params[1]
				}
			}
		}
		var want []int64
		places(test.dims, limits, 0, func(at int64) { want = append(want, at) })
		for _, l := range libraries(t) {
			m := build(t, l, k, 2, false)
			m.args[0], m.args[2] = 6, 7
			m.frame[1] = 1
			for begin := 0; begin <= len(want); begin++ {
				for end := begin; end <= len(want); end += 1 + len(want)/7 {
					counter, out := memory[int64](1), memory[int64](10000)
					m.bases[0], m.bases[1] = addr(counter), addr(out)
					m.run(0, int64(begin), int64(end))
					if counter[0] != int64(end-begin) {
						t.Fatalf("%s: %d iterations in [%d, %d)", test.name, counter[0], begin, end)
					}
					for n, at := range want[begin:end] {
						if out[at] != int64(n+1) {
							t.Fatalf("%s [%d, %d): place %d was visited as number %d, want %d", test.name, begin, end, at, out[at], n+1)
						}
					}
				}
			}
		}
	}
}

// places lists the places of a nest in order.
func places(dims []ir.Dim, limits map[ir.BoundFrom]int64, at int64, f func(int64)) {
	if len(dims) == 0 {
		f(at)
		return
	}
	for i := dims[0].Lo.Const + limits[dims[0].Lo.From]; i < dims[0].Hi.Const+limits[dims[0].Hi.From]; i++ {
		places(dims[1:], limits, at*10+i, f)
	}
}

// controlText has every form of control: a for with continue and break from
// nested ifs, a loop in a block that is left from inside, an if both of whose
// regions jump, and early return.
const controlText = `
kernel Control(n: i32) i32 {
	int i32
	frame 64 done -1
	func @collatz(%100: i32) i32 {
		%101 = const 0 : i32
		%102 = const 1 : i32
		%103 = const 2 : i32
		%104 = const 3 : i32
		^0: %110, %111 = loop %100, %101 : i32, i32 { (%120: i32, %121: i32)
			%122 = le %120, %102 : bool
			if %122 {
				break ^0 %120, %121
			} else {
				yield
			}
			%123 = and %120, %102 : i32
			%124 = eq %123, %101 : bool
			%125 = add %121, %102 : i32
			if %124 {
				%126 = div %120, %103 : i32
				continue ^0 %126, %125
			} else {
				%127 = mul %120, %104 : i32
				%128 = add %127, %102 : i32
				continue ^0 %128, %125
			}
			continue ^0 %120, %121
		}
		return %111
	}
	task 0 "serial code" loop 0 {
		body {
			%0 = param 0 : i32
			%1 = const 0 : i32
			%2 = const 1 : i32
			%3 = const 7 : i32
			%4 = const 100 : i32
			%5 = frame 0 : ptr
			%6 = lt %0, %1 : bool
			if %6 {
				%7 = const -1 : i64
				store %5, %7
				return
			} else {
				yield
			}
			^1: %10 = for %1, %0, %1 : i32 { (%11: i32, %12: i32)
				%13 = and %11, %2 : i32
				%14 = ne %13, %1 : bool
				%15 = if %14 : i32 {
					continue ^1 %12
				} else {
					%16 = call @collatz %11 : i32
					yield %16
				}
				%17 = add %12, %15 : i32
				%18 = gt %17, %4 : bool
				if %18 {
					break ^1 %17
				} else {
					yield
				}
				continue ^1 %17
			}
			^2: %20 = block : i32 {
				%21 = eq %10, %3 : bool
				if %21 {
					%22 = const 777 : i32
					break ^2 %22
				} else {
					yield
				}
				yield %10
			}
			%30 = convert %20 : i64
			store %5, %30
			return
		}
	}
}
`

func TestControl(t *testing.T) {
	collatz := func(n int) (steps int) {
		for ; n > 1; steps++ {
			if n%2 == 0 {
				n /= 2
			} else {
				n = 3*n + 1
			}
		}
		return steps
	}
	want := func(n int) int64 {
		if n < 0 {
			return -1
		}
		sum := 0
		for i := range n {
			if i&1 != 0 {
				continue
			}
			if sum += collatz(i); sum > 100 {
				break
			}
		}
		if sum == 7 {
			return 777
		}
		return int64(sum)
	}
	everywhere(t, func(t *testing.T, l *llvm.Lib, level int) {
		m := build(t, l, parse(t, controlText), level, false)
		for _, n := range []int{-5, 0, 1, 3, 5, 8, 20, 1000} {
			m.args[0] = uint64(uint32(int32(n)))
			m.run(0, 0, 1)
			if got := int64(m.frame[0]); got != want(n) {
				t.Errorf("n = %d gives %d, want %d", n, got, want(n))
			}
		}
	})
}

// TestReduction sums into a local array made in the prologue, and merges it.
func TestReduction(t *testing.T) {
	k := newKernel()
	k.Bases = make([]int, 2)
	f32, i64 := ir.Scalar(ir.F32), ir.Scalar(ir.I64)
	task := &ir.Task{Name: "sum", Loop: 1, Dims: []ir.Dim{constDim(ir.I32, 0, 10000)}, Prologue: &ir.Block{}, Body: &ir.Block{}, Epilogue: &ir.Block{}}
	base := func(b *ir.Builder, n int64) *ir.Value {
		o := ir.NewOp(ir.OpBase, ir.Pos{}, []ir.Type{ir.Scalar(ir.Ptr)})
		o.Aux = n
		return b.Emit(o)
	}
	pro := ir.NewBuilder(task.Prologue)
	acc, x, sum := pro.Alloc(ir.F32, 1, "acc"), base(pro, 0), base(pro, 1)
	pro.Yield()
	i := task.Body.AddParam(ir.Scalar(ir.I32), "i")
	b := ir.NewBuilder(task.Body)
	v := b.Load(f32, b.Op(ir.OpOffset, x, b.Op(ir.OpMul, b.Convert(i, ir.I64), b.Int(i64, 4))))
	b.Store(acc, b.Op(ir.OpAdd, b.Load(f32, acc), v))
	b.Jump(ir.OpContinue, nil)
	epi := ir.NewBuilder(task.Epilogue)
	epi.Atomic(ir.AtomicAdd, sum, epi.Load(f32, acc))
	epi.Yield()
	k.Tasks = append(k.Tasks, task)
	everywhere(t, func(t *testing.T, l *llvm.Lib, level int) {
		m := build(t, l, k, level, false)
		xs, total := memory[float32](10000), memory[float32](1)
		for i := range xs {
			xs[i] = 0.25
		}
		m.bases[0], m.bases[1] = addr(xs), addr(total)
		m.run(0, 0, 6000)
		m.run(0, 6000, 10000)
		if total[0] != 2500 {
			t.Errorf("the sum is %g, want 2500", total[0])
		}
		text := sources(t, k, Options{Traits: target.Traits{Version: l.Version().Major}})
		if level > 0 {
			code, err := l.Optimize(Pipeline(3), text...)
			if err != nil || !strings.Contains(code, "llvm.vector.reduce.fadd") {
				t.Errorf("the reduction is not vectorised (error %v)", err)
			}
			strict, err := l.Optimize(Pipeline(3), sources(t, k, Options{Options: option.Options{Strict: true}, Traits: target.Traits{Version: l.Version().Major}})...)
			if err != nil || strings.Contains(strict, "fadd reassoc") {
				t.Errorf("the strict reduction is reordered (error %v)", err)
			}
		}
	})
}

func TestFail(t *testing.T) {
	k := newKernel()
	k.Sites = []*ir.Site{{}, {}, {}}
	mapTask(k, 10, nil, func(b *ir.Builder, _ []*ir.Value) *ir.Value {
		i := b.Convert(b.Block.Params[0], ir.I64)
		b.If(b.Op(ir.OpGt, i, b.Int(ir.Scalar(ir.I64), 6)), nil, func() {
			o := ir.NewOp(ir.OpFail, ir.Pos{}, nil, b.Op(ir.OpNeg, i), i, i)
			o.Aux, o.Bits = 2, 2
			b.Emit(o)
			b.Yield()
		}, func() { b.Yield() })
		return b.Convert(i, ir.I32)
	})
	everywhere(t, func(t *testing.T, l *llvm.Lib, level int) {
		m := build(t, l, k, level, false)
		out := memory[int32](10)
		m.bases[0] = addr(out)
		m.run(0, 0, 7)
		if slices.ContainsFunc(m.errs, func(v uint64) bool { return v != 0 }) {
			t.Fatalf("an error without a failure: %v", m.errs)
		}
		m.run(0, 7, 10)
		index, loop, rank := m.errs[launch.ErrValues/8:], m.errs[launch.ErrLoop/8:], m.errs[launch.ErrRank/8]
		if m.errs[launch.ErrCount/8] != 3 || m.errs[launch.ErrSite/8] != 1 || int64(index[0]) != -7 || index[1] != 7 || loop[0] != 7 || rank != 1 {
			t.Errorf("the record is %v", m.errs)
		}
		if out[9] != 9 {
			t.Error("the iteration ends at its failure")
		}
	})
}

// TestLocalArrays checks that an array is zero whenever it is made, for sizes
// that are zeroed in different ways.
func TestLocalArrays(t *testing.T) {
	k := newKernel()
	sizes := []int{1, 8, 33, 500}
	for _, n := range sizes {
		mapTask(k, 20, []ir.Kind{ir.I32}, func(b *ir.Builder, v []*ir.Value) *ir.Value {
			i64 := ir.Scalar(ir.I64)
			array := b.Alloc(ir.I32, n, "a")
			at := b.Op(ir.OpMul, b.Convert(b.Op(ir.OpMod, v[0], b.Int(v[0].Type, int64(n))), ir.I64), b.Int(i64, 4))
			p := b.Op(ir.OpOffset, array, at)
			old := b.Load(v[0].Type, p)
			b.Store(p, b.Int(v[0].Type, 99))
			last := b.Load(v[0].Type, b.Op(ir.OpOffset, array, b.Int(i64, int64(4*(n-1)))))
			return b.Op(ir.OpAdd, old, last)
		})
	}
	everywhere(t, func(t *testing.T, l *llvm.Lib, level int) {
		m := build(t, l, k, level, false)
		for task, n := range sizes {
			in, out, want := memory[int32](20), memory[int32](20), make([]int32, 20)
			for i := range in {
				in[i] = int32(i * 7)
				if int(in[i])%n == n-1 {
					want[i] = 99
				}
			}
			m.bases[0], m.bases[1] = addr(in), addr(out)
			m.run(task, 0, 20)
			if !slices.Equal(out, want) {
				t.Errorf("%d elements: %v, want %v", n, out, want)
			}
		}
	})
}

// TestNoLibraryCalls clears and copies a field: LLVM likes to make calls of
// memset and memcpy of that.
func TestNoLibraryCalls(t *testing.T) {
	k := newKernel()
	mapTask(k, 100000, nil, func(b *ir.Builder, _ []*ir.Value) *ir.Value { return b.Int(ir.Scalar(ir.I32), 0) })
	mapTask(k, 100000, []ir.Kind{ir.I32}, func(b *ir.Builder, v []*ir.Value) *ir.Value { return v[0] })
	everywhere(t, func(t *testing.T, l *llvm.Lib, level int) { build(t, l, k, level, false) })
}

func TestDeterministic(t *testing.T) {
	first := generate(t, parse(t, controlText), Options{Traits: target.Traits{Version: 19}})
	for range 5 {
		if generate(t, parse(t, controlText), Options{Traits: target.Traits{Version: 19}}) != first {
			t.Fatal("two runs give different texts")
		}
	}
}

func TestRefused(t *testing.T) {
	for _, test := range []struct {
		name, want string
		body       func(b *ir.Builder) *ir.Value
	}{
		{"a function that a pass should have expanded", "sin", func(b *ir.Builder) *ir.Value {
			return b.Op(ir.OpSin, b.Float(ir.Scalar(ir.F32), 1))
		}},
		{"too large arrays", "local arrays", func(b *ir.Builder) *ir.Value {
			return b.Load(ir.Scalar(ir.F32), b.Alloc(ir.F32, MaxLocal/4+1, "a"))
		}},
		{"an index beyond an array", "not known to be in range", func(b *ir.Builder) *ir.Value {
			cell := b.Op(ir.OpCell, b.Alloc(ir.F32, 4, "a"), b.Int(ir.Scalar(ir.I32), 4))
			return b.Load(ir.Scalar(ir.F32), cell)
		}},
		{"a place before access lowering", "ptr", func(b *ir.Builder) *ir.Value {
			return b.Load(ir.Scalar(ir.F32), b.Ptr(&ir.Field{Name: "X", Comps: []ir.Kind{ir.F32}}, 0))
		}},
	} {
		k := newKernel()
		mapTask(k, 1, nil, func(b *ir.Builder, _ []*ir.Value) *ir.Value { return test.body(b) })
		if _, err := Generate(k, k.Tasks[0], Options{}); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want one with %q", test.name, err, test.want)
		}
	}
}
