package llvm

import (
	"fmt"
	"strings"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/launch"
)

// atomic translates an atomic and returns the old value.
func (f *function) atomic(o *ir.Op) string {
	t, p := o.Results[0].Type, o.Args[0]
	args := f.uses(o.Args[1:])
	if o.Flags.Has(ir.NonAtomic) {
		old := f.load(t, p, "", f.marks(o))
		f.store(t, p, f.combine(o, t, old, args), "", f.marks(o))
		return old
	}
	place, at := f.use(p), o.Args[1].Type
	return f.perLane(t, func(lane func(string, ir.Type) string) string {
		one := make([]string, len(args))
		for i, a := range args {
			one[i] = lane(a, at)
		}
		return f.atomicScalar(o, t.Elem(), lane(place, p.Type), one)
	})
}

// The read-modify-write instructions of LLVM.
var atomicNames = map[ir.AtomicKind]string{
	ir.AtomicAdd: "add", ir.AtomicSub: "sub", ir.AtomicAnd: "and", ir.AtomicOr: "or", ir.AtomicXor: "xor",
	ir.AtomicLAnd: "and", ir.AtomicLOr: "or", ir.AtomicXchg: "xchg", ir.AtomicMin: "min", ir.AtomicMax: "max",
}

// ordering is LLVM's name for an order of an atomic access.
func ordering(r ir.Order) string {
	return [...]string{ir.Plain: "monotonic", ir.Relaxed: "monotonic", ir.Acquire: "acquire", ir.Release: "release", ir.AcqRel: "acq_rel"}[r]
}

// loadAtomic translates a load with an order.
func (f *function) loadAtomic(o *ir.Op) string {
	t := o.Results[0].Type
	return f.inst("load atomic %s, ptr %s %s, align %d", typ(t), f.use(o.Args[0]), ordering(o.Order), t.Kind.Size())
}

// fetch translates an atomic load of a kernel.
func (f *function) fetch(t ir.Type, p string) string {
	old := f.inst("load atomic %s, ptr %s monotonic, align %d", memTyp(t), p, t.Kind.Size())
	if t.Kind == ir.Bool {
		old = f.inst("icmp ne i8 %s, 0", old)
	}
	return old
}

// exchange translates a cas of integers or addresses with an order.
func (f *function) exchange(o *ir.Op, t ir.Type, p string, args []string) string {
	failed := ir.Relaxed
	if o.Order == ir.Acquire || o.Order == ir.AcqRel {
		failed = ir.Acquire
	}
	pair := f.inst("cmpxchg ptr %s, %s %s, %s %s %s %s, align %d", p, typ(t), args[0], typ(t), args[1], ordering(o.Order), ordering(failed), t.Kind.Size())
	return f.inst("extractvalue { %s, i1 } %s, 0", typ(t), pair)
}

// atomicScalar uses an instruction of LLVM where one fits, else a loop.
func (f *function) atomicScalar(o *ir.Op, t ir.Type, p string, args []string) string {
	name, direct := atomicNames[o.Atomic]
	switch {
	case o.Atomic == ir.AtomicMin || o.Atomic == ir.AtomicMax:
		direct = t.Kind.IsInt()
		if t.Kind.IsUnsigned() {
			name = "u" + name
		}
	case t.Kind == ir.F16:
		direct = o.Atomic == ir.AtomicXchg
	case t.Kind.IsFloat() && (o.Atomic == ir.AtomicAdd || o.Atomic == ir.AtomicSub):
		// LLVM up to 19 ignores on arm64 whether the exchange succeeded, so that updates are lost:
		// its issue 150988.
		name, direct = "f"+name, f.m.opts.Arch != "arm64"
	}
	if o.Atomic == ir.AtomicLoad {
		return f.fetch(t, p)
	}
	if o.Atomic == ir.AtomicCAS && o.Order != ir.Plain && !t.Kind.IsFloat() && t.Kind != ir.Bool {
		return f.exchange(o, t, p, args)
	}
	if !direct {
		return f.atomicLoop(o, t, p, args)
	}
	v := args[0]
	if t.Kind == ir.Bool {
		v = f.inst("zext i1 %s to i8", v)
	}
	old := f.inst("atomicrmw %s ptr %s, %s %s %s, align %d", name, p, memTyp(t), v, ordering(o.Order), t.Kind.Size())
	if t.Kind == ir.Bool {
		old = f.inst("icmp ne i8 %s, 0", old)
	}
	return old
}

// atomicLoop calls the helper that tries until no other thread interferes.
func (f *function) atomicLoop(o *ir.Op, t ir.Type, p string, args []string) string {
	strict := ""
	if f.fast(o) == "" {
		strict = ".strict"
	}
	name := fmt.Sprintf("atomic.%s.%s%s", o.Atomic, t.Kind, strict)
	f.m.helper(name, func() string { return f.m.atomicHelper(name, o, t) })
	list := "ptr " + p
	for _, a := range args {
		list += fmt.Sprintf(", %s %s", typ(t), a)
	}
	return f.inst("call %s @%s(%s)", typ(t), name, list)
}

