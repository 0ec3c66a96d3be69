package variant

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/gotaichi/ti/internal/ahead"
	"github.com/gotaichi/ti/internal/bind"
	"github.com/gotaichi/ti/internal/front"
	"github.com/gotaichi/ti/internal/job"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/outline"
	"github.com/gotaichi/ti/internal/typed"
)

// Extents of fields are constants in the code for the first sizes that a kernel is
// wanted for, which is the fastest. When the same kernel is wanted for others, those
// extents that differ are read at launch by code that serves all further sizes.

// A reading is how the source of a kernel is read to make code of it.
type reading struct {
	Checked *front.Checking     // with all extents known
	late    map[string]string   // fields whose extents are read at launch
	lower   *front.Checking     // what code is made of: Checked, or with the extents of late read at launch
	open    *front.Checking     // with the extents read at launch that can be; nil if that is not possible, or was not needed
	other   []map[string]string // late, as code has it that was compiled ahead of time
}

// families knows, for each kernel of each source, the sizes that it has been wanted
// for.
type families struct {
	mu sync.Mutex
	of map[string]*family
}

// A family is the variants of a kernel that differ in nothing but extents.
type family struct {
	first   map[string][]int // extents by field
	varying map[string]bool  // fields with other extents in another variant
}

// launched returns the fields whose extents the code of f reads at launch, each with
// the first of them that has the same shape and origin, nil if none; args are those of a template.
func (p *Program) launched(f *outline.Kernel, lay job.Layout, args []Arg) map[string]string {
	if p.Instrument != nil {
		return nil // the program has been changed after it was checked
	}
	m := p.Maker
	key := p.familyOf(f, lay, args)
	fs := &m.families
	fs.mu.Lock()
	defer fs.mu.Unlock()
	fam := fs.of[key]
	if fam == nil {
		fam = &family{first: map[string][]int{}, varying: map[string]bool{}}
		for _, field := range f.Fields {
			fam.first[field.Name] = field.Shape
			fam.varying[field.Name] = m.Opt.ExtentsAtLaunch && canBeOpen(lay, field)
		}
		if fs.of == nil {
			fs.of = map[string]*family{}
		}
		fs.of[key] = fam
	}
	same := !m.Opt.ExtentsAtLaunch
	for _, field := range f.Fields {
		if !slices.Equal(field.Shape, fam.first[field.Name]) {
			same = false
			if canBeOpen(lay, field) {
				fam.varying[field.Name] = true
			}
		}
	}
	if same {
		return nil
	}
	launch := map[string]string{}
	var all []*typed.Field
	for _, field := range f.Fields {
		if !fam.varying[field.Name] || !canBeOpen(lay, field) {
			continue
		}
		all = append(all, field)
		like := slices.IndexFunc(all, func(g *typed.Field) bool {
			return slices.Equal(g.Shape, field.Shape) && slices.Equal(g.Origin, field.Origin)
		})
		launch[field.Name] = all[like].Name
	}
	return launch
}

// familyOf names the family of a variant.
func (p *Program) familyOf(f *outline.Kernel, lay job.Layout, args []Arg) string {
	h := sha256.New()
	fmt.Fprintf(h, "%x\n", p.Source.PlaceKey)
	fmt.Fprintln(h, f.Name)
	for _, s := range p.Bound.Snapshots(f.Consts) {
		fmt.Fprintf(h, "%s %v\n", s.Of.Name, s.Then)
	}
	for _, field := range f.Fields {
		fmt.Fprintln(h, field.Name, field.Elem, field.Rank)
		if canBeOpen(lay, field) {
			at := lay[field.Name]
			for c := range typed.Components(field.Elem) {
				o, _ := at.Field.Outer(at.First + c)
				fmt.Fprintln(h, o.Span, o.Const, o.Terms)
			}
		}
	}
	for _, a := range args {
		switch {
		case a.Memory != nil:
			fmt.Fprintln(h, a.Memory)
		case a.Core == nil:
			fmt.Fprintln(h, bind.ConstOf(a.val))
		}
	}
	return string(h.Sum(nil))
}

