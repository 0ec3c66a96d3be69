package llvm

import (
	"fmt"
	"math"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/option"
)

// place translates the ops that name places, and those that read arguments.
func (f *function) place(o *ir.Op) {
	r := o.Results[0]
	if f.task == nil && o.Code != ir.OpAlloc && o.Code != ir.OpOffset && o.Code != ir.OpCell && o.Code != ir.OpWorker {
		f.fail(o, "a function has no context")
		return
	}
	var v string
	switch o.Code {
	case ir.OpParam:
		v = f.argument(r.Type, o.Aux)
	case ir.OpLen:
		v = f.length(o.Param)
		if r.Type.Kind != ir.I64 {
			// An int of 32 bits holds no more than its largest number.
			i64 := ir.Scalar(ir.I64)
			v = f.intrinsic(i64, "llvm.smin.i64", i64, v, fmt.Sprint(math.MaxInt32))
			v = f.convert(i64, r.Type, v)
		}
	case ir.OpKey:
		p := f.once("&key", "getelementptr inbounds i8, ptr %%ctx, i64 %d", launch.CtxKey)
		v = f.once("key", "load i64, ptr %s, align 8, !invariant.load !0", p)
	case ir.OpOrdinal:
		p := f.once("&loop", "getelementptr inbounds i8, ptr %%ctx, i64 %d", launch.CtxLoop)
		v = f.once("loop", "load i64, ptr %s, align 8, !invariant.load !0", p)
		if r.Type.Kind.Size() < 8 {
			v = f.once(fmt.Sprint("loop", r.Type), "trunc i64 %s to %s", v, typ(r.Type))
		}
	case ir.OpWorker:
		p := f.once("&worker", "getelementptr inbounds i8, ptr %%ctx, i64 %d", launch.CtxWorker)
		v = f.once("worker", "load i64, ptr %s, align 8, !invariant.load !0", p)
	case ir.OpBase:
		v = f.slot("ptr", fmt.Sprint("base", o.Aux), ir.SlotBase, o.Aux, ", !align !1")
	case ir.OpArgPtr:
		v = f.slot("ptr", fmt.Sprint("argptr", o.Aux), ir.SlotArg, o.Aux, "")
	case ir.OpFrame:
		v = f.frame(o.Aux)
	case ir.OpOffset:
		p, d := o.Args[0], o.Args[1]
		v = f.inst("getelementptr inbounds i8, %s %s, %s %s", typ(p.Type), f.use(p), typ(d.Type), f.use(d))
	case ir.OpCell:
		v = f.cell(o)
	case ir.OpAlloc:
		v = f.alloc(o)
	}
	f.values[r] = v
}

// argument reads a scalar argument.
func (f *function) argument(t ir.Type, slot int64) string {
	v := f.slot(memTyp(t), fmt.Sprint("arg", slot), ir.SlotArg, slot, "")
	if t.Kind == ir.Bool {
		v = f.once(fmt.Sprint("bool", slot), "icmp ne i8 %s, 0", v)
	}
	return v
}

// length reads the length of a slice, an i64.
func (f *function) length(p *ir.Param) string {
	at := int64(p.LengthSlot())
	return f.slot("i64", fmt.Sprint("arg", at), ir.SlotArg, at, "")
}

// cell is an element of a local array. Tasks have none left; in functions the
// index must be known to be in range.
func (f *function) cell(o *ir.Op) string {
	array, i := o.Args[0], o.Args[1]
	if array.Def == nil || array.Def.Code != ir.OpAlloc {
		f.fail(o, "the array is no alloc")
		return "poison"
	}
	if c, ok := ir.IntOf(i); !o.Flags.Has(ir.InBounds) && (!ok || c < 0 || c >= array.Def.Aux) {
		f.fail(o, "the index is not known to be in range")
	}
	return f.inst("getelementptr inbounds %s, ptr %s, %s %s", memTyp(ir.Scalar(array.Def.Kind)), f.use(array), typ(i.Type), f.use(i))
}

