package spirv

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/target"
)

// unsupported is the error for what has no translation yet.
func unsupported(what string, pos ir.Pos) error {
	return &target.Unsupported{Target: "vulkan", What: what, Pos: pos}
}

// A function is one under construction: that of a task, or of an ir.Func.
type function struct {
	*module
	task      *ir.Task // nil in an ir.Func
	signature *ir.Signature
	results   []ir.Type       // of an ir.Func, or of what a thread does with its iterations where threads combine values
	later     map[*ir.Op]bool // updates whose values threads combine; see combine.go

	variables []uint32 // stand first
	prelude   []uint32 // reads of what the task is given, once each
	body      []uint32
	reached   bool // the current point
	given     map[string]id

	values map[*ir.Value]id
	locals map[*ir.Value]local
	loops  []*loop // around the current point, the outermost first
	escape id      // variable with the number of the jump over several loops that is under way
	jumps  uint32  // numbers given

	large      map[*ir.Op]int64 // where large local arrays lie in the thread's part of memory, and its size
	largeBytes int64
	topology   int32 // alias class of accesses that are atomic, since threads change sparse trees; 0 if they change none
	bounded    bool  // the device may have found out that there is less to do than the host has said: see end
	failed     error
}

// A local is a place in a local array.
type local struct {
	array  *ir.Op
	base   id // variable
	offset id // in bytes, a word; 0 at the beginning
}

func (m *module) newFunction() *function {
	return &function{module: m, reached: true, given: map[string]id{}, values: map[*ir.Value]id{}, locals: map[*ir.Value]local{}}
}

// unsupported notes that o has no translation.
func (f *function) unsupported(o *ir.Op, what string) {
	if f.failed == nil {
		f.failed = unsupported(what, o.Pos)
	}
}

// do appends an instruction without a result.
func (f *function) do(op uint32, operands ...uint32) { f.body = emit(f.body, op, operands...) }

// inst appends an instruction, and returns its result.
func (f *function) inst(op uint32, typ id, operands ...uint32) id {
	n := f.id()
	f.body = emit(f.body, op, append([]uint32{typ, n}, operands...)...)
	return n
}

// ext calls an extended instruction.
func (f *function) ext(number uint32, typ id, operands ...uint32) id {
	return f.inst(opExtInst, typ, append([]uint32{f.glsl, number}, operands...)...)
}

// variable makes a variable of the function.
func (f *function) variable(t id) id {
	v := f.id()
	f.variables = emit(f.variables, opVariable, f.pointer(classFunction, t), v, classFunction)
	return v
}

// label begins a block.
func (f *function) label(n id) {
	f.do(opLabel, n)
	f.reached = true
}

// branch ends the current block.
func (f *function) branch(to id) {
	if f.reached {
		f.do(opBranch, to)
		f.reached = false
	}
}

// choose ends the current block with a selection whose branches meet at merge.
func (f *function) choose(cond, yes, no, merge id) {
	f.do(opSelectionMerge, merge, 0)
	f.do(opBranchConditional, cond, yes, no)
	f.reached = false
}

// when runs then if cond.
func (f *function) when(cond id, then func()) {
	yes, after := f.id(), f.id()
	f.choose(cond, yes, after, after)
	f.label(yes)
	then()
	f.branch(after)
	f.label(after)
}

// once reads something at the start of the function, the first time it is asked for.
func (f *function) once(key string, read func() id) id {
	if n := f.given[key]; n != 0 {
		return n
	}
	body := f.body
	f.body = nil
	n := read()
	f.prelude, f.body = append(f.prelude, f.body...), body
	f.given[key] = n
	return n
}

// pushed reads a push constant.
func (f *function) pushed(member int) id {
	return f.once(fmt.Sprint("push", member), func() id {
		u64 := f.integer(64)
		p := f.inst(opAccessChain, f.pointer(classPushConstant, u64), f.push, f.word(uint32(member)))
		return f.inst(opLoad, u64, p)
	})
}

// slot reads a word that the task is given.
func (f *function) slot(from ir.SlotSource, at int64) id {
	return f.once(fmt.Sprint("slot", from, at), func() id {
		table := f.pushed(launch.PushSlots)
		return f.loadAt(ir.U64, f.inst(opIAdd, f.integer(64), table, f.number(64, uint64(8*f.signature.Index(from, at)))))
	})
}

// zero is a zero of a kind of floats that drivers do not know to be one.
func (f *function) zero(k ir.Kind, negative bool) id {
	return f.once(fmt.Sprint("zero", k, negative), func() id {
		v := f.pushed(launch.PushZero)
		bits := k.Bits()
		if bits < 64 {
			v = f.inst(opUConvert, f.integer(bits), v)
		}
		if negative {
			v = f.inst(opBitwiseOr, f.integer(bits), v, f.number(bits, 1<<(bits-1)))
		}
		return f.bits(k.Unsigned(), k, v)
	})
}

// use is the id of a value.
func (f *function) use(v *ir.Value) id {
	if n, ok := f.values[v]; ok {
		return n
	}
	if f.failed == nil {
		f.failed = fmt.Errorf("code for a value of type %s that is defined nowhere", v.Type)
		if v.Def != nil {
			f.unsupported(v.Def, "places of local arrays as values")
		}
	}
	return f.number(64, 0)
}

