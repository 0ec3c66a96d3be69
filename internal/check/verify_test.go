package check

import (
	"fmt"
	"reflect"
)

// verify checks the invariants of a tree that doc.go and tree.go promise.
func verify(p *Program) error {
	v := &verifier{seen: map[*Func]bool{}}
	for _, k := range p.Kernels {
		v.function(k)
	}
	return v.err
}

type verifier struct {
	err     error
	fn      *Func
	seen    map[*Func]bool
	defined map[*Var]bool
	targets []Stmt
	par     int
}

func (v *verifier) fail(pos fmt.Stringer, format string, args ...any) {
	if v.err == nil {
		v.err = fmt.Errorf("%s: %s: %s", v.fn.Name, pos, fmt.Sprintf(format, args...))
	}
}

func (v *verifier) function(f *Func) {
	if v.seen[f] {
		return
	}
	v.seen[f] = true
	old := *v
	v.fn, v.defined, v.targets, v.par = f, map[*Var]bool{}, nil, 0
	for _, p := range append(append([]*Var{}, f.Params...), f.Results...) {
		v.defined[p] = true
		v.complete(f, p.Type)
	}
	v.block(f.Body)
	v.fn, v.defined, v.targets, v.par = old.fn, old.defined, old.targets, old.par
}

func (v *verifier) complete(f *Func, t Type) {
	t = placeType(t)
	s := ScalarOf(t)
	if HasStruct(t) {
		for _, s := range Leaves(t) {
			v.complete(f, s)
		}
		return
	}
	if _, ok := t.(*Tuple); !ok && (s == Unknown || s.IsUntyped()) {
		v.fail(f.Pos, "incomplete type %v", t)
	}
}

func (v *verifier) define(x *Var) {
	if x != nil {
		v.defined[x] = true
		v.complete(v.fn, x.Type)
	}
}

func (v *verifier) block(b *Block) {
	if b == nil {
		return
	}
	for _, s := range b.List {
		v.stmt(s)
	}
}