// alloc makes a local array in the entry block and zeroes it here.
func (f *function) alloc(o *ir.Op) string {
	t, n := ir.Scalar(o.Kind), max(1, o.Aux)
	size := n * int64(o.Kind.Size())
	if f.locals += size; f.locals > MaxLocal {
		f.fail(o, "the local arrays have more than %d bytes", MaxLocal)
		return "null"
	}
	v := f.name()
	fmt.Fprintf(&f.allocas, "  %s = alloca [%d x %s], align %d\n", v, n, memTyp(t), min(64, max(8, size&-size)))
	if o.Flags.Has(ir.Unset) {
		return v
	}
	// Small enough for instructions in a row; a call of memset would not link. Without vectors each stores 8 bytes, and LLVM makes 16 of them
	// at most.
	inline := int64(256)
	if f.m.opts.Without.Has(option.Vectors) {
		inline = 64
	}
	if size <= inline {
		f.callIntrinsic("", "void", "llvm.memset.inline.p0.i64", []string{"ptr", "i8", "i64", "i1"}, []string{v, "0", fmt.Sprint(size), "false"})
		return v
	}
	head, after := f.block("zero"), f.block("zeroed")
	i := f.phi(head, "i64")
	f.jump(head, "0")
	f.cur = head
	p := f.inst("getelementptr inbounds %s, ptr %s, i64 %s", memTyp(t), v, i.name)
	f.do("store %s %s, ptr %s, align %d", memTyp(t), zero(t), p, o.Kind.Size())
	next := f.inst("add nuw nsw i64 %s, 1", i.name)
	more := f.inst("icmp ult i64 %s, %d", next, n)
	again := f.block("more")
	f.branch(more, again, after)
	f.cur = again
	f.jump(head, next)
	f.enter(after)
	return v
}

// zero is the literal as it lies in memory.
func zero(t ir.Type) string {
	if t.Kind == ir.Bool {
		return "0"
	}
	return constant(t, 0)
}

// memory translates accesses.
func (f *function) memory(o *ir.Op) {
	switch {
	case o.Order != ir.Plain && o.Code == ir.OpLoad:
		f.values[o.Results[0]] = f.loadAtomic(o)
		return
	case o.Order != ir.Plain && o.Code == ir.OpStore:
		t := o.Args[1].Type
		f.do("store atomic %s %s, ptr %s %s, align %d", typ(t), f.use(o.Args[1]), f.use(o.Args[0]), ordering(o.Order), t.Kind.Size())
		return
	}
	switch o.Code {
	case ir.OpLoad:
		r := o.Results[0]
		if f.lone[o] {
			f.values[r] = f.inst("load atomic %s, ptr %s unordered, align %d%s", memTyp(r.Type), f.use(o.Args[0]), r.Type.Kind.Size(), f.marks(o))
			return
		}
		f.values[r] = f.load(r.Type, o.Args[0], f.mask(o, 1, r.Type), f.marks(o))
	case ir.OpStore:
		if f.storeToWindow(o) || f.storeLines(o) {
			return
		}
		f.store(o.Args[1].Type, o.Args[0], f.use(o.Args[1]), f.mask(o, 2, o.Args[1].Type), f.marks(o))
	case ir.OpAtomic:
		f.values[o.Results[0]] = f.atomic(o)
	case ir.OpLookup:
		f.values[o.Results[0]] = f.lookup(o)
	case ir.OpFail:
		f.failure(o)
	case ir.OpPrefetch:
		f.m.declare("void", "llvm.prefetch.p0", []string{"ptr", "i32", "i32", "i32"})
		f.do("call void @llvm.prefetch.p0(ptr %s, i32 0, i32 3, i32 1)", f.use(o.Args[0])) // a read, to the first cache, of data
	case ir.OpRecord:
		f.record(o)
	}
}

// marks is the metadata of an access: its alias scope, and that it belongs to
// the parallel loop.
func (f *function) marks(o *ir.Op) string {
	s := f.m.scope(o.Alias)
	if f.group != "" && f.shared(o.Args[0]) {
		s += ", !llvm.access.group " + f.group
	}
	return s
}

// shared reports whether p lies in a field or slice: memory that no two
// iterations of a parallel loop may touch in conflict. Local arrays are reused
// by every iteration; so is a thread's own copy of a tree.
func (f *function) shared(p *ir.Value) bool {
	for p.Def != nil {
		switch p.Def.Code {
		case ir.OpOffset:
			p = p.Def.Args[0]
		case ir.OpBase:
			return !f.private[p.Def.Aux]
		case ir.OpArgPtr:
			return true
		default:
			return false
		}
	}
	return false
}

