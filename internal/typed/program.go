package typed

import (
	"go/token"

	"github.com/gotaichi/ti/internal/diag"
)

// A Program is a checked package bound to a host: what lowering starts from.
type Program struct {
	Name    string   // of the package
	Fields  []*Field // all declared fields, in the order of the source
	Kernels []*Func  // all kernels, in the order of the source; context Outermost
	Lib     Widths   // the widths of int and float

	// Args, of an instance, has an entry for each compile-time parameter of its
	// kernel: the field that it is bound to, nil for anything else.
	Args []*Field

	// Files are the sources that the program was checked from, for the text of errors.
	Files []Text
}

// A Text is a source that a program was checked from.
type Text interface {
	LineAt(p token.Position) string // the line at a position; "" for one in another file
}

// ErrorAt returns an error at a position of the source, with the text of its line.
func (p *Program) ErrorAt(code diag.Code, at token.Position, help, msg string) *diag.Error {
	e := &diag.Error{Code: code, Pos: at, Msg: msg, Help: help}
	for _, f := range p.Files {
		if line := f.LineAt(at); line != "" {
			e.Line = line
		}
	}
	return e
}

// Widths are the module's default widths, I32 or I64 and F32 or F64.
type Widths struct{ Int, Float Scalar }

// WidthsOf returns the widths of so many bits, 32 or 64; 0 stands for 32.
func WidthsOf(intBits, floatBits int) Widths {
	w := Widths{I32, F32}
	if intBits == 64 {
		w.Int = I64
	}
	if floatBits == 64 {
		w.Float = F64
	}
	return w
}

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
	Rule     *Func    // computes its derivative; nil for a function without one of its own
	Tangent  *Func    // computes how its results change with its arguments; only functions of the prelude have one
	NoRule   string   // why it has no derivative; "" if it has
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
	// Section: what is known of a section at run time only; see Sectioned. It is never memory, whatever its size.
	Section bool
}
