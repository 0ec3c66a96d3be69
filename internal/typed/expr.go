package typed

import (
	"go/token"
	"slices"
)

// An Expr is an expression. Conversions and splats are written out: operands of
// elementwise operators and builtins have equal types.
type Expr interface {
	Type() Type
	Position() token.Position
	expr()
}

type ExprBase struct {
	Pos token.Position
	T   Type
}

// Position returns the place in the source: of a binary expression its operator.
func (e *ExprBase) Position() token.Position { return e.Pos }

// Type returns the type of the value.
func (e *ExprBase) Type() Type { return e.T }

func (*ExprBase) expr() {}

// The expressions. Places (what can be assigned to) are VarRef, Element,
// SliceElement, and Extract and Index whose X is a place.
type (
	// Const is a compile-time value; Vals has one number per component, row-major,
	// already rounded to the type.
	Const struct {
		ExprBase
		Vals []Num
		From Origin // what the value was computed from
	}

	// VarRef is a variable. Of a parameter of type Ref it is the place that the
	// caller passed, with the type of that place.
	VarRef struct {
		ExprBase
		Var *Var
	}

	// Element is an element of a field or view. Index holds integer scalars and vectors of
	// any integer type; their components, joined, number Rank. No index for D0.
	// If Section is not nil, they are the index in this part of the field.
	Element struct {
		ExprBase
		Field   *Field
		Index   []Expr
		Section *Section
	}

	// Sectioned is what is known of a section at run time only, an array of int or I64: for each
	// axis of the field in order, the index if it is at one, and begin, step and length if it is
	// limited. Where bounds or indices do not fit, which is an error, lengths are 0. Index has the
	// operands of Cuts, of any integer type.
	Sectioned struct {
		ExprBase
		Text  string // of the source
		Field *Field
		Of    *Section // what is cut; nil for the field as a whole
		Cuts  []Cut    // one for each axis of Of, or of the field
		Index []Expr
	}

	// SliceElement is an element of a slice parameter (of the kernel, by way of
	// parameters of functions in between). Index is an integer scalar.
	SliceElement struct {
		ExprBase
		Slice *Var
		Index Expr
	}

	// Extent is the extent along one axis of a field, read at launch. Its type is int.
	Extent struct {
		ExprBase
		Field *Field
		Axis  int
	}

	// Extract picks components of X, numbered row-major: `v.x`, `v.zyx`, `m[1]`,
	// `m[1][2]` with constant indices, `p.Pos` of a struct. Comps has Components(Type()) entries. As a
	// place, no component occurs twice.
	Extract struct {
		ExprBase
		X     Expr
		Comps []int
	}

	// Index is X[I] with an index known at run time; X is an array, the type that
	// of its elements (`m[i][j]` is an Index of an Index). Out of range, it is an
	// error: a read gives zero, a write is dropped.
	Index struct {
		ExprBase
		X Expr
		I Expr
	}

	// Compose makes an array or struct from the components of Elems, in order,
	// row-major: `vec3(a, v.xy)`, `[2]vec2{p, q}`, `Body{X: a, M: 1}`. The components
	// have the scalar types of the result's.
	Compose struct {
		ExprBase
		Elems []Expr
	}

	// Splat fills all components of an array with the scalar X.
	Splat struct {
		ExprBase
		X Expr
	}

	// Convert converts each component of X to the scalar type of the result; the
	// shapes are equal. Float to int saturates; bool to number is 0 or 1; number
	// to bool is != 0.
	Convert struct {
		ExprBase
		X Expr
	}

	// Unary is Neg (numbers), Not (bools) or Compl (integers), per component.
	Unary struct {
		ExprBase
		Op Op
		X  Expr
	}

	// Binary is Add Sub Mul Div Rem And Or Xor AndNot, comparisons Eq to Ge, Shl
	// Shr, all per component (And, Or on vectors of bool too), or MatMul. X and Y
	// have equal types but for shift counts and MatMul. A comparison's type is bool
	// in the shape of its operands: `==` of vectors is All of an Eq.
	Binary struct {
		ExprBase
		Op   Op
		X, Y Expr
	}

	// Logic is scalar && (Op LAnd) or || (LOr): Y is evaluated only if needed.
	Logic struct {
		ExprBase
		Op   Op
		X, Y Expr
	}

	// Call calls a function. Its type is Func.Result().
	Call struct {
		ExprBase
		Func *Func
		Args []Expr // in the parameters' types; of a slice or view a VarRef; of a Ref the place
	}

	// Builtin applies a builtin function; see Fn for the types of its arguments.
	Builtin struct {
		ExprBase
		Fn   Fn
		Args []Expr
	}

	// Atomic is atomicAdd(&place, v) and its family: the old value, per component.
	// Op is Add Sub Min Max And Or Xor, Xchg, CAS (if old == Expected, store
	// Value; scalars only), or Fetch, which leaves the place as it is (Value is zero).
	Atomic struct {
		ExprBase
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
		ExprBase
		Fn    CellFn
		Field *Field
		Index []Expr
		Value Expr // of Append
	}

	// Output writes text: what is left of print and printf. Its type is an empty
	// Tuple, so that it stands in an ExprStmt only.
	Output struct {
		ExprBase
		Format []TextPart
		Args   []Expr
	}

	// Assert fails the launch with a message where Cond, a scalar bool, is false. It
	// stands in an ExprStmt only. Args are evaluated in any case.
	Assert struct {
		ExprBase
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
	Fetch

	numOps
)

var opNames = [...]string{
	NoOp: "none", Add: "+", Sub: "-", Mul: "*", Div: "/", Rem: "%", And: "&", Or: "|", Xor: "^",
	AndNot: "&^", Shl: "<<", Shr: ">>", Eq: "==", Ne: "!=", Lt: "<", Le: "<=", Gt: ">", Ge: ">=",
	LAnd: "&&", LOr: "||", Min: "min", Max: "max", MatMul: "*", Neg: "-", Not: "!", Compl: "^",
	Xchg: "xchg", CAS: "cas", Fetch: "fetch",
}

// Ops returns all operators in the order of the table.
func Ops() []Op {
	var all []Op
	for op := NoOp + 1; op < numOps; op++ {
		all = append(all, op)
	}
	return all
}

// String returns the operator as written.
func (o Op) String() string { return opNames[o] }

// A Section is a part of a field: what a parameter stands for that is given one.
type Section struct {
	Name string        // of the parameter
	Axes []SectionAxis // one for each axis of the field
}

// A SectionAxis says what of one axis belongs to a section. The operands are integers.
type SectionAxis struct {
	At                Expr // the one index that does; nil for a kept axis
	Begin, Step, Size Expr // of a kept axis that is limited; nil for one that is taken whole
}

// Kept reports whether the axis is one of the section.
func (a SectionAxis) Kept() bool { return a.At == nil }

// Limited reports whether bounds or a step say what of a kept axis belongs to the section.
func (a SectionAxis) Limited() bool { return a.Size != nil }

// Limited reports whether an axis is limited.
func (s *Section) Limited() bool { return s != nil && slices.ContainsFunc(s.Axes, SectionAxis.Limited) }

// Operands returns the operands of all axes.
func (s *Section) Operands() (all []Expr) {
	if s == nil {
		return nil
	}
	for _, a := range s.Axes {
		for _, e := range []Expr{a.At, a.Begin, a.Step, a.Size} {
			if e != nil {
				all = append(all, e)
			}
		}
	}
	return all
}

// A Cut says what is taken of an axis: numbers of components of the operands, joined; -1 for what is left out. Without any
// the axis is taken whole.
type Cut struct {
	At           int // one index, and the axis is gone
	Lo, Hi, Step int
}

// Whole is the cut that leaves an axis as it is.
var Whole = Cut{-1, -1, -1, -1}
