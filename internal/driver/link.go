package driver

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/job"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/site"
	"github.com/gotaichi/ti/internal/typed"
)

// A LinkPart is the launch of a kernel that is to be linked with others: what [Prepare] takes. The options of all parts are equal, but for
// Layout, Followers, Derivative and what lowering calls.
type LinkPart struct {
	Program *typed.Program
	Kernel  string
	Layout  Layout
	Options Options
	Same    []job.SameArg // those of its arguments that are the same as others; it may be nil

	Of any // parts of which this is equal, and not nil, have the same kernel, layout and options, and are lowered once
}

// Linked says how the kernels of several launches were linked into one.
type Linked struct {
	Layout job.Layout        // where the fields of the linked kernel lie, by their names in it
	Fields []job.LinkedField // of the linked kernel, with the first part that has each
	Parts  []LinkedPart
}

// A LinkedPart is a part of a linked kernel.
type LinkedPart struct {
	Args  int               // the first of its argument slots
	Key   int               // the argument slot for the key of its random numbers, [launch.Key] of its launch; -1 if it draws none
	Names map[string]string // the names of its fields in the linked kernel, by those in its source
}

// Link lowers the kernels of launches that follow each other, and makes one kernel of them, which does what they do one after the other. The
// error is an [Apart] if they cannot be linked.
func Link(parts []LinkPart) (u *Unit, linked *Linked, err error) {
	if len(parts) == 0 {
		return nil, nil, fmt.Errorf("no kernels to link")
	}
	name := linkedName(parts)
	defer guard(name, &err)
	l := &linker{
		k:      &ir.Kernel{Name: name, DoneSlot: -1, Body: &ir.Block{}},
		layout: Layout{}, linked: &Linked{}, program: &typed.Program{}, kinds: map[int]ir.Kind{}, lowered: map[any]*ir.Kernel{},
	}
	for i := range parts {
		if err := l.add(&parts[i], &parts[0]); err != nil {
			if apart, is := errors.AsType[*job.Apart](err); is {
				apart.Part = i
			}
			return nil, nil, err
		}
	}
	ir.NewBuilder(l.k.Body).Return()
	o := parts[0].Options
	o.Layout, o.Followers, o.Derivative, o.Flows = l.layout, nil, nil, nil
	u = newUnit(l.program, l.k, l.layout, o)
	if o.Verify {
		if err := ir.Verify(l.k); err != nil {
			return nil, nil, &job.Fault{Err: fmt.Errorf("linking leaves kernel %s broken: %w\n%s", name, err, l.k)}
		}
	}
	l.linked.Layout = job.Layout(l.layout)
	return u, l.linked, nil
}

// linkedName names the kernels: "Fill + Step ×3".
func linkedName(parts []LinkPart) string {
	var names []string
	for i := 0; i < len(parts); {
		n := i + 1
		for n < len(parts) && parts[n].Kernel == parts[i].Kernel {
			n++
		}
		name := parts[i].Kernel
		if n-i > 1 {
			name += fmt.Sprintf(" ×%d", n-i)
		}
		names = append(names, name)
		i = n
	}
	return strings.Join(names, " + ")
}

// A linker appends kernels to k.
type linker struct {
	k       *ir.Kernel
	layout  Layout
	linked  *Linked
	program *typed.Program // with the sources of all
	lowered map[any]*ir.Kernel
	storage []storage       // of the fields of k
	loops   int64           // the largest ordinal of a loop
	slots   int             // of arguments
	kinds   map[int]ir.Kind // of numbers in argument slots
	size    int             // ops
}

// add appends the kernel of a part. First is the first part.
func (l *linker) add(p, first *LinkPart) error {
	if err := p.suits(first); err != nil {
		return err
	}
	k, err := l.lower(p)
	if err != nil {
		return err
	}
	n := &linkedKernel{linker: l, from: k, at: p.Layout, number: len(l.k.Parts), same: p.Same}
	if err := n.fits(); err != nil {
		return err
	}
	if err := n.fields(); err != nil {
		return err
	}
	n.rest()
	for _, f := range p.Program.Files {
		if !slices.Contains(l.program.Files, f) {
			l.program.Files = append(l.program.Files, f)
		}
	}
	return nil
}

