package check

import (
	"go/ast"
	"math"
	"slices"
	"strings"

	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

// This file makes sections of what the source writes: of brackets behind a field.

// brackets splits x[i][lo:hi] into x and its brackets, index or slice expressions.
func brackets(e ast.Expr) (base ast.Expr, chain []ast.Expr) {
	for {
		e = ast.Unparen(e)
		switch x := e.(type) {
		case *ast.IndexExpr:
			chain, e = append(chain, x), x.X
			continue
		case *ast.SliceExpr:
			chain, e = append(chain, x), x.X
			continue
		}
		slices.Reverse(chain)
		return e, chain
	}
}

// sectionOf returns the section that an expression names, nil after an error. It is not ok for another expression.
func (c *checker) sectionOf(e ast.Expr) (o *object, ok bool) {
	base, chain := brackets(e)
	switch base.(type) {
	case *ast.Ident, *ast.SelectorExpr:
	default:
		return nil, false
	}
	if len(chain) == 0 || c.genericTypeOf(base) != nil {
		return nil, false
	}
	before := len(c.errs)
	op := c.typeOnly(base)
	for op.mode == modeBundle && len(chain) > 0 {
		ix, is := chain[0].(*ast.IndexExpr)
		if !is {
			break
		}
		op, chain = c.bundleElement(op.obj, ix.Index), chain[1:]
	}
	if op.mode == modeBad && len(c.errs) > before {
		c.surveyBrackets(chain)
		return nil, true
	}
	if op.mode != modeField || len(chain) == 0 || op.obj.field.Rank == 0 || op.obj.field.List && !hasBounds(chain) {
		return nil, false
	}
	if f := op.obj.field; f.Rank < 0 || isUnknown(f.Elem) {
		c.surveyBrackets(chain)
		return &object{kind: objBad, name: c.shortText(e), state: done}, true
	}
	cut := &cutting{c: c, o: op.obj, e: e}
	if !cut.brackets(chain) {
		return nil, cut.failed
	}
	return cut.section(c.memory(base)), true
}

// suggestSection adds to the errors from number before on, of brackets with too few indices where a value is needed,
// what has so few.
func (c *checker) suggestSection(before int, e ast.Expr) {
	if _, chain := brackets(e); len(chain) == 0 {
		return
	}
	for _, err := range c.errs[min(before, len(c.errs)):] {
		if err.Code == syntax.IndexCount && strings.HasPrefix(err.Help, "write ") {
			err.Help += "; a section of it is the argument of a field or template parameter, no value"
			return
		}
	}
}

// hasBounds reports whether one of the brackets is a slice expression.
func hasBounds(chain []ast.Expr) bool {
	return slices.ContainsFunc(chain, func(e ast.Expr) bool { _, is := e.(*ast.SliceExpr); return is })
}

// surveyBrackets looks at what stands in brackets for its own errors.
func (c *checker) surveyBrackets(chain []ast.Expr) {
	for _, e := range chain {
		switch e := e.(type) {
		case *ast.IndexExpr:
			c.survey(e.Index)
		case *ast.SliceExpr:
			for _, x := range []ast.Expr{e.Low, e.High, e.Max} {
				if _, bad := x.(*ast.BadExpr); x != nil && !bad {
					c.survey(x)
				}
			}
		}
	}
}

// A cutting is a section being made of a field or section.
type cutting struct {
	c      *checker
	o      *object
	e      ast.Expr
	cuts   []typed.Cut
	index  []typed.Expr // operands of the cuts
	n      int          // their components
	failed bool
}

// brackets makes cuts of all brackets, and reports whether they give a section. If they do not, and that is no error
// either, they give an element or a part of one.
func (k *cutting) brackets(chain []ast.Expr) bool {
	rank := k.o.field.Rank
	if !hasBounds(chain) && len(chain) >= rank { // an element, unless a bracket is wrong
		return false
	}
	used := 0
	for _, e := range chain {
		if len(k.cuts) == rank { // into the element
			break
		}
		used++
		switch e := e.(type) {
		case *ast.IndexExpr:
			k.at(e)
		case *ast.SliceExpr:
			k.limit(e)
		}
	}
	if k.failed {
		return false
	}
	for len(k.cuts) < rank {
		k.cuts = append(k.cuts, typed.Whole)
	}
	if slices.ContainsFunc(k.cuts, func(c typed.Cut) bool { return c.At < 0 }) {
		k.failed = !k.possible()
		if !k.failed && len(chain) > used {
			k.c.errorf(syntax.NoParts, k.e.Pos(), "index it in the function", "%s is a section, and the brackets behind it reach into its elements", k.c.shortText(k.e))
			k.failed = true
		}
		return !k.failed
	}
	return false
}

// possible reports fields that have no sections.
func (k *cutting) possible() bool {
	c, f := k.c, k.o.field
	switch {
	case f.List:
		c.errorf(syntax.NoParts, k.e.Pos(), "pass the field, and the index beside it", "%s has the elements of lists, and no sections", k.o.name)
	case f.Unbounded:
		c.errorf(syntax.NoParts, k.e.Pos(), "pass the field, and the index beside it", "%s has no shape, since it lies in a hash node without sizes, and so no sections", k.o.name)
	default:
		return true
	}
	return false
}

// at cuts at an index, which may be a vector.
func (k *cutting) at(e *ast.IndexExpr) {
	a := k.c.indexArg(e.Index)
	if a.n < 0 {
		k.failed = true
		return
	}
	if rank := k.o.field.Rank; len(k.cuts)+a.n > rank {
		k.c.errorf(syntax.IndexCount, e.Lbrack, "", "%s has %s, and this gives %d", k.o.name, axes(rank), len(k.cuts)+a.n)
		k.failed = true
		return
	}
	if !k.c.aboveLowest(k.o, a, len(k.cuts)) {
		k.failed = true
	}
	for i := range a.n {
		k.cuts = append(k.cuts, typed.Cut{At: k.n + i, Lo: -1, Hi: -1, Step: -1})
	}
	k.index, k.n = append(k.index, a.x), k.n+a.n
}

// limit cuts at bounds.
func (k *cutting) limit(e *ast.SliceExpr) {
	cut := typed.Whole
	for _, b := range []struct {
		e  ast.Expr
		to *int
	}{{e.Low, &cut.Lo}, {e.High, &cut.Hi}, {e.Max, &cut.Step}} {
		if b.e == nil {
			continue
		}
		if _, bad := b.e.(*ast.BadExpr); bad { // the parser has said what it lacks
			k.failed = true
			continue
		}
		a := k.c.indexArg(b.e)
		if a.n < 0 {
			k.failed = true
			continue
		}
		if len(typed.Dims(a.x.Type())) > 0 {
			k.c.errorf(syntax.IndexType, b.e.Pos(), "bound each axis by itself: x[a:b][c:d]", "a bound of a section is an integer, and this is %s", k.c.describe(a.x))
			k.failed = true
			continue
		}
		*b.to = k.n
		k.index, k.n = append(k.index, a.x), k.n+1
	}
	if !k.failed {
		k.failed = !k.fits(e, cut)
	}
	k.cuts = append(k.cuts, cut)
}

// fits reports constant bounds that are wrong for every field. Constants of the host, or of an unrolled loop, may stand
// where they are never used.
func (k *cutting) fits(e *ast.SliceExpr, cut typed.Cut) bool {
	c := k.c
	constant := func(number int) (n int64, ok bool) {
		if number < 0 {
			return 0, false
		}
		at := 0
		for _, x := range k.index {
			if x, is := x.(*typed.Const); is && at == number && x.From == 0 && x.Vals[0].Known() {
				return x.Vals[0].Int(), true
			}
			at += typed.Components(x.Type())
		}
		return 0, false
	}
	lowest := int64(math.MinInt64) // unless it is known
	if i := len(k.cuts); i < len(k.o.field.Origin) {
		lowest = int64(k.o.field.Origin[i])
	}
	lo, hasLo := constant(cut.Lo)
	hi, hasHi := constant(cut.Hi)
	step, hasStep := constant(cut.Step)
	switch {
	case hasStep && step < 1:
		c.errorf(syntax.NoParts, e.Max.Pos(), "count backwards in the function: x[len(x)-1-k]", "the step of a section is at least 1, and this is %d", step)
	case hasLo && lo < lowest:
		c.errorf(syntax.IndexRange, e.Low.Pos(), "", "the section begins at %d, and the lowest index of %s is %d", lo, k.o.name, lowest)
	case hasHi && hi < lowest:
		c.errorf(syntax.IndexRange, e.High.Pos(), "", "the section ends before %d, and the lowest index of %s is %d", hi, k.o.name, lowest)
	case hasLo && hasHi && hi < lo:
		c.errorf(syntax.NoParts, e.High.Pos(), "the first bound belongs to the section, the second does not", "the section %d:%d ends before it begins", lo, hi)
	default:
		return true
	}
	return false
}

// section makes the object of a section. View is the variable of the view that it is part of, if it is.
func (k *cutting) section(view *object) *object {
	c := k.c
	s := &section{of: k.o.root()}
	e := &typed.Sectioned{Text: c.shortText(k.e), Cuts: k.cuts, Index: k.index}
	if outer := k.o.section; outer != nil {
		s.of = outer.of
		e.Field, e.Of = c.sectioned(outer, k.e.Pos()).field, c.partOf(k.o, k.e.Pos())
	} else {
		if e.Field = k.o.field; view != nil {
			s.of = view.root()
		} else {
			c.dependOn(k.o)
		}
	}
	kind := c.widths.Int
	if e.Of != nil && len(e.Of.Operands()) > 0 {
		kind = typed.ScalarOf(e.Of.Operands()[0].Type())
	}
	cuts := k.cuts
	for i := range e.Field.Rank {
		if e.Of != nil && !e.Of.Axes[i].Kept() {
			s.axes = append(s.axes, indexed)
			continue
		}
		switch cut := cuts[0]; {
		case cut.At >= 0:
			s.axes = append(s.axes, indexed)
			if !k.fitsInt(cut.At) {
				kind = typed.I64
			}
		case cut == typed.Whole && (e.Of == nil || !e.Of.Axes[i].Limited()):
			s.axes = append(s.axes, whole)
		default:
			s.axes = append(s.axes, limited)
		}
		cuts = cuts[1:]
	}
	if t := s.value(kind); t != nil {
		e.ExprBase = ex(c.at(k.e.Pos()), t)
		c.growBy(typed.Components(t), k.index...)
		s.given = e
	}
	return c.newSection(strings.Join(strings.Fields(c.shortText(k.e)), ""), e.Field, s)
}

// fitsInt reports whether component n of the operands is of a type whose numbers an int holds.
func (k *cutting) fitsInt(n int) bool {
	for _, x := range k.index {
		if n -= typed.Components(x.Type()); n < 0 {
			s := typed.ScalarOf(x.Type())
			return s.IsSigned() && s.Bits() <= k.c.widths.Int.Bits() || s.Bits() < k.c.widths.Int.Bits()
		}
	}
	return true
}
