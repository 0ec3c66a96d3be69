package typed

import (
	"go/token"
)

// A Stmt is a statement. All names are resolved, all types written out.
type Stmt interface {
	Position() token.Position
	stmt()
}

type StmtBase struct{ Pos token.Position }

// Position returns the place in the source.
func (a StmtBase) Position() token.Position { return a.Pos }

func (StmtBase) stmt() {}

// The statements.
type (
	// Block is a list of statements, in order. Scopes are resolved already.
	Block struct {
		StmtBase
		List []Stmt
	}

	// Define starts the life of Var: a new variable each time it is executed. A nil
	// Init means zero.
	Define struct {
		StmtBase
		Var  *Var
		Init Expr
	}

	// Assign evaluates index operands of Places and then Values, left to right, and
	// then stores. A nil place drops the value. len(Values) == len(Places), unless
	// Values is one *Call with as many results as there are places.
	Assign struct {
		StmtBase
		Places []Expr // nil, or VarRef, Element, SliceElement, or Extract or Index of these
		Values []Expr

		Accumulates bool // the text is x = min(x, v, …) or x = max(x, v, …)
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
		StmtBase
		Op     Op
		Place  Expr
		Value  Expr
		Atomic bool
	}

	// ExprStmt is a Call, Atomic or CellOp whose result is not used.
	ExprStmt struct {
		StmtBase
		X Expr
	}

	// If has a scalar bool condition; Else may be nil. `if static` is resolved.
	If struct {
		StmtBase
		Cond Expr
		Then *Block
		Else *Block
	}

	// Scope runs Body once; a Break may target it. What is left of a switch.
	Scope struct {
		StmtBase
		Body *Block
	}

	// Loop is `for cond`, `for {}` and the three-clause for (whose init stands
	// before it): while Cond (nil: true) { Body; Post }. Continue goes to Post.
	Loop struct {
		StmtBase
		Cond Expr
		Post []Stmt
		Body *Block
	}

	// RangeFor runs over the product of Dims, the last the fastest. An empty range
	// (Hi <= Lo) runs not at all. Bounds are evaluated once, in order, before the
	// loop. Loop variables are Vars of the body: fresh in each iteration.
	RangeFor struct {
		StmtBase
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
	// A field of rank 0 has one iteration, and no component in Group.
	FieldFor struct {
		StmtBase
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
		StmtBase
		Bodies []*Block
	}

	// Break leaves Target: a Scope, Loop, RangeFor, FieldFor or Unrolled.
	Break struct {
		StmtBase
		Target Stmt
	}

	// Continue goes to the next iteration of Target: a Loop, RangeFor, FieldFor or
	// Unrolled. In a parallel loop it ends the iteration.
	Continue struct {
		StmtBase
		Target Stmt
	}

	// Return leaves the function with a value for each result; or Values is one
	// *Call with as many results. A bare return of a function with named results
	// lists them.
	Return struct {
		StmtBase
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