// lower lowers the kernel of a part, for the part alone, if it can be linked.
func (l *linker) lower(p *LinkPart) (*ir.Kernel, error) {
	if k := l.lowered[p.Of]; k != nil {
		return k.Clone(), nil
	}
	o := p.Options
	o.Layout = p.Layout
	k, err := Lower(p.Program, p.Kernel, o)
	if err != nil {
		return nil, err
	}
	o.follow(k)
	o.Layout.store(k)
	if err := linkable(k); err != nil {
		return nil, err
	}
	if p.Of != nil {
		l.lowered[p.Of] = k.Clone()
	}
	return k, nil
}

// suits reports why a part cannot be linked as its options are.
func (p *LinkPart) suits(first *LinkPart) error {
	apart := func(reason string) error { return &Apart{Kernel: p.Kernel, Reason: reason} }
	o, d := &p.Options, p.Options.Derivative
	switch {
	case o.Options != first.Options.Options || o.Compiler != first.Options.Compiler:
		return apart("it is compiled with other options than " + first.Kernel)
	case o.Debug:
		return apart("debug mode records the accesses of each launch")
	case o.Accesses:
		return apart("its accesses are recorded")
	case o.Measure != nil:
		return apart("what it stores is counted")
	case o.Gradient, d != nil && d.Mode.Records():
		return apart("a tape records it")
	}
	return nil
}

// linkable reports why a lowered kernel cannot be linked.
func linkable(k *ir.Kernel) (err error) {
	apart := func(pos ir.Pos, format string, args ...any) error {
		return &Apart{Place: placeOf(k, pos), Kernel: k.Name, Reason: fmt.Sprintf(format, args...)}
	}
	if len(k.Results) > 0 {
		return apart(ir.Pos{}, "it has results")
	}
	for _, p := range k.Params {
		switch p.Content {
		case ir.ParamValue, ir.ParamNumber:
		case ir.ParamExtent:
			return apart(ir.Pos{}, "it reads extents at launch")
		default:
			return apart(ir.Pos{}, "its parameter %s is memory of the caller", p.Name)
		}
	}
	for _, b := range k.Blocks() {
		ir.Visit(b, func(o *ir.Op) bool {
			switch {
			case err != nil:
			case o.Code == ir.OpRecord && int(o.Aux) < len(k.Sites) && k.Sites[o.Aux].Kind == site.Print:
				err = apart(o.Pos, "it prints")
			case o.Code == ir.OpRecord:
				err = apart(o.Pos, "it records what it does")
			}
			return err == nil
		})
	}
	return err
}

// A linkedKernel is a lowered kernel that is appended to those before it.
type linkedKernel struct {
	*linker
	from   *ir.Kernel
	at     Layout // where its fields lie
	number int    // of the part
	same   []job.SameArg

	field map[*ir.Field]*ir.Field // the fields of the linked kernel
	names map[string]string       // of them
	table map[*ir.Table]*ir.Table
	fn    map[*ir.Func]*ir.Func
	param map[*ir.Param]*ir.Param
	files int // the number of its first file
	sites int // the number of its first site
}

// fits reports why there is no room for the kernel beside those before it.
func (n *linkedKernel) fits() error {
	apart := func(reason string) error { return &Apart{Kernel: n.from.Name, Reason: reason} }
	n.size += size(n.from)
	switch {
	case n.k.Int == ir.Invalid:
		n.k.Int = n.from.Int
	case n.k.Int != n.from.Int:
		return apart("its int has another width than that of " + n.k.Parts[0].Name)
	}
	if n.size > maxOps || len(n.k.Files)+len(n.from.Files) > math.MaxUint16 {
		return apart("with the launches before it, it would be too large for one kernel")
	}
	return nil
}

// storage is what identifies the memory of a field: components of a field of the host, or a node.
type storage struct {
	field *layout.Field
	node  *layout.Node // of a node; nil for a field
	comps []int
}