func (f *function) uses(vs []*ir.Value) []id {
	all := make([]id, len(vs))
	for i, v := range vs {
		all[i] = f.use(v)
	}
	return all
}

// finish appends the function to the module.
func (f *function) finish(n, result, typ id, params []id, paramTypes []id) {
	to := emit(f.functions, opFunction, result, n, 0, typ)
	for i, p := range params {
		to = emit(to, opFunctionParameter, paramTypes[i], p)
	}
	first := f.id()
	to = emit(to, opLabel, f.id())
	to = append(append(to, f.variables...), f.prelude...)
	to = emit(to, opBranch, first)
	to = emit(to, opLabel, first)
	to = append(to, f.body...)
	f.functions = emit(to, opFunctionEnd)
}

// call translates a call.
func (f *function) call(o *ir.Op) {
	n, err := f.function(o.Func)
	if err != nil {
		f.failed = cmp.Or(f.failed, err)
		return
	}
	t := f.resultType(o.Func.Results)
	r := f.called(t, n, f.uses(o.Args)...)
	if len(o.Results) == 1 {
		f.values[o.Results[0]] = r
		return
	}
	for i, v := range o.Results {
		f.values[v] = f.inst(opCompositeExtract, f.kind(v.Type.Kind), r, uint32(i))
	}
}

// called calls a function. If rounds have come to an end there, what it returns means nothing, and the caller ends, too.
func (f *function) called(t, fn id, args ...id) id {
	r := f.inst(opFunctionCall, t, append([]uint32{fn}, args...)...)
	f.limitRounds(false)
	return r
}

// resultType is what a function with these results returns.
func (m *module) resultType(results []ir.Type) id {
	switch len(results) {
	case 0:
		return m.global(opTypeVoid, 0)
	case 1:
		return m.kind(results[0].Kind)
	}
	var members []uint32
	for _, t := range results {
		members = append(members, m.kind(t.Kind))
	}
	return m.global(opTypeStruct, 0, members...)
}

// function translates an ir.Func, once.
func (m *module) function(fn *ir.Func) (id, error) {
	if n := m.funcs[fn]; n != 0 {
		return n, nil
	}
	n := m.id()
	m.funcs[fn] = n
	f := m.newFunction()
	f.results = fn.Results
	var params, types []uint32
	for i, p := range fn.Body.Params {
		if fn.Params[i].Lanes > 1 {
			return 0, unsupported("vectors of several iterations", ir.Pos{})
		}
		n := f.id()
		f.values[p] = n
		params, types = append(params, n), append(types, f.kind(p.Type.Kind))
	}
	f.ops(fn.Body)
	if f.reached {
		f.do(opUnreachable)
	}
	if f.failed != nil {
		return 0, f.failed
	}
	result := m.resultType(fn.Results)
	f.finish(n, result, m.global(opTypeFunction, 0, append([]uint32{result}, types...)...), params, types)
	return n, nil
}

// leave ends the thread, or the function with zeros.
func (f *function) leave() {
	if len(f.results) == 0 {
		f.do(opReturn)
	} else {
		f.do(opReturnValue, f.null(f.resultType(f.results)))
	}
	f.reached = false
}

// ret translates return.
func (f *function) ret(o *ir.Op) {
	switch {
	case f.task != nil || len(o.Args) == 0:
		f.do(opReturn)
	case len(o.Args) == 1:
		f.do(opReturnValue, f.use(o.Args[0]))
	default:
		f.do(opReturnValue, f.inst(opCompositeConstruct, f.resultType(f.results), f.uses(o.Args)...))
	}
	f.reached = false
}

// fail translates a failure: it is counted, and the first one is described.
func (f *function) fail(o *ir.Op) {
	index, at := o.Args[:o.Bits], o.Args[o.Bits:]
	index, at = index[:min(len(index), launch.MaxValues)], at[:min(len(at), launch.MaxRank)]
	errs, u64 := f.pushed(launch.PushErrs), f.integer(64)
	place := func(offset int64) id { return f.inst(opIAdd, u64, errs, f.number(64, uint64(offset))) }
	u32 := f.integer(32)
	device, relaxed := f.word(1), f.word(0)
	f.inst(opAtomicIAdd, u32, f.placeOf(place(launch.ErrCount), u32), device, relaxed, f.word(1))
	was := f.inst(opAtomicCompareExchange, u32, f.placeOf(place(launch.ErrSite), u32), device, relaxed, relaxed, f.word(uint32(f.signature.Site(o.Aux)+1)), f.word(0))
	f.when(f.inst(opIEqual, f.kind(ir.Bool), was, f.word(0)), func() {
		for i, v := range slices.Concat(index, at) {
			offset := launch.ErrValues + int64(8*i)
			if i >= len(index) {
				offset = launch.ErrLoop + int64(8*(i-len(index)))
			}
			f.storeAt(ir.I64, place(offset), f.convert(v.Type.Kind, ir.I64, f.use(v)))
		}
		f.storeAt(ir.I64, place(launch.ErrRank), f.number(64, uint64(len(at))))
	})
}
