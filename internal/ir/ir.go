package ir

// A Value is the result of an op or a parameter of a block. It is assigned
// once, where it stands. Values have no use lists: passes rewrite in one visit
// over the code with a map from old values to new ones.
type Value struct {
	Type  Type
	Def   *Op    // the op whose result it is, or nil
	Block *Block // the block whose parameter it is, or nil
	Index int    // which result or parameter
	Name  string // the variable it came from, a hint for printing; may be ""
	ID    int    // number in the text form, set by NumberBlock
}

// An Op is an instruction. What its parts mean depends on Code; see the table
// in op.go and the package documentation.
type Op struct {
	Code    Code
	Flags   Flags
	Atomic  AtomicKind // of an atomic
	Tally   TallyPart  // of a tally
	Order   Order      // load, store, atomic
	Kind    Kind       // alloc: of an element; load of memory: redundant with the result
	Phase   int32      // parfor, fieldfor: the phase of the kernel that it is of, counted from 1; 0 for none
	Aux     int64      // a small integer attribute, see Code
	Bits    uint64     // const: the value, see IntBits; ptr and elem that are Dynamic: the limit; parfor, fieldfor: the most threads, 0 for any
	Alias   int32      // load, store, atomic after access lowering: alias class, 0 for any
	Stride  int32      // ptr and elem that are Dynamic: components from one choice to the next
	Args    []*Value
	Results []*Value
	Regions []*Block
	Field   *Field // ptr, fieldfor, ops on cells and lists
	Hints   *Hints // parfor, fieldfor: may be nil; never changed, so copies share it
	Table   *Table // lookup
	Param   *Param // len, elem
	Func    *Func  // call
	Target  *Op    // break, continue: the op that is left or continued
	Store   *Store // grow, find, enter
	Pos     Pos
}

// Like returns an op with the attributes of o, all but its operands, its regions, and what it jumps to.
func (o *Op) Like(results []Type, args ...*Value) *Op {
	c := NewOp(o.Code, o.Pos, results, args...)
	c.Flags, c.Atomic, c.Tally, c.Order, c.Kind, c.Phase, c.Aux, c.Bits, c.Alias, c.Stride = o.Flags, o.Atomic, o.Tally, o.Order, o.Kind, o.Phase, o.Aux, o.Bits, o.Alias, o.Stride
	c.Field, c.Hints, c.Table, c.Param, c.Func, c.Store = o.Field, o.Hints, o.Table, o.Param, o.Func, o.Store
	return c
}

// IsParallel reports whether o is a parallel loop, as it is before tasks are made.
func (o *Op) IsParallel() bool { return o.Code == OpParFor || o.Code == OpFieldFor }

// Result returns the only (or first) result, nil if there is none.
func (o *Op) Result() *Value {
	if len(o.Results) == 0 {
		return nil
	}
	return o.Results[0]
}

// A Block is a region of an op, the body of a kernel, of a task or of a
// function: parameters and a sequence of ops of which the last, and no other,
// is a terminator. A value is visible after its definition in its block and in
// the regions of the ops that follow there.
type Block struct {
	Params []*Value
	Ops    []*Op
	Parent *Op // the op that the block is a region of; nil for a body
}

// Terminator returns the last op if it is a terminator, else nil.
func (b *Block) Terminator() *Op {
	if n := len(b.Ops); n > 0 && b.Ops[n-1].Code.Is(Terminator) {
		return b.Ops[n-1]
	}
	return nil
}

// Size returns the number of ops in b and its regions.
func (b *Block) Size() int {
	n := 0
	Visit(b, func(*Op) bool {
		n++
		return true
	})
	return n
}

// AddParam appends a parameter to b.
func (b *Block) AddParam(t Type, name string) *Value {
	v := &Value{Type: t, Block: b, Index: len(b.Params), Name: name}
	b.Params = append(b.Params, v)
	return v
}

// Pos is a place in a source. The zero Pos is unknown.
type Pos struct {
	File uint16 // index into Kernel.Files
	Col  uint16 // from 1, in bytes
	Line uint32 // from 1
}

// IsKnown reports whether p is a place.
func (p Pos) IsKnown() bool { return p.Line > 0 }

// Flags refine an op; each says which ops it applies to.
type Flags uint32