func (v *verifier) loop(s Stmt, parallel bool, body ...*Block) {
	v.targets = append(v.targets, s)
	if parallel {
		v.par++
		if v.par > 1 || v.fn.Context != Outermost {
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

func (v *verifier) target(s, t Stmt) {
	for _, x := range v.targets {
		if x == t {
			return
		}
	}
	v.fail(s.Position(), "target is not around")
}

func (v *verifier) stmt(s Stmt) {
	switch s := s.(type) {
	case *Block:
		v.block(s)
	case *Define:
		if s.Init != nil {
			v.expr(s.Init)
			if s.Init.Type() != s.Var.Type {
				v.fail(s.Pos, "%s of type %s is given a %s", s.Var.Name, s.Var.Type, s.Init.Type())
			}
		}
		v.define(s.Var)
	case *Assign:
		v.assign(s)
	case *Update:
		v.expr(s.Place)
		v.expr(s.Value)
		if s.Op != MatMul && s.Op != Shl && s.Op != Shr && s.Place.Type() != s.Value.Type() {
			v.fail(s.Pos, "update of %s by %s", s.Place.Type(), s.Value.Type())
		}
	case *ExprStmt:
		v.expr(s.X)
	case *If:
		v.expr(s.Cond)
		if s.Cond.Type() != Type(Bool) {
			v.fail(s.Pos, "condition of type %s", s.Cond.Type())
		}
		v.block(s.Then)
		v.block(s.Else)
	case *Scope:
		v.loop(s, false, s.Body)
	case *Loop:
		if s.Cond != nil {
			v.expr(s.Cond)
		}
		v.loop(s, false, s.Body, &Block{List: s.Post})
	case *RangeFor:
		v.rangeFor(s)
	case *FieldFor:
		for _, x := range s.Index {
			v.define(x)
		}
		v.define(s.Group)
		v.loop(s, s.Parallel, s.Body)
	case *Unrolled:
		v.loop(s, false, s.Bodies...)
	case *Break:
		v.target(s, s.Target)
	case *Continue:
		v.target(s, s.Target)
	case *Return:
		v.returns(s)
	default:
		v.fail(v.fn.Pos, "statement %T", s)
	}
}

func (v *verifier) assign(s *Assign) {
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

func (v *verifier) rangeFor(s *RangeFor) {
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

func (v *verifier) returns(s *Return) {
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

func (v *verifier) expr(x Expr) {
	if x == nil || reflect.ValueOf(x).IsNil() {
		v.fail(v.fn.Pos, "nil expression")
		return
	}
	v.complete(v.fn, x.Type())
	switch x := x.(type) {
	case *Const:
		if len(x.Vals) != Components(x.T) {
			v.fail(x.Pos, "%d components for %s", len(x.Vals), x.T)
		}
		for i, n := range x.Vals {
			if r, f := represent(n, Leaves(x.T)[i]); !n.Known() || f != fits || r.String() != n.String() {
				v.fail(x.Pos, "constant %s is not a rounded %s", n, x.T)
			}
		}
	case *VarRef:
		if !v.defined[x.Var] {
			v.fail(x.Pos, "%s is not defined before", x.Var.Name)
		}
	case *Element:
		n := 0
		for _, i := range x.Index {
			v.expr(i)
			n += Components(i.Type())
		}
		if n != x.Field.Rank {
			v.fail(x.Pos, "%d indices", n)
		}
	case *SliceElement:
		v.expr(x.Index)
	case *Extract:
		v.expr(x.X)
		for _, i := range x.Comps {
			if i < 0 || i >= Components(x.X.Type()) {
				v.fail(x.Pos, "component %d of %s", i, x.X.Type())
			}
		}
	case *Index:
		v.expr(x.X)
		v.expr(x.I)
	case *Compose:
		n := 0
		for _, e := range x.Elems {
			v.expr(e)
			for _, s := range Leaves(e.Type()) {
				if n < Components(x.T) && s != Leaves(x.T)[n] {
					v.fail(x.Pos, "component of %s in %s", e.Type(), x.T)
				}
				n++
			}
		}
		if n != Components(x.T) {
			v.fail(x.Pos, "%d components for %s", n, x.T)
		}
	case *Splat:
		v.expr(x.X)
	case *Convert:
		v.expr(x.X)
		if !sameShape(x.T, x.X.Type()) {
			v.fail(x.Pos, "conversion from %s to %s", x.X.Type(), x.T)
		}
	case *Unary:
		v.expr(x.X)
	case *Binary:
		v.expr(x.X)
		v.expr(x.Y)
		if x.Op != MatMul && x.Op != Shl && x.Op != Shr && x.X.Type() != x.Y.Type() {
			v.fail(x.Pos, "%s of %s and %s", x.Op, x.X.Type(), x.Y.Type())
		}
		if !sameShape(x.X.Type(), x.Y.Type()) && x.Op != MatMul {
			v.fail(x.Pos, "%s of %s and %s", x.Op, x.X.Type(), x.Y.Type())
		}
	case *Logic:
		v.expr(x.X)
		v.expr(x.Y)
	case *Call:
		for i, a := range x.Args {
			v.expr(a)
			if a.Type() != placeType(x.Func.Params[i].Type) {
				v.fail(x.Pos, "argument %d of type %s", i, a.Type())
			}
		}
		v.function(x.Func)
	case *Builtin:
		for _, a := range x.Args {
			v.expr(a)
			if x.Fn <= Clz && a.Type() != x.T {
				v.fail(x.Pos, "builtin %d of %s gives %s", x.Fn, a.Type(), x.T)
			}
		}
	case *Atomic:
		v.expr(x.Place)
		v.expr(x.Value)
	case *CellOp:
		n := 0
		for _, i := range x.Index {
			v.expr(i)
			n += Components(i.Type())
		}
		want := x.Field.Rank
		if x.Fn >= Append {
			want--
		}
		if n != want || x.Fn >= Append && !x.Field.List {
			v.fail(x.Pos, "%d indices of a cell of %s", n, x.Field.Name)
		}
		if (x.Fn == Append) != (x.Value != nil) || x.Value != nil && x.Value.Type() != x.Field.Elem {
			v.fail(x.Pos, "what is appended to %s", x.Field.Name)
		}
		if x.Value != nil {
			v.expr(x.Value)
		}
	case *Output:
		v.text(x.Format, x.Args)
	case *Assert:
		v.expr(x.Cond)
		v.text(x.Format, x.Args)
	}
}

// text checks that each part of a format names a component of an argument.
func (v *verifier) text(format []TextPart, args []Expr) {
	for _, a := range args {
		v.expr(a)
	}
	for _, p := range format {
		switch {
		case p.Verb == "":
		case p.Arg >= len(args) || p.Comp >= Components(args[p.Arg].Type()):
			v.fail(v.fn.Pos, "text of component %d of argument %d", p.Comp, p.Arg)
		case Leaves(args[p.Arg].Type())[p.Comp] != p.Kind:
			v.fail(args[p.Arg].Position(), "text of a %s as %s", args[p.Arg].Type(), p.Kind)
		}
	}
}
