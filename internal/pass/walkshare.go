package pass

import (
	"fmt"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/layout"
)

// This file keeps what walks have found out, for the accesses that follow, and forgets it
// where it need not hold any longer:
//
//   - A read that finds no block is given the zero block. A write may make the block that
//     was missing, so what reads have found is forgotten where the task makes a block of
//     one of the nodes on the way.
//   - An active cell stays active, and its block stays where it is, until the loop ends.
//     Elements of lists are the exception: when a list is emptied, they are active no more.
//
// A loop does in an iteration what holds for those that follow too, so both are forgotten
// in front of it.

// A known is what code before it has found out about a step.
type known struct {
	block  *ir.Value // that the step leads to; nil if it was not needed, or leads to none
	active bool      // the cell is active, and so is all above it
	by     finder
	steps  []layout.Step // the way, this step included
}

// suffixOf ends the keys of what holds only under a check.
func suffixOf(cond *ir.Value) string {
	if cond == nil {
		return ""
	}
	return fmt.Sprintf("?%d", cond.ID)
}

// known finds what is known under a key.
func (a *accessor) known(key string) (known, bool) {
	for i := len(a.walks) - 1; i >= 0; i-- {
		if k, ok := a.walks[i][key]; ok {
			return k, true
		}
	}
	return known{}, false
}

// active finds out whether a cell is known to be active, by itself or under a check.
func (a *accessor) active(key, suffix string) (known, bool) {
	if k, ok := a.known(key); ok && k.active {
		return k, true
	}
	k, ok := a.known(key + suffix)
	return k, ok && k.active
}

// leadsTo finds a block that is known, by itself or under a check. One that is active comes
// first: what a read has found may be the zero block, which cannot be written to.
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

// learn keeps what is known of a step for the rest of the block.
func (a *accessor) learn(key string, k known) { a.walks[len(a.walks)-1][key] = k }

// share is learn for what a walk has found out, which others need not find out again.
func (a *accessor) share(key string, k known) {
	if !a.without.Has(Walks) {
		a.learn(key, k)
	}
}

// shareUnder takes in that where a check holds the cell at the end of w is active, and
// its block is block.
func (a *accessor) shareUnder(pos ir.Pos, w *walk, cond, block *ir.Value) {
	end := -1
	for i := range w.steps {
		if leads(&w.steps[i]) {
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

// grown forgets what reads have found on ways through nodes of which steps may make blocks.
func (a *accessor) grown(steps []layout.Step) {
	nodes := map[*layout.Node]bool{}
	for i := range steps {
		if leads(&steps[i]) && a.grows[steps[i].Node] {
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

// repeated forgets in front of a loop what its iterations make untrue.
func (a *accessor) repeated(loop *ir.Op) {
	seen := map[*ir.Field]bool{}
	walkOps([]*ir.Op{loop}, func(o *ir.Op) {
		if o.Code == ir.OpEmpty && o.Field.Sparse {
			a.shorter(a.lay.Cells(o.Field).Node)
		}
		if f, _ := activated(o); f != nil && f.Sparse && !seen[f] {
			seen[f] = true
			a.grown(a.stepsTo(f))
		}
	})
}

// through reports whether the way to what is known goes through one of the nodes.
func through(k known, nodes map[*layout.Node]bool) bool {
	for i := range k.steps {
		if nodes[k.steps[i].Node] {
			return true
		}
	}
	return false
}

// forget drops what is known.
func (a *accessor) forget(drop func(known) bool) {
	for _, m := range a.walks {
		for key, k := range m {
			if drop(k) {
				delete(m, key)
			}
		}
	}
}