const (
	// NoWrap on add, sub, mul, neg of integers, and on convert: the exact result fits the type,
	// of a convert to an integer the operand without what follows the point.
	NoWrap Flags = 1 << iota
	// InBounds on ptr, elem, cell, lookup: every index is proven to be in range,
	// so no check is emitted.
	InBounds
	// NonAtomic on atomic and append: no other thread touches the place, or the list,
	// during the task. On follow: nothing grows at the slot during the task.
	NonAtomic
	// Serial on fieldfor, parfor: iterations run in order on one thread.
	Serial
	// Strict on arithmetic: keep IEEE order, neither reassociate nor contract.
	Strict
	// Proven on visit: the cell is active. On grow: there is a block.
	Proven
	// Dynamic on ptr and elem: the last argument, checked against [0, Bits), chooses
	// among the components Aux, Aux+Stride, Aux+2*Stride, … For an element of a
	// matrix lowering computes one number out of row and column, and -1 where either
	// is out of range; likewise for an array within an array of structs, where some
	// of the numbers below Bits may be of other components, which are never chosen.
	Dynamic
	// Rolled on for: a loop that is short, or seldom run. The back end leaves it as it is.
	Rolled
	// Independent on for: its iterations may run in any order or at once.
	Independent
	// Scattered on for: its iterations compute, and read at places far apart, so that several
	// at once are worth it whatever gathering costs.
	Scattered
	// Dependent on for: an iteration may access memory again that it has stored to.
	Dependent
	// Seldom on if: the condition is rarely true.
	Seldom
	// Unset on alloc: the elements are not initialised. Each is stored to before it is read.
	Unset
	// Stack on alloc: entries are filled in their order and read in the reverse order, so that few of them are in use
	// at a time, and memory that no entry needs is never touched.
	Stack
	// Copied on ptr: the place is in the copy of its tree that is a private one of the task; other places of the tree
	// are not. On worker: it chooses among copies, one for each thread, that are merged after the loop.
	Copied
	// More on store and atomic: the assignment or update to which it belongs goes on with the next op of its code.
	More
	// Guess on load, store, atomic, activate and count: another access to the element is the one to report an index
	// out of range.
	Guess
	// Streamed on store: the place is one of those that neighbouring iterations of the task fill, and that
	// nothing else in the task accesses. It may be written at any time before the task ends, past the caches.
	Streamed
	// Builtin on add, sub and mul of floats: they are part of a builtin, whose result must not depend on where its
	// iteration runs. The fuse pass decides how they are contracted, and makes the sums Strict.
	Builtin
)

// For returns the flags that an op of type t takes over from what it is made for: Builtin is for some codes alone.
func (f Flags) For(code Code, t Type) Flags {
	if f.Has(Builtin) && (flagsOf(code)&Builtin == 0 || !t.Kind.IsFloat()) {
		return f &^ Builtin
	}
	return f
}

// Has reports whether all of g are set.
func (f Flags) Has(g Flags) bool { return f&g == g }

// AtomicKind says what an atomic op does with the old value and its operand.
type AtomicKind uint8

const (
	AtomicNone AtomicKind = iota
	AtomicAdd
	AtomicSub
	AtomicMul
	AtomicDiv
	AtomicMin
	AtomicMax
	AtomicAnd
	AtomicOr
	AtomicXor
	AtomicLAnd // x = x && v, on bool
	AtomicLOr  // x = x || v, on bool
	AtomicXchg
	AtomicCAS  // operands: expected, new
	AtomicLoad // a load that stays where it stands, and races with no atomic; its operand means nothing
)

var atomicNames = [...]string{
	AtomicNone: "none", AtomicAdd: "add", AtomicSub: "sub", AtomicMul: "mul", AtomicDiv: "div",
	AtomicMin: "min", AtomicMax: "max", AtomicAnd: "and", AtomicOr: "or", AtomicXor: "xor",
	AtomicLAnd: "land", AtomicLOr: "lor", AtomicXchg: "xchg", AtomicCAS: "cas",
	AtomicLoad: "load",
}

// String returns the name as the text form has it, as in "atomic.add".
func (a AtomicKind) String() string { return atomicNames[a] }

var atomicCodes = [...]Code{
	AtomicAdd: OpAdd, AtomicSub: OpSub, AtomicMul: OpMul, AtomicDiv: OpDiv, AtomicMin: OpMin, AtomicMax: OpMax,
	AtomicAnd: OpAnd, AtomicOr: OpOr, AtomicXor: OpXor, AtomicLAnd: OpAnd, AtomicLOr: OpOr,
}

// Code returns the op that makes the new value of the old one and the operand. Exchanges have none.
func (a AtomicKind) Code() (c Code, ok bool) {
	if int(a) < len(atomicCodes) {
		c = atomicCodes[a]
	}
	return c, c != BadCode
}

