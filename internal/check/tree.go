package check

import "go/token"

// A Program is a checked package bound to a host: what lowering starts from.
type Program struct {
	Name    string   // of the package
	Fields  []*Field // all declared fields, in the order of the source
	Kernels []*Func  // all kernels, in the order of the source; context Outermost
	Lib     Widths   // the widths of int and float

	// Args, of an instance, has an entry for each compile-time parameter of its
	// kernel: the field that it is bound to, nil for anything else.
	Args []*Field

	// Prints is what staticPrint wrote, in the order of checking.
	Prints []Print

	source *Package
	host   *Host
}

// Widths are the module's default widths, I32 or I64 and F32 or F64.
type Widths struct{ Int, Float Scalar }

// Kernel returns the kernel of that name, or nil.
func (p *Program) Kernel(name string) *Func {
	for _, k := range p.Kernels {
		if k.Name == name {
			return k
		}
	}
	return nil
}

// A Field is a field as bound, or a node, of which Elem is NodeType. Shape and Origin have Rank entries: indices along
// axis a run from Origin[a] to Origin[a]+Shape[a]-1.
type Field struct {
	Name   string
	Pos    token.Position
	Index  int // in Program.Fields; -1 for views and nodes
	Elem   Type
	Rank   int // -1 in a check without binding
	Shape  []int
	Origin []int
	// Node is the kind of the node that the field is placed in, or that it is. Sparse:
	// this node or one above it is not dense, so that elements may be inactive. List:
	// the node is NodeDynamic, and the last index one of a list. Unbounded: see
	// HostField.
	Node                    NodeKind
	Sparse, List, Unbounded bool
	// Comps is the number that the host gives to each component of Elem; nil if it
	// counts them alike. (A Go struct may have the fields in another order.)
	Comps []int
	// View is the parameter that is meant, of type View: a variable of the function, not
	// in Program.Fields.
	View *Var
	// Symbolic: the tree has an Extent for each use of Shape that needs no constant.
	Symbolic bool
}

// Context says where a function's body runs, and so what its loops are. A function
// is instantiated once per context that it is called in.
type Context uint8

const (
	// Outermost: a kernel's outermost scope, or an exported function called from
	// there: loops are parallel, statements between them run once.
	Outermost Context = iota
	// Serial: called from serial code outside of parallel loops.
	Serial
	// Inside: called from inside a parallel loop.
	Inside
)

// A Func is an instance of a function: a kernel, or a function that a kernel calls.
type Func struct {
	Name     string
	Pos      token.Position
	Exported bool // a kernel, if Context is Outermost
	Context  Context
	NoInline bool     // marked //ti:noinline
	Params   []*Var   // those of run time: values, slices, views, references
	Results  []*Var   // always there; unnamed results have a Var named ""
	Body     *Block   // control never reaches its end where the function has results
	Consts   []string // host constants that it or a callee depends on, sorted
	Fields   []*Field // fields that it or a callee uses, in source order
	Fixed    []*Field // of the symbolic ones, those whose Shape it needs as a constant
}

// Result returns the type of a call: that of the only result, else a *Tuple.
func (f *Func) Result() Type {
	if len(f.Results) == 1 {
		return f.Results[0].Type
	}
	t := &Tuple{}
	for _, r := range f.Results {
		t.Types = append(t.Types, r.Type)
	}
	return t
}

// A Var is a local variable, parameter, result or loop variable. Two of the same
// name are different Vars. Where a body is checked several times (static loops,
// function instances) each time has its own Vars.
type Var struct {
	Name string // "" for a temporary of the checker
	Type Type
	Pos  token.Position

	// Indexed: an array that is indexed with a run-time index and, if Assigned, may
	// be written through one: needs memory, unless lowering knows better.
	Indexed bool
	// Assigned: changed after its definition (assignment, update, component).
	Assigned bool
	// Reduced: a variable of the outermost scope (a named result too) that a
	// parallel loop accumulates into, by Updates and Atomics with Atomic set.
	Reduced bool
	// Outer: declared in the outermost scope of a kernel, outside of any loop, so it
	// may be live across parallel loops. Parameters are not Outer.
	Outer bool
	// Param: a parameter. A parameter may be Assigned and Reduced too.
	Param bool
}

// A Stmt is a statement. All names are resolved, all types written out.
type Stmt interface {
	Position() token.Position
	stmt()
}

type at struct{ Pos token.Position }

// Position returns the place in the source.
func (a at) Position() token.Position { return a.Pos }

func (at) stmt() {}