// mask is the operand of o at index i that says which lanes take part, "" if all
// do.
func (f *function) mask(o *ir.Op, i int, t ir.Type) string {
	if i < len(o.Args) && t.Lanes > 1 {
		return f.use(o.Args[i])
	}
	return ""
}

// load reads a value of type t at p, which has one place or one for each lane.
func (f *function) load(t ir.Type, p *ir.Value, mask, marks string) string {
	var v string
	align := t.Kind.Size()
	mt, some := memTyp(t), lanes("i1", t)
	switch {
	case p.Type.Lanes > 1:
		name := fmt.Sprintf("llvm.masked.gather.%s.v%dp0", memSuffix(t), t.Lanes)
		v = f.callIntrinsic("", mt, name, []string{typ(p.Type), "i32", some, mt},
			[]string{f.use(p), fmt.Sprint(align), f.orAll(mask, t), vectorZero(t)})
	case mask != "":
		name := fmt.Sprintf("llvm.masked.load.%s.p0", memSuffix(t))
		v = f.callIntrinsic("", mt, name, []string{"ptr", "i32", some, mt},
			[]string{f.use(p), fmt.Sprint(align), mask, vectorZero(t)})
	default:
		v = f.inst("load %s, ptr %s, align %d%s", mt, f.use(p), align, marks)
	}
	if t.Kind == ir.Bool {
		v = f.inst("icmp ne %s %s, %s", mt, v, num(t.With(ir.U8), 0))
	}
	return v
}

// orAll is mask, or one of all lanes.
func (f *function) orAll(mask string, t ir.Type) string {
	if mask != "" {
		return mask
	}
	return num(t.With(ir.Bool), 1)
}

// vectorZero is what lanes read that take no part.
func vectorZero(t ir.Type) string {
	if t.Kind == ir.Bool {
		t = t.With(ir.U8)
	}
	return constant(t, 0)
}

func (f *function) store(t ir.Type, p *ir.Value, v, mask, marks string) {
	if t.Kind == ir.Bool {
		v = f.inst("zext %s %s to %s", typ(t), v, memTyp(t))
	}
	align := t.Kind.Size()
	mt, some := memTyp(t), lanes("i1", t)
	switch {
	case p.Type.Lanes > 1:
		name := fmt.Sprintf("llvm.masked.scatter.%s.v%dp0", memSuffix(t), t.Lanes)
		f.callIntrinsic("", "void", name, []string{mt, typ(p.Type), "i32", some},
			[]string{v, f.use(p), fmt.Sprint(align), f.orAll(mask, t)})
	case mask != "":
		name := fmt.Sprintf("llvm.masked.store.%s.p0", memSuffix(t))
		f.callIntrinsic("", "void", name, []string{mt, "ptr", "i32", some},
			[]string{v, f.use(p), fmt.Sprint(align), mask})
	default:
		f.do("store %s %s, ptr %s, align %d%s", mt, v, f.use(p), align, marks)
	}
}

func memSuffix(t ir.Type) string {
	if t.Kind == ir.Bool {
		t = t.With(ir.U8)
	}
	return suffix(t)
}

// lookup reads a constant table.
func (f *function) lookup(o *ir.Op) string {
	t, it := o.Results[0].Type, o.Args[0].Type
	wide := it.With(ir.I64)
	i := f.convert(it, wide, f.use(o.Args[0]))
	ok := ""
	if n := int64(len(o.Table.Data)); !o.Flags.Has(ir.InBounds) {
		mask := typ(it.With(ir.Bool))
		ok = f.inst("icmp ult %s %s, %s", typ(wide), i, num(wide, n))
		i = f.inst("select %s %s, %s %s, %s %s", mask, ok, typ(wide), i, typ(wide), num(wide, 0))
	}
	table := f.m.useTable(o.Table)
	p := &ir.Value{Type: it.With(ir.Ptr)}
	f.values[p] = f.inst("getelementptr inbounds %s, ptr %s, %s %s", memTyp(t.Elem()), table, typ(wide), i)
	v := f.load(t, p, "", ", !invariant.load !0")
	if ok != "" {
		v = f.inst("select %s %s, %s %s, %s %s", typ(it.With(ir.Bool)), ok, typ(t), v, typ(t), constant(t, 0))
	}
	return v
}