// canBeOpen reports whether the extents of f can be read at launch: it has axes and
// elements, and lies in a dense tree.
func canBeOpen(lay job.Layout, f *typed.Field) bool {
	if _, node := f.Elem.(typed.NodeType); node || f.Rank < 1 {
		return false
	}
	return openPlace(lay[f.Name], typed.Components(f.Elem))
}

// openPlace reports whether n components lie in dense arrays or in blocks, of which the
// outermost node's extents can be read at launch.
func openPlace(at job.Place, n int) bool {
	for c := range n {
		_, plain := at.Field.Plain(at.First + c)
		_, outer := at.Field.Outer(at.First + c)
		if !plain && !outer {
			return false
		}
	}
	return n > 0
}

// symbolic returns the program checked with the extents of all fields that allow it as
// values of the launch, nil if that cannot be done. It needs p.mu, and follows
// current.
func (p *Program) symbolic() *front.Checking {
	if p.atLaunch == nil {
		host := p.Bound.Host
		host.Fields = maps.Clone(p.Bound.Host.Fields)
		for _, f := range p.Checked.Fields {
			h := p.Bound.Host.Fields[f.Name]
			h.Symbolic = canBeOpen(p.Bound.Layout, f)
			host.Fields[f.Name] = h
		}
		checked, errs := p.Source.Check(&host, true)
		if len(errs) > 0 {
			return nil
		}
		p.atLaunch = checked
	}
	return p.atLaunch
}

// setExtents fills the argument slots of the extents of fields that are read at launch.
func (v *Variant) setExtents(args []uint64, fields []launch.Field) {
	for _, f := range fields {
		if f.Extents == nil || f.Memory {
			continue
		}
		shape := v.Scope.Layout[f.Name].Field.Shape()
		for a, slot := range f.Extents {
			if slot >= 0 {
				args[slot] = uint64(shape[a])
			}
		}
	}
}

// choose decides which extents the code of a variant reads at launch. args are those of a template, and symbolic
// checks it with the extents read at launch that can be. It needs p.mu.
func (v *Variant) choose(args []Arg, symbolic func() *front.Checking) {
	p, f := v.Kernel.Program, v.Checked.Kernel(v.Kernel.Name)
	v.lower = v.Checked
	if s := p.Maker.Shipped; s != nil && p.Instrument == nil && v.Checked.Shipped != nil {
		all := s.Set.Variants(p.Source.TextKey, f.Name)
		slices.SortStableFunc(all, func(a, b []ahead.Free) int { return distinct(a) - distinct(b) })
		for _, free := range all {
			if late, ok := applicable(free, f, v.Scope.Layout); ok {
				v.other = append(v.other, late)
			}
		}
	}
	usual := p.launched(f, v.Scope.Layout, args)
	if len(usual) > 0 || p.Maker.Recording {
		v.open = symbolic()
	}
	if s := v.open; s != nil && len(usual) > 0 {
		v.late, v.lower = readAtLaunch(usual, s.Kernel(f.Name)), s
	}
}

// readAtLaunch are those of the fields of late whose extents the kernel does not need as constants.
func readAtLaunch(late map[string]string, f *outline.Kernel) map[string]string {
	left := maps.Clone(late)
	for _, field := range f.Fixed {
		delete(left, field.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(left)) {
		if _, is := left[left[name]]; !is {
			left[name] = name
		}
	}
	return left
}

// distinct is the number of different extents.
func distinct(free []ahead.Free) (n int) {
	for _, f := range free {
		if f.Field == f.Like {
			n++
		}
	}
	return n
}

// applicable returns a variant as fields by name, if the fields of f fit it.
func applicable(free []ahead.Free, f *outline.Kernel, lay job.Layout) (late map[string]string, ok bool) {
	of := map[string]*typed.Field{}
	for _, field := range f.Fields {
		of[field.Name] = field
	}
	for _, v := range free {
		field, like := of[v.Field], of[v.Like]
		if field == nil || like == nil || !canBeOpen(lay, field) || !slices.Equal(field.Shape, like.Shape) || !slices.Equal(field.Origin, like.Origin) {
			return nil, false
		}
		if late == nil {
			late = map[string]string{}
		}
		late[v.Field] = v.Like
	}
	return late, true
}
