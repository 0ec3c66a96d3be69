package variant

import (
	"slices"

	"github.com/gotaichi/ti/internal/job"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/record"
	"github.com/gotaichi/ti/internal/sparse"
)

// newOutput makes what takes the records of launches.
func (v *Variant) newOutput(sites []launch.Site) *record.Output {
	m := v.Kernel.Program.Maker
	printers := m.Opt.Threads
	if m.Opt.Debug {
		printers = 1
	}
	out := record.NewOutput(v.Kernel.Name, m.Opt.Stdout, sites, record.Limits{Room: m.RecordRoom, Buffer: m.Opt.PrintBuffer, Printers: printers})
	if w, is := v.Role.(*Watching); is {
		out.Watch = func(n int, slots []uint64) { w.touch(v, sites[n].What, n, slots) }
		w.Sites = sites
	}
	return out
}

// topology returns what k needs of its sparse trees, nil if it has none.
func (v *Variant) topology(k *launch.Kernel) *record.Topology {
	return topologyOf(k, v.Scope.Layout, v)
}

// topologyOf returns what a kernel of these variants, whose fields lie as at says, needs of its sparse trees; nil if it has none.
func topologyOf(k *launch.Kernel, at job.Layout, of ...*Variant) *record.Topology {
	var trees []*sparse.Tree
	for _, v := range of {
		for _, t := range v.trees {
			if s := t.Sparse(); s != nil && !slices.Contains(trees, s) {
				trees = append(trees, s)
			}
		}
	}
	if len(trees) == 0 {
		return nil
	}
	return record.NewTopology(trees, k, func(f *launch.Field) (*layout.Node, *layout.Field) {
		place := at[f.Name]
		if f.Memory || place.Field == nil {
			return nil, nil
		}
		return at.Node(f.Name), place.Field
	})
}
