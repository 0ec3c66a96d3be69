package check

import (
	"go/ast"

	"github.com/gotaichi/ti/internal/typed"
)

// abstract binds the parameters of a function to things that nothing is known of,
// but what their declared types say.
func (c *checker) abstract(o *object) *bindings {
	defer c.back(c.turnTo(o))
	var list []*object
	for _, p := range typeParams(o.decl.Type.TypeParams) {
		list = append(list, &object{kind: objType, name: p.name.Name, file: o.file, pos: p.name.Pos(), typ: typed.Unknown, state: done, used: true})
	}
	s := newScope(o.scope)
	for _, t := range list {
		s.insert(t)
	}
	for _, p := range c.params(o) {
		if p.kind == runTime {
			continue
		}
		a := &object{kind: objBad, name: p.name, file: o.file, pos: p.pos, state: done, used: true}
		if p.name == "" {
			a.name = "_"
		}
		if p.kind == fieldKind || p.kind == bundleKind {
			if t := c.typeIn(s, o, func() typed.Type { return c.paramType(p) }); !isUnknown(t) {
				a.scope = o.scope
				c.makePart(a, t, o.fullName()+".")
			}
		}
		list = append(list, a)
	}
	b := c.newBindings(list)
	b.unknown = b.unknown || len(list) > 0
	return b
}

// checkTemplates checks the templates that nothing instantiates, as far as that can
// be done without bindings.
func (c *checker) checkTemplates() {
	d := newChecker(c.prog.source, nil, c.widths)
	d.ranks = c.ranks
	d.collect()
	d.errs = nil
	for i, p := range c.packages {
		for j, o := range p.order {
			if o.kind != objFunc || o.checked || !c.isTemplate(o) || j >= len(d.packages[i].order) {
				continue
			}
			ctx := typed.Inside
			if ast.IsExported(o.name) && c.loopsParallel(o) {
				ctx = typed.Outermost
			}
			if t := d.packages[i].order[j]; t.kind == objFunc {
				d.instanceByItself(t, ctx, d.abstract(t))
			}
		}
	}
	c.errs = append(c.errs, d.errs...)
	c.open = append(c.open, d.open...)
}
