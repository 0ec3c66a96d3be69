package check

import (
	"go/ast"

	"github.com/gotaichi/ti/internal/typed"
)

// abstract binds the parameters of a function to things that nothing is known of,
// but what their declared types say.
func (c *checker) abstract(o *object) *bindings {
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
				c.makePart(a, t, o.name+".")
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
	for i, o := range c.pkg.order {
		if o.kind != objFunc || o.checked || !c.isTemplate(o) || i >= len(d.pkg.order) {
			continue
		}
		ctx := typed.Inside
		if ast.IsExported(o.name) {
			ctx = typed.Outermost
		}
		if t := d.pkg.order[i]; t.kind == objFunc {
			d.instance(t, ctx, d.abstract(t), t.pos)
		}
	}
	c.errs = append(c.errs, d.errs...)
	c.open = append(c.open, d.open...)
}
