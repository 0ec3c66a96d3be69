package driver

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/pass/unit"
)

// store says of the fields of a lowered kernel how their components are stored.
func (l Layout) store(k *ir.Kernel) {
	var groups []*layout.Group
	var known []*ir.Group
	for _, f := range k.Fields {
		if l[f.Name].Field == nil || f.View != nil {
			continue
		}
		for c := range f.Comps {
			p := l.Access(f, c).Packed
			if p == nil {
				continue
			}
			if f.Stored == nil {
				f.Stored = make([]ir.Stored, len(f.Comps))
			}
			s := ir.Stored{Coder: p.Of().Coder}
			if g := p.Of().Group; g != nil {
				i := slices.Index(groups, g)
				if i < 0 {
					i = len(groups)
					groups, known = append(groups, g), append(known, &ir.Group{Number: i, Members: len(g.Members)})
				}
				s.Group, s.Member = known[i], slices.Index(g.Members, p.Member)
			}
			f.Stored[c] = s
		}
	}
}

// packs reports whether a component is stored in fewer bits.
func (l Layout) packs(f *ir.Field, comp int) bool {
	return l[f.Name].Field != nil && l.Access(f, comp).Packed != nil
}

// sharing returns for lowering which groups of numbers with one exponent a component is in. Forward mode stores tangents, which may have one
// as well, beside the numbers.
func (o *Options) sharing() func(f *ir.Field, comp int) []any {
	return func(f *ir.Field, comp int) (all []any) {
		names := []string{f.Name}
		if d := o.Derivative; d != nil {
			names = append(names, d.Of[f.Name], d.Dual[f.Name])
		}
		for _, name := range names {
			like := ir.Field{Name: name, Host: f.Host}
			if o.Layout[name].Field == nil {
				continue
			}
			if p := o.Layout.Access(&like, comp).Packed; p != nil && p.Of().Group != nil {
				all = append(all, p.Of().Group)
			}
		}
		return all
	}
}

// Group returns the group that a component of f shares its exponent with; nil for none.
func (l Layout) Group(f *ir.Field, comp int) *layout.Group {
	return l.Access(f, comp).Packed.Of().Group
}

// sumSize is the size of a sum of codes.
const sumSize = 8

// sumBytes is the size of the sums of words of so many bytes in an area.
func (a *arrangement) sumBytes(area, size int) int64 {
	return (a.areas[area].Bytes + int64(size) - 1) / int64(size) * sumSize
}

// word returns the address formula of a word that fields are packed in; its tree is an area.
func (a *arrangement) word(f *ir.Field) *layout.Access {
	member := a.access[component{f.Word.Field, f.Word.Comp}]
	at := *member.Packed.Word.Access()
	at.Tree, at.Origin, at.Shape = member.Tree, f.Origin, f.Shape
	if f.Word.Sums {
		size := member.Packed.Word.Kind.Size()
		by := sumSize / int64(size)
		at.Tree, at.Const, at.Terms = unit.SumsTree(member.Tree, size), at.Const*by, slices.Clone(at.Terms)
		for i := range at.Terms {
			at.Terms[i].Stride *= by
		}
	}
	return &at
}

// wordCells returns the node in whose cells the words lie.
func (a *arrangement) wordCells(f *ir.Field) *unit.Cells {
	of := a.cells[f.Word.Field]
	n := a.access[component{f.Word.Field, f.Word.Comp}].Packed.Word.Home()
	if of == nil || n == of.Node {
		return of
	}
	if n.Parent() == nil {
		return nil
	}
	return &unit.Cells{Tree: a.access[component{f.Word.Field, f.Word.Comp}].Tree, Node: n, Steps: n.Steps(), Visit: n.Visit()}
}