// The statements.
type (
	// Block is a list of statements, in order. Scopes are resolved already.
	Block struct {
		at
		List []Stmt
	}

	// Define starts the life of Var: a new variable each time it is executed. A nil
	// Init means zero.
	Define struct {
		at
		Var  *Var
		Init Expr
	}

	// Assign evaluates index operands of Places and then Values, left to right, and
	// then stores. A nil place drops the value. len(Values) == len(Places), unless
	// Values is one *Call with as many results as there are places.
	Assign struct {
		at
		Places []Expr // nil, or VarRef, Element, SliceElement, or Extract or Index of these
		Values []Expr
	}

	// Update is place = place op value, the place evaluated once: `x += v`, `x++`,
	// and inside parallel loops `x = min(x, v)` too. Value has the place's type,
	// but for shifts (any integer type, same shape), and MatMul, where it is what
	// the product takes and the result has the place's type (never Atomic).
	// Op is Add Sub Mul Div Rem And Or Xor AndNot Shl Shr MatMul Min Max LAnd LOr
	// (LAnd and LOr on bools, per component).
	// Atomic: per component, one indivisible step; a reduction if the place is in
	// a Var. Only Add Sub Mul Div And Or Xor Min Max LAnd LOr are ever atomic.
	Update struct {
		at
		Op     Op
		Place  Expr
		Value  Expr
		Atomic bool
	}

	// ExprStmt is a Call, Atomic or CellOp whose result is not used.
	ExprStmt struct {
		at
		X Expr
	}

	// If has a scalar bool condition; Else may be nil. `if static` is resolved.
	If struct {
		at
		Cond Expr
		Then *Block
		Else *Block
	}

	// Scope runs Body once; a Break may target it. What is left of a switch.
	Scope struct {
		at
		Body *Block
	}

	// Loop is `for cond`, `for {}` and the three-clause for (whose init stands
	// before it): while Cond (nil: true) { Body; Post }. Continue goes to Post.
	Loop struct {
		at
		Cond Expr
		Post []Stmt
		Body *Block
	}

	// RangeFor runs over the product of Dims, the last the fastest. An empty range
	// (Hi <= Lo) runs not at all. Bounds are evaluated once, in order, before the
	// loop. Loop variables are Vars of the body: fresh in each iteration.
	RangeFor struct {
		at
		Dims     []Range
		Index    []*Var // one scalar for each of Dims, nil where not used; or
		Group    *Var   // a vector of len(Dims) components; Index is nil then
		Body     *Block
		Parallel bool
		Serial   bool // the source says `serial`
		Hints    []Hint
	}

	// FieldFor runs over the cells of a field or node that are active when it starts:
	// of a dense one index = Origin .. Origin+Shape-1. In any order if Parallel, else
	// row-major, or for a sparse field in the order of the memory. Variables as in RangeFor, of type int.
	// A field of rank 0 has neither Index nor Group, and one iteration.
	FieldFor struct {
		at
		Field    *Field
		Index    []*Var
		Group    *Var
		Body     *Block
		Parallel bool
		Serial   bool
		Hints    []Hint
	}

	// Unrolled is a static loop: its bodies one after the other. Break leaves the
	// whole of it, Continue goes to the next body.
	Unrolled struct {
		at
		Bodies []*Block
	}

	// Break leaves Target: a Scope, Loop, RangeFor, FieldFor or Unrolled.
	Break struct {
		at
		Target Stmt
	}

	// Continue goes to the next iteration of Target: a Loop, RangeFor, FieldFor or
	// Unrolled. In a parallel loop it ends the iteration.
	Continue struct {
		at
		Target Stmt
	}

	// Return leaves the function with a value for each result; or Values is one
	// *Call with as many results. A bare return of a function with named results
	// lists them.
	Return struct {
		at
		Values []Expr
	}
)

// A Range is one dimension of a RangeFor; both bounds have the type of its index.
type Range struct{ Lo, Hi Expr }

// A Hint is one option of config(...): its name, and its number or fields where it
// has them.
type Hint struct {
	Name   string // "threads", "blockDim", "blockLocal", …
	Value  int
	Fields []*Field // of blockLocal and cacheReadOnly
}

// An Expr is an expression. Conversions and splats are written out: operands of
// elementwise operators and builtins have equal types.
type Expr interface {
	Type() Type
	Position() token.Position
	expr()
}

type ex struct {
	Pos token.Position
	T   Type
}

// Position returns the place in the source: of a binary expression its operator.
func (e *ex) Position() token.Position { return e.Pos }

// Type returns the type of the value.
func (e *ex) Type() Type { return e.T }

func (*ex) expr() {}

