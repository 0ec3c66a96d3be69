package check

import (
	"fmt"
	"go/token"
	"slices"

	"github.com/gotaichi/ti/internal/typed"
)

// This file is sections, parts of fields as arguments: F[i], F[:][j], F[i][lo:hi:step].
//
// A section is an object of kind field. Its own typed.Field has the element type and the number of axes, and never gets
// into the tree, where an element names the field that the section is part of. There is one such typed.Field for a
// field and a pattern of axes, so that all calls with sections of one pattern share an instance of the function. What
// is known at run time only are values of a hidden parameter of this instance, which stands where the parameter does.

// A section says of what field an object is a part.
type section struct {
	of    *object       // the field, or the variable of a view
	axes  []sectionAxis // one for each axis of the field
	at    *object       // the variable that holds what is known at run time, in a function; nil if nothing is
	given typed.Expr    // its value, in a call; likewise
}

// A sectionAxis says what of an axis belongs to a section.
type sectionAxis uint8

const (
	indexed sectionAxis = iota // one index
	whole                      // all indices
	limited                    // those that bounds and a step say
)

// numbers is how many numbers of an axis are known at run time only.
func (a sectionAxis) numbers() int { return [...]int{indexed: 1, whole: 0, limited: 3}[a] }

// value is the type of the hidden parameter, nil if it has none.
func (s *section) value(kind typed.Scalar) typed.Type {
	n := 0
	for _, a := range s.axes {
		n += a.numbers()
	}
	if n == 0 {
		return nil
	}
	return typed.Array{Len: n, Elem: kind}
}

// hidden returns the type of the hidden parameter that goes with a compile-time parameter in scope s, nil for none.
func hidden(s *scope, p param) typed.Type {
	if a := s.names[p.name]; a != nil && a.section != nil && a.section.given != nil {
		return a.section.given.Type()
	}
	return nil
}

// newSection makes the object of a section. Its name is that in messages.
func (c *checker) newSection(name string, f *typed.Field, s *section) *object {
	key := fmt.Sprint(c.number(f), s.axes)
	if f.View != nil {
		key = fmt.Sprint(c.number(s.of.root()), s.axes)
	}
	if s.given != nil {
		key += s.given.Type().String()
	}
	part := c.sections[key]
	if part == nil {
		part = &typed.Field{Name: name, Pos: f.Pos, Elem: f.Elem, Index: -1, Node: f.Node, Sparse: f.Sparse, Symbolic: f.Symbolic}
		part.Rank = len(slices.DeleteFunc(slices.Clone(s.axes), func(a sectionAxis) bool { return a == indexed }))
		if f.Shape != nil { // bound
			part.Shape, part.Origin = make([]int, part.Rank), make([]int, part.Rank)
		}
		if c.sections == nil {
			c.sections = map[string]*typed.Field{}
		}
		c.sections[key] = part
	}
	return &object{kind: objField, name: name, field: part, section: s, state: done, used: true}
}

// sectionLike is the section of another field with the axes of o.
func (c *checker) sectionLike(o, of *object, name string) *object {
	s := *o.section
	s.of = of
	return c.newSection(name, of.field, &s)
}

// within returns the object of a section for the function being checked, where v is the hidden parameter.
func (s *section) within(f *fn, name string, v *typed.Var) *section {
	in := *s
	in.at = &object{kind: objVar, name: name, v: v, frame: f, typ: v.Type, used: true, state: done}
	return &in
}

// sectioned returns the field that a section is part of, as the function being checked names it.
func (c *checker) sectioned(s *section, p token.Pos) *object {
	if s.of.kind == objVar {
		if ref, ok := c.variableRef(s.of, p).(*typed.VarRef); ok {
			return c.viewOf(ref.Var)
		}
	}
	c.dependOn(s.of)
	return s.of
}

// fieldOf returns the field that an object of kind field is, or is a part of.
func (c *checker) fieldOf(o *object, p token.Pos) *typed.Field {
	if o.section != nil {
		return c.sectioned(o.section, p).field
	}
	return o.field
}

// sectionValue is what is known of a section at run time only, nil if that is nothing.
func (c *checker) sectionValue(o *object, p token.Pos) typed.Expr {
	if o.section.at != nil { // passed on
		return c.variableRef(o.section.at, p)
	}
	return o.section.given
}

// typeOfElements returns what reduced does.
func (o *object) typeOfElements() (of typed.Type, rank int, memory bool) {
	if o.kind == objBad {
		return nil, 0, false
	}
	return o.field.Elem, o.field.Rank, true
}

// partOf returns what the elements of a section have besides their index.
func (c *checker) partOf(o *object, p token.Pos) *typed.Section {
	s := o.section
	t := &typed.Section{Name: o.name, Axes: make([]typed.SectionAxis, len(s.axes))}
	n := 0
	next := func() typed.Expr {
		x := c.variableRef(s.at, p)
		n++
		return extract(x, typed.ScalarOf(x.Type()), []int{n - 1}, c.at(p))
	}
	for i, a := range s.axes {
		switch a {
		case indexed:
			t.Axes[i].At = next()
		case limited:
			t.Axes[i] = typed.SectionAxis{Begin: next(), Step: next(), Size: next()}
		}
	}
	return t
}