// ParseAtomic is the inverse of String.
func ParseAtomic(name string) (AtomicKind, bool) {
	for i, n := range atomicNames {
		if n == name && i != 0 {
			return AtomicKind(i), true
		}
	}
	return AtomicNone, false
}

// A Field is a field as kernels see it: components of scalar kinds under Rank
// integer indices. Where the components lie is the layout's business and enters
// at access lowering. One without components is a node of a layout tree.
type Field struct {
	Name   string
	Index  int     // in Kernel.Fields
	Comps  []Kind  // one for each scalar component, row-major
	Shape  []int64 // extent along each axis, -1 where it is read at launch; empty for D0
	Origin []int64 // lowest index along each axis; nil for all 0, see Low

	// Host is the number that the layout gives to each component; nil if it counts
	// them alike.
	Host []int

	// Node is the kind of the node that the field is placed in, or is. Sparse says that
	// this node or one above it is not dense, so that some elements may be inactive.
	// List, the same as Node being NodeDynamic, says that the last index is one of a list.
	Node         NodeKind
	Sparse, List bool

	// Extents has the parameters that hold the extents read at launch, nil for the
	// others; it is nil where there is none.
	Extents []*Param
	Like    *Field // the field whose Extents these are, nil for its own
	// Stored says how components are stored, nil for all as they are. Word says that the
	// elements are words that others are packed in.
	Stored []Stored
	Word   *WordOf
	// View says that the elements are memory of the caller: those of a view
	// parameter, row-major, with all extents read at launch.
	View *View
}

// A View is where the elements of a view parameter lie.
type View struct {
	Param   *Param  // the address of the first element
	Offsets []int64 // of each component in an element, bytes
	Size    int64   // of an element

	// Strides hold, for each axis but the last, by how many elements neighbours along it
	// are apart. Without them the elements follow each other in row-major order.
	Strides []*Param
}

// Extent returns the extent of an axis: a constant, or the parameter that holds it.
func (f *Field) Extent(axis int) (n int64, at *Param) {
	if f.Extents != nil && f.Extents[axis] != nil {
		return -1, f.Extents[axis]
	}
	return f.Shape[axis], nil
}

// Low returns the lowest index along an axis.
func (f *Field) Low(axis int) int64 {
	if f.Origin == nil {
		return 0
	}
	return f.Origin[axis]
}

// Rank returns the number of indices.
func (f *Field) Rank() int { return len(f.Shape) }

// A Param is a parameter of a kernel: a scalar, vector, matrix or struct passed by
// value (one argument slot a component), or a slice of the caller's memory (two
// slots: data pointer and length). A view is several: the address, and each of its
// extents. The extents of fields follow the parameters of the source.
type Param struct {
	Name    string
	Content ParamContent
	Kind    Kind // of a component; of a struct the first
	Comps   int  // number of components (of an element, for a slice)
	Slot    int  // first argument slot

	Kinds   []Kind  // of each component of a struct; nil for others
	Offsets []int64 // slice of structs: where in an element each component lies, in bytes
	Size    int64   // slice of structs: bytes from one element to the next
	Value   uint64  // a number: which
}

// KindOf returns the kind of a component.
func (p *Param) KindOf(comp int) Kind {
	if p.Kinds == nil {
		return p.Kind
	}
	return p.Kinds[comp]
}

// Offset returns where a component lies in an element of a slice, in bytes.
func (p *Param) Offset(comp int) int64 {
	if p.Offsets == nil {
		return int64(comp * p.Kind.Size())
	}
	return p.Offsets[comp]
}

// ElemSize returns how many bytes elements of a slice are apart.
func (p *Param) ElemSize() int64 {
	if p.Offsets == nil {
		return int64(p.Comps * p.Kind.Size())
	}
	return p.Size
}

// ParamContent says what the argument slots of a parameter hold.
type ParamContent uint8

const (
	ParamValue  ParamContent = iota // the components, one a slot
	ParamSlice                      // address and length
	ParamView                       // the address of the elements of a field
	ParamExtent                     // an extent of a field: from 1 to the largest int
	ParamLength                     // an extent of a view, which may be 0
	ParamStride                     // a stride of a view, an i64
	ParamNumber                     // a number that is known, of Kind: tasks that differ in it share code
)

// HasLength reports whether there is a length in the slots of p, for op len and
// bounds.
func (p *Param) HasLength() bool {
	switch p.Content {
	case ParamSlice, ParamExtent, ParamLength, ParamStride:
		return true
	}
	return false
}