// The expressions. Places (what can be assigned to) are VarRef, Element,
// SliceElement, and Extract and Index whose X is a place.
type (
	// Const is a compile-time value; Vals has one number per component, row-major,
	// already rounded to the type.
	Const struct {
		ex
		Vals []Num
		from origin // what the value was computed from
	}

	// VarRef is a variable. Of a parameter of type Ref it is the place that the
	// caller passed, with the type of that place.
	VarRef struct {
		ex
		Var *Var
	}

	// Element is an element of a field or view. Index holds integer scalars and vectors of
	// any integer type; their components, joined, number Rank. No index for D0.
	Element struct {
		ex
		Field *Field
		Index []Expr
	}

	// SliceElement is an element of a slice parameter (of the kernel, by way of
	// parameters of functions in between). Index is an integer scalar.
	SliceElement struct {
		ex
		Slice *Var
		Index Expr
	}

	// Extent is the extent along one axis of a field, read at launch. Its type is int.
	Extent struct {
		ex
		Field *Field
		Axis  int
	}

	// Extract picks components of X, numbered row-major: `v.x`, `v.zyx`, `m[1]`,
	// `m[1][2]` with constant indices, `p.Pos` of a struct. Comps has Components(Type()) entries. As a
	// place, no component occurs twice.
	Extract struct {
		ex
		X     Expr
		Comps []int
	}

	// Index is X[I] with an index known at run time; X is an array, the type that
	// of its elements (`m[i][j]` is an Index of an Index). Out of range, it is an
	// error: a read gives zero, a write is dropped.
	Index struct {
		ex
		X Expr
		I Expr
	}

	// Compose makes an array or struct from the components of Elems, in order,
	// row-major: `vec3(a, v.xy)`, `[2]vec2{p, q}`, `Body{X: a, M: 1}`. The components
	// have the scalar types of the result's.
	Compose struct {
		ex
		Elems []Expr
	}

	// Splat fills all components of an array with the scalar X.
	Splat struct {
		ex
		X Expr
	}

	// Convert converts each component of X to the scalar type of the result; the
	// shapes are equal. Float to int saturates; bool to number is 0 or 1; number
	// to bool is != 0.
	Convert struct {
		ex
		X Expr
	}

	// Unary is Neg (numbers), Not (bools) or Compl (integers), per component.
	Unary struct {
		ex
		Op Op
		X  Expr
	}

	// Binary is Add Sub Mul Div Rem And Or Xor AndNot, comparisons Eq to Ge, Shl
	// Shr, all per component (And, Or on vectors of bool too), or MatMul. X and Y
	// have equal types but for shift counts and MatMul. A comparison's type is bool
	// in the shape of its operands: `==` of vectors is All of an Eq.
	Binary struct {
		ex
		Op   Op
		X, Y Expr
	}

	// Logic is scalar && (Op LAnd) or || (LOr): Y is evaluated only if needed.
	Logic struct {
		ex
		Op   Op
		X, Y Expr
	}

	// Call calls a function. Its type is Func.Result().
	Call struct {
		ex
		Func *Func
		Args []Expr // in the parameters' types; of a slice or view a VarRef; of a Ref the place
	}

	// Builtin applies a builtin function; see Fn for the types of its arguments.
	Builtin struct {
		ex
		Fn   Fn
		Args []Expr
	}

	// Atomic is atomicAdd(&place, v) and its family: the old value, per component.
	// Op is Add Sub Min Max And Or Xor, Xchg, or CAS (if old == Expected, store
	// Value; scalars only).
	Atomic struct {
		ex
		Op       Op
		Place    Expr
		Value    Expr
		Expected Expr // of CAS
		Used     bool // the old value is used
	}

	// CellOp is an operation on a cell of a node, for which a field of the node may
	// stand, or on a list, whose Index lacks the last axis. Where its type is an empty
	// Tuple it stands in an ExprStmt only.
	CellOp struct {
		ex
		Fn    CellFn
		Field *Field
		Index []Expr
		Value Expr // of Append
	}

	// Output writes text: what is left of print and printf. Its type is an empty
	// Tuple, so that it stands in an ExprStmt only.
	Output struct {
		ex
		Format []TextPart
		Args   []Expr
	}

	// Assert fails the launch with a message where Cond, a scalar bool, is false. It
	// stands in an ExprStmt only. Args are evaluated in any case.
	Assert struct {
		ex
		Cond   Expr
		Format []TextPart
		Args   []Expr
	}
)

// A TextPart is a piece of what an Output or Assert writes: Text as it is, or, if
// Verb is not "", component Comp of argument Arg, a scalar of type Kind, by one of
// fmt's verbs, such as "%8.3f".
type TextPart struct {
	Text      string
	Verb      string
	Arg, Comp int
	Kind      Scalar
}

// An Op is an operator.
type Op uint8

// The operators.
const (
	NoOp Op = iota
	Add
	Sub
	Mul
	Div // integers truncate
	Rem // integers only, truncates
	And
	Or
	Xor
	AndNot
	Shl
	Shr // arithmetic for signed types
	Eq
	Ne
	Lt
	Le
	Gt
	Ge
	LAnd
	LOr
	Min
	Max
	MatMul // matrix*matrix, matrix*vector, vector (a row)*matrix
	Neg
	Not
	Compl
	Xchg
	CAS
)

var opNames = [...]string{
	NoOp: "none", Add: "+", Sub: "-", Mul: "*", Div: "/", Rem: "%", And: "&", Or: "|", Xor: "^",
	AndNot: "&^", Shl: "<<", Shr: ">>", Eq: "==", Ne: "!=", Lt: "<", Le: "<=", Gt: ">", Ge: ">=",
	LAnd: "&&", LOr: "||", Min: "min", Max: "max", MatMul: "*", Neg: "-", Not: "!", Compl: "^",
	Xchg: "xchg", CAS: "cas",
}

// String returns the operator as written.
func (o Op) String() string { return opNames[o] }
