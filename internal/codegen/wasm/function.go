package wasm

import (
	"encoding/binary"
	"fmt"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/target"
)

// A function is one under construction: that of a task, an ir.Func, or a helper.
type function struct {
	*module
	*plan
	fn        *ir.Func // nil in a task and a helper
	task      bool
	signature *ir.Signature // of a task
	params    []valType
	results   []valType

	locals  []valType // with the parameters
	free    map[valType][]uint32
	prelude []byte // reads of what the task is given, once each
	code    []byte
	last    int    // where the last instruction begins, if it is a local.set; else -1
	lastSet uint32 // of that one
	depth   int    // blocks that are open
	reached bool   // the current point
	given   map[string]uint32

	places  map[*ir.Value]place
	later   map[*ir.Value]bool // values that are computed where they are used
	left    map[*ir.Value]int  // uses that are still to come
	regions []region           // around the current point
	pending []func()           // what is freed behind the current op
	around  int                // how many ops the block has that is being translated
	targets map[*ir.Op]jumpTarget
	next    label // of a task's loop

	ctx, stack uint32 // parameters, with the ones below where a function needs them
	tablesAt   uint32
	hasTables  bool             // tablesAt is set
	sp         uint32           // local with the lower end of the frame
	hasFrame   bool             // sp is set
	arrays     map[*ir.Op]int64 // where local arrays lie, from there on
	frameBytes int64
	called     int64   // the most that a callee uses of the stack
	polls      *uint32 // counts polls; nil before the first
}

// A place is where a value is: a local, or several with a part of a vector each. Of a vector all of whose parts are equal there is one.
type place struct {
	locals []uint32
	level  int  // how many regions are around it
	pinned bool // it stays as long as the function
}

// A region is one that is open, with the locals that become free when it ends.
type region struct{ frees []uint32 }

// A label is a block that a jump leaves, or goes back to the start of: its number from the outermost one on.
type label int

// A jumpTarget is where the jumps to an op lead.
type jumpTarget struct {
	brk, cont label      // 0 for none
	set       []variable // what a continue sets
	results   []variable // what a break sets
}

// A variable is a value that jumps set: its locals, and the bytes of a lane if it is a vector.
type variable struct {
	locals []uint32
	lane   int
}

func (m *module) newFunction(p *plan, params, results []valType) *function {
	f := &function{
		module: m, plan: p, params: params, results: results, locals: append([]valType(nil), params...), free: map[valType][]uint32{}, last: -1, reached: true,
		given: map[string]uint32{}, places: map[*ir.Value]place{}, later: map[*ir.Value]bool{}, left: map[*ir.Value]int{}, targets: map[*ir.Op]jumpTarget{},
	}
	if p != nil {
		for v, n := range p.uses {
			f.left[v] = n
		}
	}
	return f
}

// unsupported notes that o has no translation.
func (f *function) unsupported(o *ir.Op, what string) {
	f.failed(&target.Unsupported{Target: Name, What: what, Pos: o.Pos})
}

// failed notes the first error.
func (m *module) failed(err error) {
	if m.err == nil {
		m.err = err
	}
}

// do appends an instruction without anything behind its number, or what is written in its place.
func (f *function) do(name string) {
	if !f.rewritten(name) {
		f.begin(name)
	}
}

// begin appends the number of an instruction.
func (f *function) begin(name string) instruction {
	i, ok := instructionSet().byName[name]
	if !ok {
		f.failed(fmt.Errorf("there is no instruction %s", name))
	}
	f.last = -1
	f.code = appendCode(f.code, i.code)
	return i
}

func appendCode(b []byte, code uint32) []byte {
	if prefix := code >> 16; prefix != 0 {
		return binary.AppendUvarint(append(b, byte(prefix)), uint64(code&0xffff))
	}
	return append(b, byte(code))
}

// index appends an instruction with the number of something.
func (f *function) index(name string, n uint32) {
	f.begin(name)
	f.code = binary.AppendUvarint(f.code, uint64(n))
}

// access appends an instruction that accesses memory at an offset from the address on the stack.
func (f *function) access(name string, offset uint64) {
	i := f.begin(name)
	f.code = binary.AppendUvarint(f.code, uint64(i.align))
	f.code = binary.AppendUvarint(f.code, offset)
}

// word appends a constant.
func (f *function) word(n int32) {
	f.begin("i32.const")
	f.code = appendSigned(f.code, int64(n))
}

func (f *function) long(n int64) {
	f.begin("i64.const")
	f.code = appendSigned(f.code, n)
}

// number appends a constant of either width.
func (f *function) number(t valType, n int64) {
	if t == i64 {
		f.long(n)
	} else {
		f.word(int32(n))
	}
}

// real appends a floating-point constant with these bits.
func (f *function) real(t valType, bits uint64) {
	if t == f32 {
		f.begin("f32.const")
		f.code = binary.LittleEndian.AppendUint32(f.code, uint32(bits))
		return
	}
	f.begin("f64.const")
	f.code = binary.LittleEndian.AppendUint64(f.code, bits)
}

// fresh makes a local.
func (f *function) fresh(t valType) uint32 {
	f.locals = append(f.locals, t)
	return uint32(len(f.locals) - 1)
}