// LengthSlot is the argument slot with the length.
func (p *Param) LengthSlot() int {
	if p.Content == ParamSlice {
		return p.Slot + 1
	}
	return p.Slot
}

// Least is the smallest length that p can have.
func (p *Param) Least() int64 {
	if p.Content == ParamExtent {
		return 1
	}
	return 0
}

// Slots returns how many argument slots the parameter takes.
func (p *Param) Slots() int {
	if p.Content == ParamSlice {
		return 2
	}
	return p.Comps
}

// A Table is a constant array that code indexes at run time.
type Table struct {
	Name  string
	Index int
	Kind  Kind
	Data  []uint64 // elements as IntBits and FloatBits have them
}

// A Func is a function out of line, called by call ops: the maths library, functions
// marked noinline, and the sparse runtime. It has no fields and parameters of the kernel.
type Func struct {
	Name    string
	Params  []Type // also the types of Body.Params
	Results []Type
	Body    *Block // ends in return
	Scalar  *Func  // for a lane variant, the function it is the variant of

	// Rule computes the derivative of a function that has one of its own, while kernels are differentiated. It takes
	// the arguments and, if TakesResults, the results, then the adjoints of the results that are floats; it returns
	// those of the arguments that are floats.
	Rule         *Func
	TakesResults bool   // of a Rule
	NoRule       string // why a function has no derivative; "" if it has

	// Tangent is for forward mode what Rule is for the backward pass, of functions for which rows of the Jacobian
	// matrix would do worse. It takes the arguments, the results, and the tangents of the arguments that are floats;
	// it returns those of the results that are floats.
	Tangent *Func

	// Effects says what a call does beside computing its results, and covers what the body
	// does to memory that is not its own. Only functions call one that has any.
	Effects Effects
}

// A Kernel is the unit of compilation. It comes out of lowering with Body set;
// the split pass replaces Body by Tasks.
type Kernel struct {
	Name    string
	Files   []string // names of the source files, for Pos.File
	Int     Kind     // I32 or I64: the source's int, type of field indices and of len
	Params  []*Param
	Results []Kind // scalar components of all results, in order
	Fields  []*Field
	Tables  []*Table
	Funcs   []*Func // called functions, callees before callers

	Body   *Block
	Phases []Phase // of the body, in their order; nil before they are computed, and once there are tasks

	// Repeats says that the cells that a launch activates follow from its arguments and from which cells are active. It is found with Phases.
	Repeats bool

	Tasks     []*Task
	Bases     []int  // after access lowering: layout tree of each entry of the base table
	Sums      []Sums // memory of sums
	Sites     []*Site
	FrameSize int64    // bytes; results lie at the start, 8 bytes each
	DoneSlot  int64    // frame offset of the i32 that is 1 once the kernel has returned early; -1 if it cannot
	Measure   *Measure // what is counted of the numbers that are stored; nil for nothing
	Parts     []Part   // the kernels of which a linked one is made, in their order; nil for others
}

// TopologyClass is the alias class of what is in sparse trees beside elements: pointers, masks, lengths and control words.
func (k *Kernel) TopologyClass() int32 { return int32(len(k.Fields) + 2) }

// Sums is memory that a kernel adds to and sets to zero again: an entry of Bases with the number Tree has its address.
type Sums struct {
	Tree  int
	Bytes int64
}

// NumberBlock numbers the values of b and its regions from n on and returns the
// next free number.
func NumberBlock(b *Block, n int) int {
	if b == nil {
		return n
	}
	for _, p := range b.Params {
		p.ID = n
		n++
	}
	for _, o := range b.Ops {
		for _, r := range o.Results {
			r.ID = n
			n++
		}
		for _, r := range o.Regions {
			n = NumberBlock(r, n)
		}
	}
	return n
}

// Blocks returns the kernel's outermost blocks in the order they are printed:
// functions, then the body or the tasks.
func (k *Kernel) Blocks() []*Block {
	var bs []*Block
	for _, f := range k.Funcs {
		bs = append(bs, f.Body)
	}
	if k.Body != nil {
		bs = append(bs, k.Body)
	}
	for _, t := range k.Tasks {
		bs = append(bs, t.Blocks()...)
	}
	return bs
}

// Visit calls f for every op of b in order, an op before those in its regions.
// If f returns false the op's regions are passed over.
func Visit(b *Block, f func(*Op) bool) {
	if b == nil {
		return
	}
	for _, o := range b.Ops {
		if f(o) {
			for _, r := range o.Regions {
				Visit(r, f)
			}
		}
	}
}
