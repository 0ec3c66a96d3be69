package driver

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/job"
	"github.com/gotaichi/ti/internal/layout"
)

// What sessions know of too; see package job.
type (
	Place        = job.Place
	Area         = job.Area
	Region       = job.Region
	Compiled     = job.Compiled
	Derivative   = job.Derivative
	Mode         = job.Mode
	NoDerivative = job.NoDerivative
	Apart        = job.Apart
)

// The kinds of derivatives.
const (
	Reverse                = job.Reverse
	ReverseClearing        = job.ReverseClearing
	Tangent                = job.Tangent
	ReverseTangent         = job.ReverseTangent
	ReverseClearingTangent = job.ReverseClearingTangent
	Record                 = job.Record
	RecordTangent          = job.RecordTangent
	Modes                  = job.Modes
)

// Layout is the places of the fields of a source by their names in it. It is
// what the passes know of memory.
type Layout map[string]Place

// Access returns the address formula of a component.
func (l Layout) Access(f *ir.Field, comp int) *layout.Access {
	at, c := l.find(f, comp)
	return at.Access(c)
}

// find returns the host's field that a component of f is in, and the number that it
// has there.
func (l Layout) find(f *ir.Field, comp int) (*layout.Field, int) {
	p := l[f.Name]
	if f.Host != nil {
		comp = f.Host[comp]
	}
	return p.Field, p.First + comp
}

// Nest returns the loops that visit the elements, in memory order as far as that pays.
func (l Layout) Nest(f *ir.Field) []layout.NestDim {
	p := l[f.Name]
	return p.Field.Loops(p.First)
}

// tree returns the tree of a component.
func (l Layout) tree(f *ir.Field, comp int) *layout.Tree {
	at, c := l.find(f, comp)
	return at.Tree(c)
}

// plain returns where a component lies in its array, if its tree has no more levels.
func (l Layout) plain(f *ir.Field, comp int) (layout.Plain, bool) {
	at, c := l.find(f, comp)
	return at.Plain(c)
}

// outer returns where a component lies in the array of its tree's outermost node.
func (l Layout) outer(f *ir.Field, comp int) (layout.Outer, bool) {
	at, c := l.find(f, comp)
	return at.Outer(c)
}

// alone returns the kind of the scalars in a component's array, if it is but one.
func (l Layout) alone(f *ir.Field, comp int) (ir.Kind, bool) {
	at, c := l.find(f, comp)
	return at.Alone(c)
}

// Uniform reports whether a tree is an array of scalars of one kind.
func (l Layout) Uniform(tree int) (kind ir.Kind, bytes int64, ok bool) {
	for _, p := range l { // any of the fields in it leads to the one tree
		for c := range p.Field.Elem.Comps {
			if t := p.Field.Tree(c); t.ID() == tree {
				return t.Uniform()
			}
		}
	}
	return ir.Invalid, 0, false
}

// NodeOf returns the node that a component of a field is placed in.
func (l Layout) NodeOf(f *ir.Field, comp int) *layout.Node {
	at, c := l.find(f, comp)
	return at.NodeOf(c)
}

// Node returns the node that a field stands for, or by which its elements are active; false for
// what lies in no tree of the host.
func (l Layout) Node(f *ir.Field) (*layout.Node, bool) {
	p, ok := l[f.Name]
	if !ok || p.Field == nil {
		return nil, false
	}
	return job.Layout(l).Node(f.Name), true
}
