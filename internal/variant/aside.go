package variant

import (
	"go/token"

	"github.com/gotaichi/ti/internal/bind"
	"github.com/gotaichi/ti/internal/hostabi"
)

// Aside returns a kernel of a source that the product has made, to be launched for the host: no program knows of it.
// bindTo binds its declarations. Its indices are not checked.
func (m *Maker) Aside(text bind.File, name string, bindTo func(*bind.Bound)) (*Variant, error) {
	return m.forHost(text, name, aside{}, bindTo)
}

// ForHost returns a kernel of a source that the product has made, to be launched as one of the program: it is compiled like these.
func (m *Maker) ForHost(text bind.File, name string, bindTo func(*bind.Bound)) (*Variant, error) {
	return m.forHost(text, name, unshipped{}, bindTo)
}

func (m *Maker) forHost(text bind.File, name string, role role, bindTo func(*bind.Bound)) (*Variant, error) {
	p := &Program{Maker: m, Source: m.NewSource([]bind.File{text}, token.Position{}), Bound: bind.NewBound(m.Opt.Widths())}
	bindTo(&p.Bound)
	checked, errs := p.Source.Check(&p.Bound.Host, false)
	if len(errs) > 0 {
		return nil, errs
	}
	v := &Variant{Kernel: &Kernel{Program: p, Name: name}, Role: role, reading: reading{Checked: checked, lower: checked}, Scope: p.Bound.Scope}
	v.Kernel.Boxed = hostabi.NewBoxed(checked.Kernel(name), nil, m.Rules())
	v.findTrees(checked.Kernel(name))
	return v, nil
}
