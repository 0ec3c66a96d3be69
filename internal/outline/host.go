package outline

import "github.com/gotaichi/ti/internal/typed"

// A Host describes what a source is bound to. What a bundle holds has a path for a
// name: Levels[2], S.X, Systems[0].Bodies.
type Host struct {
	Fields map[string]HostField
	Consts map[string]HostConst
	Widths typed.Widths // zero: I32 and F32
}

// A HostField describes the field bound to a name. Shape has an entry per axis.
type HostField struct {
	Elem   typed.Type // nil: whatever the source declares
	Shape  []int
	Origin []int // nil: all zero

	// Symbolic: the extents are read at launch wherever the source does not need
	// constants, so that fields of other extents can share the code.
	Symbolic bool

	// What is known of the nodes on the path, see [typed.Field]. Unbounded: one of them is a
	// hash node without sizes. Shape then has extents of about 2^32 in the ratio that
	// cells have to each other, Origin about -2^31, and the source cannot ask for them.
	Node                    typed.NodeKind
	Sparse, List, Unbounded bool

	// Grad is the field of the adjoints, x.grad in the source, and Dual that of the tangents, x.dual; nil for one that is
	// not placed.
	Grad, Dual *HostField
}

// A TemplateArg is what a host gives for a compile-time parameter of a kernel, or for
// a part of a bundle: one of a field, a node (a field without components), a constant,
// and memory of the caller.
type TemplateArg struct {
	Var   string // the path of the var that is bound to the very same field; or
	Field *HostField
	Const *HostConst

	// Memory is the type of a slice or view, which makes a template parameter one of
	// run time: its address comes with each launch.
	Memory typed.Type
}

// A HostConst is a constant's value: Dims nil for a scalar, else the lengths of a
// vector, matrix or array, with its components row-major.
type HostConst struct {
	Vals []typed.Num
	Dims []int
}
