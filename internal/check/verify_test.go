package check

import (
	"fmt"
	"go/token"
	"reflect"

	"github.com/gotaichi/ti/internal/typed"
)

// verify checks the invariants of a tree that doc.go and tree.go promise.
func verify(p *Program) error {
	v := &verifier{visited: map[*typed.Func]bool{}}
	for _, k := range p.Kernels {
		v.function(k)
	}
	return v.err
}

type verifier struct {
	err     error
	fn      *typed.Func
	visited map[*typed.Func]bool
	defined map[*typed.Var]bool
	targets []typed.Stmt
	par     int
}

func (v *verifier) fail(pos fmt.Stringer, format string, args ...any) {
	if v.err == nil {
		v.err = fmt.Errorf("%s: %s: %s", v.fn.Name, pos, fmt.Sprintf(format, args...))
	}
}

func (v *verifier) function(f *typed.Func) {
	if v.visited[f] {
		return
	}
	v.visited[f] = true
	old := *v
	v.fn, v.defined, v.targets, v.par = f, map[*typed.Var]bool{}, nil, 0
	for _, p := range append(append([]*typed.Var{}, f.Params...), f.Results...) {
		v.defined[p] = true
		v.complete(f, p.Type)
	}
	v.block(f.Body)
	v.fn, v.defined, v.targets, v.par = old.fn, old.defined, old.targets, old.par
}

func (v *verifier) complete(f *typed.Func, t typed.Type) {
	t = placeType(t)
	s := typed.ScalarOf(t)
	if typed.HasStruct(t) {
		for _, s := range typed.Leaves(t) {
			v.complete(f, s)
		}
		return
	}
	if _, ok := t.(*typed.Tuple); !ok && (s == typed.Unknown || s.IsUntyped()) {
		v.fail(f.Pos, "incomplete type %v", t)
	}
}

func (v *verifier) define(x *typed.Var) {
	if x != nil {
		v.defined[x] = true
		v.complete(v.fn, x.Type)
	}
}

func (v *verifier) block(b *typed.Block) {
	if b == nil {
		return
	}
	for _, s := range b.List {
		v.stmt(s)
	}
}

func (v *verifier) loop(s typed.Stmt, parallel bool, body ...*typed.Block) {
	v.targets = append(v.targets, s)
	if parallel {
		v.par++
		if v.par > 1 || v.fn.Context != typed.Outermost {
			v.fail(s.Position(), "nested parallel loop")
		}
	}
	for _, b := range body {
		v.block(b)
	}
	if parallel {
		v.par--
	}
	v.targets = v.targets[:len(v.targets)-1]
}

func (v *verifier) target(s, t typed.Stmt) {
	for _, x := range v.targets {
		if x == t {
			return
		}
	}
	v.fail(s.Position(), "target is not around")
}

func (v *verifier) stmt(s typed.Stmt) {
	switch s := s.(type) {
	case *typed.Block:
		v.block(s)
	case *typed.Define:
		if s.Init != nil {
			v.expr(s.Init)
			if s.Init.Type() != s.Var.Type {
				v.fail(s.Pos, "%s of type %s is given a %s", s.Var.Name, s.Var.Type, s.Init.Type())
			}
		}
		v.define(s.Var)
	case *typed.Assign:
		v.assign(s)
	case *typed.Update:
		v.expr(s.Place)
		v.expr(s.Value)
		if s.Op != typed.MatMul && s.Op != typed.Shl && s.Op != typed.Shr && s.Place.Type() != s.Value.Type() {
			v.fail(s.Pos, "update of %s by %s", s.Place.Type(), s.Value.Type())
		}
	case *typed.ExprStmt:
		v.expr(s.X)
	case *typed.If:
		v.expr(s.Cond)
		if s.Cond.Type() != typed.Type(typed.Bool) {
			v.fail(s.Pos, "condition of type %s", s.Cond.Type())
		}
		v.block(s.Then)
		v.block(s.Else)
	case *typed.Scope:
		v.loop(s, false, s.Body)
	case *typed.Loop:
		if s.Cond != nil {
			v.expr(s.Cond)
		}
		v.loop(s, false, s.Body, &typed.Block{List: s.Post})
	case *typed.RangeFor:
		v.rangeFor(s)
	case *typed.FieldFor:
		for _, x := range s.Index {
			v.define(x)
		}
		v.define(s.Group)
		v.loop(s, s.Parallel, s.Body)
	case *typed.Unrolled:
		v.loop(s, false, s.Bodies...)
	case *typed.Break:
		v.target(s, s.Target)
	case *typed.Continue:
		v.target(s, s.Target)
	case *typed.Return:
		v.returns(s)
	default:
		v.fail(v.fn.Pos, "statement %T", s)
	}
}