// combine is the new value of a place that has the value old.
func (f *function) combine(o *ir.Op, t ir.Type, old string, args []string) string {
	switch o.Atomic {
	case ir.AtomicXchg:
		return args[0]
	case ir.AtomicCAS:
		// Floats compare as numbers: 0 matches -0, a NaN matches nothing.
		same := f.compare(ir.OpEq, t, old, args[0])
		return f.inst("select %s %s, %s %s, %s %s", typ(t.With(ir.Bool)), same, typ(t), args[1], typ(t), old)
	}
	code, ok := o.Atomic.Code()
	if !ok {
		f.fail(o, "atomic.%s has no translation", o.Atomic)
		return old
	}
	return f.binary(o, code, t, t, old, args[0])
}

// atomicHelper writes a function that reads, combines and tries to exchange, as
// often as another thread comes in between. Where nothing would change, nothing
// is written: most updates of a minimum end so.
func (m *module) atomicHelper(name string, o *ir.Op, t ir.Type) string {
	f := m.newFunction()
	it, align := intTyp(t), t.Kind.Size()
	retry, try, done := f.block("retry"), f.block("try"), f.block("done")
	bits := f.phi(retry, it)
	f.jump(retry, f.inst("load atomic %s, ptr %%p monotonic, align %d", it, align))

	f.cur = retry
	cast := func(from, to, v string) string {
		if from == to {
			return v
		}
		return f.inst("bitcast %s %s to %s", from, v, to)
	}
	read, write := cast, cast
	if t.Kind == ir.Bool {
		read = func(_, _, v string) string { return f.inst("icmp ne i8 %s, 0", v) }
		write = func(_, _, v string) string { return f.inst("zext i1 %s to i8", v) }
	}
	old := read(it, typ(t), bits.name)
	args := []string{"%a", "%b"}[:len(o.Args)-1]
	now := write(typ(t), it, f.combine(o, t, old, args))
	same := f.inst("icmp eq %s %s, %s", it, now, bits.name)
	f.branch(same, done, try)

	f.cur = try
	pair := f.inst("cmpxchg ptr %%p, %s %s, %s %s monotonic monotonic, align %d", it, bits.name, it, now, align)
	visited := f.inst("extractvalue { %s, i1 } %s, 0", it, pair)
	won := f.inst("extractvalue { %s, i1 } %s, 1", it, pair)
	f.branch(won, done, retry, visited)

	f.cur = done
	f.do("ret %s %s", typ(t), old)
	params := "ptr %p"
	for _, a := range args {
		params += fmt.Sprintf(", %s %s", typ(t), a)
	}
	if f.err != nil && m.err == nil {
		m.err = f.err
	}
	var text strings.Builder
	f.write(&text, fmt.Sprintf("define internal %s @%s(%s) #1", typ(t), name, params))
	return text.String()
}

// failure translates fail: a call of a function out of the way, which notes the
// first failure and counts them all.
func (f *function) failure(o *ir.Op) {
	index, loop := o.Args[:o.Bits], o.Args[o.Bits:]
	index, loop = index[:min(len(index), launch.MaxValues)], loop[:min(len(loop), launch.MaxRank)]
	name := fmt.Sprintf("fail.%d.%d", len(index), len(loop))
	f.m.helper(name, func() string { return failText(name, len(index), len(loop)) })
	call := fmt.Sprintf("call void @%s(ptr %s, i64 %d", name, f.context(launch.CtxErrs), f.signature.Site(o.Aux)+1)
	for _, v := range append(index[:len(index):len(index)], loop...) {
		call += fmt.Sprintf(", i64 %s", f.convert(v.Type, ir.Scalar(ir.I64), f.use(v)))
	}
	f.do("%s)", call)
}

func failText(name string, index, loop int) string {
	var params, stores strings.Builder
	for i := range index + loop {
		at := launch.ErrValues + int64(8*i)
		if i >= index {
			at = launch.ErrLoop + int64(8*(i-index))
		}
		fmt.Fprintf(&params, ", i64 %%a%d", i)
		fmt.Fprintf(&stores, "  %%p%d = getelementptr inbounds i8, ptr %%errs, i64 %d\n  store i64 %%a%d, ptr %%p%d, align 8\n", i, at, i, i)
	}
	fmt.Fprintf(&stores, "  %%rank = getelementptr inbounds i8, ptr %%errs, i64 %d\n  store i64 %d, ptr %%rank, align 8\n", launch.ErrRank, loop)
	return fmt.Sprintf(`define internal void @%s(ptr %%errs, i64 %%site%s) #2 {
entry:
  %%count = getelementptr inbounds i8, ptr %%errs, i64 %d
  %%n = atomicrmw add ptr %%count, i64 1 monotonic, align 8
  %%at = getelementptr inbounds i8, ptr %%errs, i64 %d
  %%pair = cmpxchg ptr %%at, i64 0, i64 %%site monotonic monotonic, align 8
  %%first = extractvalue { i64, i1 } %%pair, 1
  br i1 %%first, label %%describe, label %%done
describe:
%s  br label %%done
done:
  ret void
}

`, name, params.String(), launch.ErrCount, launch.ErrSite, stores.String())
}
