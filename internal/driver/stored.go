package driver

import (
	"fmt"
	"io"
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/pass/unit"
)

// store says of the fields of a lowered kernel how their components are stored, and joins the
// stores to numbers that share an exponent.
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
	if len(groups) > 0 {
		ir.JoinStores(k)
	}
}

// Group returns the group that a component of f shares its exponent with; nil for none.
func (l Layout) Group(f *ir.Field, comp int) *layout.Group {
	return l.Access(f, comp).Packed.Of().Group
}

// word returns the address formula of a word that fields are packed in; its tree is an area.
func (a *arrangement) word(f *ir.Field) *layout.Access {
	member := a.access[component{f.Word.Field, f.Word.Comp}]
	at := *member.Packed.Word.Access()
	at.Tree, at.Origin, at.Shape = member.Tree, f.Origin, f.Shape
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
	return &unit.Cells{Tree: of.Tree, Node: n, Steps: n.Steps(), Visit: n.Visit()}
}

// describePacked writes what code depends on of a word, and which of the words seen so far it is.
func describePacked(w io.Writer, at *layout.Access, words []*layout.Word) []*layout.Word {
	p := at.Packed
	if p == nil {
		return words
	}
	i := slices.Index(words, p.Word)
	if i < 0 {
		i, words = len(words), append(words, p.Word)
		o := p.Word.Access()
		fmt.Fprintf(w, "word %d %v %v %d %+v\n", i, p.Word.Kind, p.Word.Cells(), o.Const, o.Terms)
		for _, m := range p.Word.Members {
			fmt.Fprintf(w, "member %v at %d of %d, shared %v\n", m.Coder.Format, m.Shift, m.Bits, m.Group != nil)
		}
		for _, g := range p.Word.Groups {
			fmt.Fprintf(w, "group %v at %d\n", g.Members, g.Shift)
		}
	}
	fmt.Fprintf(w, "packed in %d as %d %+v\n", i, p.Member, p.Terms)
	return words
}
