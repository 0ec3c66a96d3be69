package driver

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/job"
	"github.com/gotaichi/ti/internal/layout"
)

// A list ends for all fields in it, whichever a kernel empties it by. Components that lie elsewhere become
// zero with their elements, also those of fields that the source does not name. They enter the
// kernel as fields of one component each, so that pass elements finds them as it does others.

// follow adds the followers that go with lists which the kernel empties to its fields.
func (o *Options) follow(k *ir.Kernel) {
	if len(o.Followers) == 0 {
		return
	}
	emptied := o.Layout.emptied(k)
	for _, name := range o.Followers {
		p := o.Layout[name]
		if n := job.Layout(o.Layout).Node(name); !slices.Contains(emptied, n) || o.Layout.names(k, p) {
			continue
		}
		k.Fields = append(k.Fields, &ir.Field{
			Name: name, Index: len(k.Fields), Comps: []ir.Kind{p.Field.Elem.Comps[p.First].Kind},
			Shape: p.Field.Shape(), Origin: p.Field.Origin(), Node: ir.NodeDynamic, Sparse: true, List: true,
		})
	}
}

// emptied returns the nodes of lists that a kernel empties.
func (l Layout) emptied(k *ir.Kernel) (all []*layout.Node) {
	for _, b := range k.Blocks() {
		ir.Visit(b, func(o *ir.Op) bool {
			if o.Code == ir.OpShrink && o.Field.Sparse {
				if n, ok := l.Node(o.Field); ok && !slices.Contains(all, n) {
					all = append(all, n)
				}
			}
			return true
		})
	}
	return all
}

// names reports whether a field of the kernel has the component at a place.
func (l Layout) names(k *ir.Kernel, p Place) bool {
	for _, f := range k.Fields {
		if f.View != nil || l[f.Name].Field != p.Field {
			continue
		}
		for c := range f.Comps {
			if _, at := l.find(f, c); at == p.First {
				return true
			}
		}
	}
	return false
}
