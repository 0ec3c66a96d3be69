package access

import (
	"fmt"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/pass/analysis"
)

// This file shares the results of descents with later accesses, and drops a result that may no longer hold:
//
//   - A read of a missing block gets the zero block. A write may allocate the missing
//     block. So if the task allocates a block of a node, the results of reads that pass
//     through this node are forgotten.
//   - An active cell stays active, and its block does not move, until the loop ends. The
//     exception are elements of lists: emptying the list makes them inactive.
//
// An iteration of a loop may invalidate results for later iterations, so the same results
// are forgotten before a loop.

// A known is the result of an earlier descent for one step.
type known struct {
	block  *ir.Value // the block that the step leads to; nil if there is none, or nothing needed it
	active bool      // the cell is active, and so are all cells above it
	by     finder
	steps  []layout.Step // the path to the cell, ending with this step
}

// suffixOf is the end of the keys of results that hold only under a range check.
func suffixOf(cond *ir.Value) string {
	if cond == nil {
		return ""
	}
	return fmt.Sprintf("?%d", cond.ID)
}

// known returns the result that is stored under a key.
func (a *accessor) known(key string) (known, bool) {
	for i := len(a.lookups) - 1; i >= 0; i-- {
		if k, ok := a.lookups[i][key]; ok {
			return k, true
		}
	}
	return known{}, false
}

// active returns the result for a cell that is active, either always or under the check of
// suffix.
func (a *accessor) active(key, suffix string) (known, bool) {
	if k, ok := a.known(key); ok && k.active {
		return k, true
	}
	k, ok := a.known(key + suffix)
	return k, ok && k.active
}

// leadsTo returns a result that has a block, valid either always or under the check of
// suffix. An active one is preferred: the block of a read may be the zero block, which
// must not be written to.
func (a *accessor) leadsTo(key, suffix string) (known, bool) {
	if k, ok := a.active(key, suffix); ok && k.block != nil {
		return k, true
	}
	if k, ok := a.known(key); ok && k.block != nil {
		return k, true
	}
	k, ok := a.known(key + suffix)
	return k, ok && k.block != nil
}

// learn stores the result for a step until the current block ends.
func (a *accessor) learn(key string, k known) { a.lookups[len(a.lookups)-1][key] = k }

// share is learn for the result of a descent, unless descents are not to be shared.
func (a *accessor) share(key string, k known) {
	if !a.without.Has(option.Lookups) {
		a.learn(key, k)
	}
}

// shareUnder stores that the cell at the end of w is active and lies in block, provided
// that the check cond holds.
func (a *accessor) shareUnder(pos ir.Pos, w *descent, cond, block *ir.Value) {
	end := -1
	for i := range w.steps {
		if Leads(&w.steps[i]) {
			end = i
		}
	}
	for i, key := range w.keys {
		k := known{active: true, by: finder{pos: pos}, steps: w.steps[:i+1]}
		if i == end {
			k.block = block
		}
		a.share(key+suffixOf(cond), k)
	}
}

// grown forgets the results of reads whose path passes through a node of which steps may
// allocate a block.
func (a *accessor) grown(steps []layout.Step) {
	nodes := map[*layout.Node]bool{}
	for i := range steps {
		if Leads(&steps[i]) && a.grows[steps[i].Node] {
			nodes[steps[i].Node] = true
		}
	}
	if len(nodes) > 0 {
		a.forget(func(k known) bool { return !k.active && through(k, nodes) })
	}
}

// shorter forgets that elements of the lists of a node are active.
func (a *accessor) shorter(n *layout.Node) {
	nodes := map[*layout.Node]bool{n: true}
	a.forget(func(k known) bool { return k.active && through(k, nodes) })
}

// repeated forgets, before a loop, the results that its iterations may invalidate.
func (a *accessor) repeated(loop *ir.Op) {
	visited := map[*ir.Field]bool{}
	analysis.VisitOps([]*ir.Op{loop}, func(o *ir.Op) {
		if o.Code == ir.OpShrink && o.Field.Sparse {
			a.shorter(a.lay.Cells(o.Field).Node)
		}
		if f, _ := analysis.Activated(o); f != nil && f.Sparse && !visited[f] {
			visited[f] = true
			a.grown(a.stepsTo(f))
		}
	})
}

// through reports whether the path of a result passes through one of the nodes.
func through(k known, nodes map[*layout.Node]bool) bool {
	for i := range k.steps {
		if nodes[k.steps[i].Node] {
			return true
		}
	}
	return false
}

// forget deletes the results for which drop reports true.
func (a *accessor) forget(drop func(known) bool) {
	for _, m := range a.lookups {
		for key, k := range m {
			if drop(k) {
				delete(m, key)
			}
		}
	}
}