// take returns a local that is free, or a new one.
func (f *function) take(t valType) uint32 {
	if free := f.free[t]; len(free) > 0 {
		f.free[t] = free[:len(free)-1]
		return free[len(free)-1]
	}
	return f.fresh(t)
}

// give makes locals free.
func (f *function) give(locals ...uint32) {
	for _, l := range locals {
		t := f.locals[l]
		f.free[t] = append(f.free[t], l)
	}
}

// set takes a number from the stack into a local.
func (f *function) set(l uint32) {
	at := len(f.code)
	f.index("local.set", l)
	f.last, f.lastSet = at, l
}

// get puts a local on the stack.
func (f *function) get(l uint32) {
	if f.last >= 0 && f.lastSet == l { // it is there still
		f.code = f.code[:f.last]
		f.index("local.tee", l)
		return
	}
	f.index("local.get", l)
}

// temp takes a number from the stack into a local that is free again behind the current op.
func (f *function) temp(t valType) uint32 {
	l := f.take(t)
	f.set(l)
	f.pending = append(f.pending, func() { f.give(l) })
	return l
}

// open begins a block, a loop or an if, which end ends.
func (f *function) open(name string) label {
	f.begin(name)
	f.code = append(f.code, 0x40) // without results
	f.depth++
	return label(f.depth)
}

func (f *function) end() {
	f.do("end")
	f.depth--
}

// br jumps.
func (f *function) br(name string, to label) { f.index(name, uint32(f.depth-int(to))) }

// leave jumps for good.
func (f *function) leave(to label) {
	f.br("br", to)
	f.reached = false
}

// when runs then if the word on the stack is not 0.
func (f *function) when(then func()) {
	f.open("if")
	then()
	f.end()
	f.reached = true
}

// once reads something at the start of the function, the first time it is asked for. The local belongs to it alone.
func (f *function) once(key string, t valType, read func()) uint32 {
	if l, ok := f.given[key]; ok {
		return l
	}
	code, last, lastSet := f.code, f.last, f.lastSet
	f.code, f.last = nil, -1
	read()
	l := f.fresh(t)
	f.set(l)
	f.prelude = append(f.prelude, f.code...)
	f.code, f.last, f.lastSet = code, last, lastSet
	f.given[key] = l
	return l
}

// context reads a word of the context: the lower half, or all of it.
func (f *function) context(offset int64, t valType) uint32 {
	return f.once(fmt.Sprint("context", offset, t), t, func() {
		f.get(f.ctx)
		f.access(t.String()+".load", uint64(offset))
	})
}

// scalar reads a scalar argument of a task.
func (f *function) scalar(k ir.Kind, at int64, t valType) uint32 {
	l := f.slot(ir.SlotArg, at, t, loadName(k, t))
	if k != ir.Bool {
		return l
	}
	return f.once(fmt.Sprint("bool", at), i32, func() {
		f.get(l)
		f.truth(k)
	})
}

// slot reads a word that the task is given.
func (f *function) slot(from ir.SlotSource, at int64, t valType, load string) uint32 {
	return f.once(fmt.Sprint("slot", from, at, load), t, func() {
		if !f.task {
			f.failed(fmt.Errorf("code for a function that reads what tasks are given"))
			return
		}
		table := f.context(launch.CtxSlots, i32)
		f.get(table)
		f.access(load, uint64(8*f.signature.Index(from, at)))
	})
}

// typeOf is how a value of one lane is kept.
func (f *function) typeOf(v *ir.Value) valType {
	switch k := v.Type.Kind; {
	case v.Type.Lanes > 1:
		return v128
	case k == ir.F32:
		return f32
	case k == ir.F64:
		return f64
	case f.type64(v):
		return i64
	}
	return i32
}

// arrange gives the local arrays in blocks their places.
func (f *function) arrange(blocks ...*ir.Block) {
	f.arrays = map[*ir.Op]int64{}
	for _, b := range blocks {
		ir.Visit(b, func(o *ir.Op) bool {
			if o.Code == ir.OpAlloc {
				f.arrays[o] = f.frameBytes
				f.frameBytes += (max(1, o.Aux)*int64(o.Kind.Size()) + 15) &^ 15
			}
			return true
		})
	}
}

// whole is a number of bytes with those behind them that keep the stack aligned.
func whole(bytes int64) int64 { return (bytes + launch.StackAlign - 1) &^ (launch.StackAlign - 1) }

// finish gives the function of a number its code.
func (f *function) finish(n int) {
	if !f.reached {
		f.do("unreachable") // which makes the end valid
	}
	c := f.functions[n]
	size, tables := whole(f.frameBytes), int64(0)
	body := f.code
	f.code, f.last = nil, -1
	if f.task && f.hasTables {
		tables = whole(f.tablesBytes)
		f.fillTables(tables)
	}
	if f.hasFrame {
		f.get(f.stack)
		f.word(int32(size + tables))
		f.do("i32.sub")
		f.set(f.sp)
	}
	c.code = append(append(append(f.code, f.prelude...), body...), 0x0b)
	c.locals = f.locals[len(f.params):]
	c.frame = size + tables + f.called
}
