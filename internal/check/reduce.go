package check

import (
	"go/ast"

	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

// This file checks reductions of whole fields, slices and vectors. They are written in the kernel language, in reduce.ti of
// package prelude, as kernels: where a kernel may call one, their loops are parallel.

func reduceRows() []builtinRow {
	return []builtinRow{{"argMin", argFn("ArgMin", "SliceMin")}, {"argMax", argFn("ArgMax", "SliceMax")}, {"reduce", checkReduce}}
}

// argFn is argMin or argMax, by kernels of the prelude for fields and for slices, and by a function for vectors.
func argFn(kernel, ofSlice string) builtinFn {
	return func(c *checker, name string, e *ast.CallExpr) operand {
		if !c.argCount(name, e, 1, 1, name+"(x)") {
			return operand{}
		}
		const want = "a field, slice or vector of numbers"
		of, rank, memory := c.reduced(e.Args[0])
		_, isNumber := of.(typed.Scalar)
		switch {
		case of == nil || isUnknown(of):
			return operand{}
		case memory && (!isNumber || of == typed.Bool || rank == 0):
			return c.notReduced(name, e, want)
		case memory && !c.mayReduce(name, e):
			return operand{}
		case rank == slice:
			return valueOf(c.callPrelude(ofSlice, e))
		case memory:
			at := c.callPrelude(kernel, e)
			if rank == 1 && !isUnknown(at.Type()) {
				at = extract(at, c.widths.Int, []int{0}, c.at(e.Pos()))
			}
			return valueOf(at)
		case len(typed.Dims(of)) != 1 || typed.HasStruct(of) || typed.ScalarOf(of) == typed.Bool:
			return c.notReduced(name, e, want)
		}
		return valueOf(c.callPrelude(name+"Of", e))
	}
}

func checkReduce(c *checker, name string, e *ast.CallExpr) operand {
	if !c.argCount(name, e, 2, 2, "reduce(x, f), where f combines two elements") {
		return operand{}
	}
	of, rank, memory := c.reduced(e.Args[0])
	switch {
	case of == nil || isUnknown(of):
		return operand{}
	case !memory || rank == 0 || typed.HasStruct(of) || typed.ScalarOf(of) == typed.Bool:
		return c.notReduced(name, e, "a field or slice of numbers, vectors or matrices")
	case !c.mayReduce(name, e):
		return operand{}
	}
	if rank == slice {
		return valueOf(c.callPrelude("SliceReduce", e))
	}
	return valueOf(c.callPrelude("Reduce", e))
}

// slice stands for the rank of a slice, which has a length and no shape.
const slice = -2

// reduced returns the type of a vector, or that of the elements of a field, slice or array of the host, with its rank.
func (c *checker) reduced(e ast.Expr) (of typed.Type, rank int, memory bool) {
	before := len(c.errs)
	if part, ok := c.sectionOf(e); part != nil {
		c.errs = c.errs[:before] // it is checked again as the argument of the kernel
		return part.typeOfElements()
	} else if ok {
		return nil, 0, false
	}
	op := c.typeOnly(e)
	switch op.mode {
	case modeField:
		f := op.obj.field
		return f.Elem, f.Rank, true
	case modeValue:
		switch t := op.x.Type().(type) {
		case typed.Slice:
			return t.Elem, slice, true
		case typed.View:
			return t.Elem, t.Rank, true
		default:
			return t, 0, false
		}
	case modeBad:
		return nil, 0, false
	}
	return typed.Bool, 0, false // a type, function, node or bundle
}

func (c *checker) notReduced(name string, e *ast.CallExpr, want string) operand {
	c.errorf(syntax.ArgType, e.Args[0].Pos(), "", "%s takes %s", name, want)
	return operand{}
}

// mayReduce reports a reduction where its loops would be neither parallel nor within an iteration.
func (c *checker) mayReduce(name string, e *ast.CallExpr) bool {
	o := c.preludeScope().names["Reduce"]
	if c.calleeContext(o) == typed.Serial {
		c.errorf(syntax.NestedFieldLoop, e.Pos(), "call it in the outermost scope of a kernel, before any if", "%s runs parallel loops, and this is not the outermost scope of a kernel", name)
		return false
	}
	return true
}

// callPrelude calls a function of the prelude that is the same for all types.
func (c *checker) callPrelude(name string, e *ast.CallExpr) typed.Expr {
	return c.callWith(c.preludeScope().names[name], nil, e.Args, e)
}

func (c *checker) preludeScope() *scope { return c.linalgScope(linalgKey{1, 1, 1, typed.F32}) }

// originOf is origin(x) in the prelude: the lowest index of a field or of an array of the host.
func originOf(c *checker, _ string, e *ast.CallExpr) operand {
	var lowest []int
	switch op := c.typeOnly(e.Args[0]); {
	case op.mode == modeField && op.obj.field.Rank >= 0:
		lowest = op.obj.field.Origin
		if len(lowest) == 0 { // not bound
			lowest = make([]int, op.obj.field.Rank)
		}
	case op.mode == modeValue:
		if v, ok := op.x.Type().(typed.View); ok {
			lowest = make([]int, v.Rank)
		}
	}
	if len(lowest) == 0 {
		return valueOf(c.bad(e.Pos()))
	}
	k := zero(typed.ArrayOf(c.widths.Int, len(lowest)), c.at(e.Pos()))
	for i, n := range lowest {
		k.Vals[i] = typed.IntNum(int64(n))
	}
	return valueOf(k)
}