func (v *verifier) assign(s *typed.Assign) {
	for i, p := range s.Places {
		if p == nil {
			continue
		}
		v.expr(p)
		if len(s.Values) == len(s.Places) && p.Type() != s.Values[i].Type() {
			v.fail(s.Pos, "assignment of %s to %s", s.Values[i].Type(), p.Type())
		}
	}
	for _, x := range s.Values {
		v.expr(x)
	}
}

func (v *verifier) rangeFor(s *typed.RangeFor) {
	for _, d := range s.Dims {
		v.expr(d.Lo)
		v.expr(d.Hi)
		if d.Lo.Type() != d.Hi.Type() || d.Lo.Type() != s.Dims[0].Lo.Type() {
			v.fail(s.Pos, "bounds of types %s and %s", d.Lo.Type(), d.Hi.Type())
		}
	}
	if s.Group == nil && len(s.Index) != len(s.Dims) {
		v.fail(s.Pos, "%d indices for %d axes", len(s.Index), len(s.Dims))
	}
	for _, x := range s.Index {
		v.define(x)
	}
	v.define(s.Group)
	v.loop(s, s.Parallel, s.Body)
}

func (v *verifier) returns(s *typed.Return) {
	if v.par > 0 {
		v.fail(s.Pos, "return inside a parallel loop")
	}
	for i, x := range s.Values {
		v.expr(x)
		if len(s.Values) == len(v.fn.Results) && x.Type() != v.fn.Results[i].Type {
			v.fail(s.Pos, "result of type %s, not %s", x.Type(), v.fn.Results[i].Type)
		}
	}
}

func (v *verifier) expr(x typed.Expr) {
	if x == nil || reflect.ValueOf(x).IsNil() {
		v.fail(v.fn.Pos, "nil expression")
		return
	}
	v.complete(v.fn, x.Type())
	switch x := x.(type) {
	case *typed.Const:
		if len(x.Vals) != typed.Components(x.T) {
			v.fail(x.Pos, "%d components for %s", len(x.Vals), x.T)
		}
		for i, n := range x.Vals {
			if r, f := typed.Represent(n, typed.Leaves(x.T)[i]); !n.Known() || f != typed.Fits || r.String() != n.String() {
				v.fail(x.Pos, "constant %s is not a rounded %s", n, x.T)
			}
		}
	case *typed.VarRef:
		if !v.defined[x.Var] {
			v.fail(x.Pos, "%s is not defined before", x.Var.Name)
		}
	case *typed.Element:
		n := 0
		for _, i := range x.Index {
			v.expr(i)
			n += typed.Components(i.Type())
		}
		want := x.Field.Rank
		if x.Section != nil {
			v.section(x.Section, x.Field, x.Pos)
			want = kept(x.Section)
		}
		if n != want {
			v.fail(x.Pos, "%d indices", n)
		}
	case *typed.Sectioned:
		v.sectioned(x)
	case *typed.SliceElement:
		v.expr(x.Index)
	case *typed.Extract:
		v.expr(x.X)
		for _, i := range x.Comps {
			if i < 0 || i >= typed.Components(x.X.Type()) {
				v.fail(x.Pos, "component %d of %s", i, x.X.Type())
			}
		}
	case *typed.Index:
		v.expr(x.X)
		v.expr(x.I)
	case *typed.Compose:
		n := 0
		for _, e := range x.Elems {
			v.expr(e)
			for _, s := range typed.Leaves(e.Type()) {
				if n < typed.Components(x.T) && s != typed.Leaves(x.T)[n] {
					v.fail(x.Pos, "component of %s in %s", e.Type(), x.T)
				}
				n++
			}
		}
		if n != typed.Components(x.T) {
			v.fail(x.Pos, "%d components for %s", n, x.T)
		}
	case *typed.Splat:
		v.expr(x.X)
	case *typed.Convert:
		v.expr(x.X)
		if !sameShape(x.T, x.X.Type()) {
			v.fail(x.Pos, "conversion from %s to %s", x.X.Type(), x.T)
		}
	case *typed.Unary:
		v.expr(x.X)
	case *typed.Binary:
		v.expr(x.X)
		v.expr(x.Y)
		if x.Op != typed.MatMul && x.Op != typed.Shl && x.Op != typed.Shr && x.X.Type() != x.Y.Type() {
			v.fail(x.Pos, "%s of %s and %s", x.Op, x.X.Type(), x.Y.Type())
		}
		if !sameShape(x.X.Type(), x.Y.Type()) && x.Op != typed.MatMul {
			v.fail(x.Pos, "%s of %s and %s", x.Op, x.X.Type(), x.Y.Type())
		}
	case *typed.Logic:
		v.expr(x.X)
		v.expr(x.Y)
	case *typed.Call:
		for i, a := range x.Args {
			v.expr(a)
			if a.Type() != placeType(x.Func.Params[i].Type) {
				v.fail(x.Pos, "argument %d of type %s", i, a.Type())
			}
		}
		v.function(x.Func)
	case *typed.Builtin:
		for _, a := range x.Args {
			v.expr(a)
			if x.Fn.Info().Same && a.Type() != x.T {
				v.fail(x.Pos, "%s of %s gives %s", x.Fn, a.Type(), x.T)
			}
		}
	case *typed.Atomic:
		v.expr(x.Place)
		v.expr(x.Value)
	case *typed.CellOp:
		n := 0
		for _, i := range x.Index {
			v.expr(i)
			n += typed.Components(i.Type())
		}
		want := x.Field.Rank
		if x.Fn.OfList() {
			want--
		}
		if n != want || x.Fn.OfList() && !x.Field.List {
			v.fail(x.Pos, "%d indices of a cell of %s", n, x.Field.Name)
		}
		if (x.Fn == typed.Append) != (x.Value != nil) || x.Value != nil && x.Value.Type() != x.Field.Elem {
			v.fail(x.Pos, "what is appended to %s", x.Field.Name)
		}
		if x.Value != nil {
			v.expr(x.Value)
		}
	case *typed.Output:
		v.text(x.Format, x.Args)
	case *typed.Assert:
		v.expr(x.Cond)
		v.text(x.Format, x.Args)
	}
}