// storageOf returns where a field of a kernel lies.
func (n *linkedKernel) storageOf(f *ir.Field) storage {
	p := n.at[f.Name]
	if node := p.Field.CellsOf(); node != nil {
		return storage{node: node}
	}
	s := storage{field: p.Field}
	for c := range f.Comps {
		_, host := n.at.find(f, c)
		s.comps = append(s.comps, host)
	}
	return s
}

// same reports whether two fields are one.
func (s storage) same(t storage) bool {
	return s.field == t.field && s.node == t.node && slices.Equal(s.comps, t.comps)
}

// overlaps reports whether two fields have memory in common. Components of different fields of the host never have.
func (s storage) overlaps(t storage) bool {
	return s.field != nil && s.field == t.field && slices.ContainsFunc(s.comps, func(c int) bool { return slices.Contains(t.comps, c) })
}

// fields finds or makes the fields of the linked kernel: those of all parts that are the same memory are one, since passes take different
// fields for different memory.
func (n *linkedKernel) fields() error {
	n.field, n.names = map[*ir.Field]*ir.Field{}, map[string]string{}
	part := ir.Part{Name: n.from.Name, Args: n.slots, Key: -1, Loops: n.loops, DoneSlot: -1}
	for _, f := range n.from.Fields {
		g, err := n.fieldFor(f)
		if err != nil {
			return err
		}
		n.field[f], n.names[f.Name] = g, g.Name
		if f.Name != g.Name {
			part.Calls = append(part.Calls, ir.Call{Field: g, Name: f.Name})
		}
	}
	slices.SortFunc(part.Calls, func(a, b ir.Call) int { return a.Field.Index - b.Field.Index })
	n.k.Parts = append(n.k.Parts, part)
	n.linked.Parts = append(n.linked.Parts, LinkedPart{Args: n.slots, Key: -1, Names: n.names})
	return nil
}

// fieldFor finds or makes the field of the linked kernel for one of the part.
func (n *linkedKernel) fieldFor(f *ir.Field) (*ir.Field, error) {
	apart := func(format string, args ...any) error {
		return &Apart{Kernel: n.from.Name, Reason: fmt.Sprintf(format, args...)}
	}
	if n.at[f.Name].Field == nil || f.View != nil || f.Extents != nil {
		return nil, apart("%s does not lie in a tree with constant extents", f.Name)
	}
	at := n.storageOf(f)
	for i, g := range n.k.Fields {
		switch {
		case at.same(n.storage[i]):
			if !alike(f, g) {
				return nil, apart("it takes %s for another kind of field than a launch before it", f.Name)
			}
			return g, nil
		case at.overlaps(n.storage[i]):
			return nil, apart("its field %s and %s of a launch before it have components in common, and are not the same", f.Name, g.Name)
		}
	}
	g := *f
	g.Name, g.Index, g.Stored = n.fieldName(f.Name), len(n.k.Fields), nil
	n.k.Fields, n.storage = append(n.k.Fields, &g), append(n.storage, at)
	n.layout[g.Name] = n.at[f.Name]
	n.linked.Fields = append(n.linked.Fields, job.LinkedField{Name: g.Name, Part: n.number, Of: f.Name})
	return &g, nil
}

// alike reports whether two fields that are the same memory look the same to passes.
func alike(f, g *ir.Field) bool {
	return slices.Equal(f.Comps, g.Comps) && slices.Equal(f.Shape, g.Shape) && slices.Equal(f.Origin, g.Origin) &&
		f.Node == g.Node && f.Sparse == g.Sparse && f.List == g.List
}

// fieldName returns a name that no field of the linked kernel has.
func (n *linkedKernel) fieldName(name string) string {
	return fresh(name, func(name string) bool {
		_, taken := n.layout[name]
		return taken
	})
}

// fresh returns name, or with a number behind it if it is taken.
func fresh(name string, taken func(string) bool) string {
	free := name
	for i := 2; taken(free); i++ {
		free = fmt.Sprintf("%s#%d", name, i)
	}
	return free
}