// sectionElement is an element of a section, of which el has the index. Where the section has its axes whole, it is
// written as the element of the field that it is.
func (c *checker) sectionElement(o *object, el *typed.Element, p token.Pos) *typed.Element {
	f, part := c.sectioned(o.section, p), c.partOf(o, p)
	el.Field = f.field
	if joined, ok := c.joinedIndex(part, f.field, el.Index, p); ok {
		el.Index = joined
	} else {
		el.Section = part
	}
	return el
}

// joinedIndex is the index in field f of the element of a section with this index, if the section has its axes whole.
func (c *checker) joinedIndex(part *typed.Section, f *typed.Field, index []typed.Expr, p token.Pos) (joined []typed.Expr, ok bool) {
	if part.Limited() || slices.ContainsFunc(index, func(x typed.Expr) bool { return len(typed.Dims(x.Type())) > 0 && !pure(x) }) {
		return nil, false
	}
	var each []typed.Expr
	for _, x := range index {
		if len(typed.Dims(x.Type())) == 0 {
			each = append(each, x)
			continue
		}
		for i := range typed.Components(x.Type()) {
			each = append(each, extract(x, typed.ScalarOf(x.Type()), []int{i}, x.Position()))
		}
	}
	for i, a := range part.Axes {
		if !a.Kept() {
			joined = append(joined, a.At)
			continue
		}
		x := each[0]
		each = each[1:]
		if i < len(f.Origin) && f.Origin[i] != 0 {
			return nil, false
		}
		joined = append(joined, x)
	}
	return joined, true
}

// sectionShape is the extents of a section.
func (c *checker) sectionShape(o *object, p token.Pos) []typed.Expr {
	f, part := c.sectioned(o.section, p).field, c.partOf(o, p)
	var shape []typed.Expr
	for i, a := range part.Axes {
		switch {
		case a.Limited():
			shape = append(shape, convert(a.Size, c.widths.Int))
		case a.Kept() && f.Shape == nil: // not bound
			shape = append(shape, &typed.Const{ExprBase: ex(c.at(p), c.widths.Int), Vals: []typed.Num{{}}, From: typed.FromShape})
		case a.Kept():
			shape = append(shape, c.extent(f, i, c.at(p)))
		}
	}
	return shape
}

// overSection makes a loop over a section: over all its indices, but for those of inactive cells.
func (r *ranging) overSection(o *object) []typed.Stmt {
	c, p := r.c, r.spec.core.Pos()
	var dims []bounds
	for _, n := range c.sectionShape(o, p) {
		dims = append(dims, bounds{zero(c.widths.Int, c.at(p)), n, r.spec.core})
	}
	if o.field.Sparse {
		r.active = o
	}
	return r.over(dims)
}

// passInactive is a statement that goes on with the next iteration of a loop over a section where the cell is not
// active.
func (c *checker) passInactive(o *object, loop *typed.RangeFor, p token.Pos) typed.Stmt {
	at := c.at(p)
	f, part := c.sectioned(o.section, p).field, c.partOf(o, p)
	var index []typed.Expr
	kept := 0
	for i, a := range part.Axes {
		if !a.Kept() {
			index = append(index, a.At)
			continue
		}
		var x typed.Expr
		if loop.Group != nil {
			x = extract(&typed.VarRef{ExprBase: ex(at, loop.Group.Type), Var: loop.Group}, c.widths.Int, []int{kept}, at)
		} else {
			if loop.Index[kept] == nil {
				loop.Index[kept] = &typed.Var{Type: c.widths.Int, Pos: at}
			}
			x = &typed.VarRef{ExprBase: ex(at, c.widths.Int), Var: loop.Index[kept]}
		}
		kept++
		binary := func(op typed.Op, x, y typed.Expr) typed.Expr {
			return &typed.Binary{ExprBase: ex(at, c.widths.Int), Op: op, X: x, Y: y}
		}
		switch {
		case a.Limited():
			x = binary(typed.Add, convert(a.Begin, c.widths.Int), binary(typed.Mul, x, convert(a.Step, c.widths.Int)))
		case f.Origin[i] != 0:
			x = binary(typed.Add, x, &typed.Const{ExprBase: ex(at, c.widths.Int), Vals: []typed.Num{typed.IntNum(int64(f.Origin[i]))}})
		}
		index = append(index, x)
	}
	is := &typed.CellOp{ExprBase: ex(at, typed.Bool), Fn: typed.IsActive, Field: f, Index: index}
	return &typed.If{
		StmtBase: typed.StmtBase{Pos: at}, Cond: &typed.Unary{ExprBase: ex(at, typed.Bool), Op: typed.Not, X: is},
		Then: &typed.Block{StmtBase: typed.StmtBase{Pos: at}, List: []typed.Stmt{&typed.Continue{StmtBase: typed.StmtBase{Pos: at}, Target: loop}}},
	}
}