// text checks that each part of a format names a component of an argument.
func (v *verifier) text(format []typed.TextPart, args []typed.Expr) {
	for _, a := range args {
		v.expr(a)
	}
	for _, p := range format {
		switch {
		case p.Verb == "":
		case p.Arg >= len(args) || p.Comp >= typed.Components(args[p.Arg].Type()):
			v.fail(v.fn.Pos, "text of component %d of argument %d", p.Comp, p.Arg)
		case typed.Leaves(args[p.Arg].Type())[p.Comp] != p.Kind:
			v.fail(args[p.Arg].Position(), "text of a %s as %s", args[p.Arg].Type(), p.Kind)
		}
	}
}

// section checks the axes of a section of f.
func (v *verifier) section(s *typed.Section, f *typed.Field, p token.Position) {
	if len(s.Axes) != f.Rank {
		v.fail(p, "a section with %d axes of %s", len(s.Axes), f.Name)
	}
	for _, a := range s.Axes {
		if a.Limited() != (a.Begin != nil) || a.Limited() != (a.Step != nil) || a.Limited() && !a.Kept() {
			v.fail(p, "an axis of a section of %s", f.Name)
		}
	}
	for _, x := range s.Operands() {
		v.expr(x)
	}
}

// kept is the number of axes that a section has.
func kept(s *typed.Section) (n int) {
	for _, a := range s.Axes {
		if a.Kept() {
			n++
		}
	}
	return n
}

func (v *verifier) sectioned(x *typed.Sectioned) {
	axes, numbers, n := x.Field.Rank, 0, 0
	if x.Of != nil {
		v.section(x.Of, x.Field, x.Pos)
		axes, numbers = kept(x.Of), x.Field.Rank-kept(x.Of)
	}
	for _, i := range x.Index {
		v.expr(i)
		n += typed.Components(i.Type())
	}
	if len(x.Cuts) != axes {
		v.fail(x.Pos, "%d cuts of %d axes", len(x.Cuts), axes)
	}
	for i, at := range cutAxes(x) {
		c := x.Cuts[i]
		for _, k := range []int{c.At, c.Lo, c.Hi, c.Step} {
			if k < -1 || k >= n {
				v.fail(x.Pos, "operand %d of %d", k, n)
			}
		}
		switch {
		case c.At >= 0:
			numbers++
		case c != typed.Whole || x.Of != nil && x.Of.Axes[at].Limited():
			numbers += 3
		}
	}
	if a, ok := x.T.(typed.Array); !ok || a.Len != numbers {
		v.fail(x.Pos, "a section of type %s with %d numbers", x.T, numbers)
	}
}

// cutAxes lists the axes that are cut.
func cutAxes(x *typed.Sectioned) (axes []int) {
	for i := range x.Field.Rank {
		if x.Of == nil || x.Of.Axes[i].Kept() {
			axes = append(axes, i)
		}
	}
	return axes
}
