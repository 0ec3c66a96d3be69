package llvm

import (
	"cmp"
	"slices"

	"github.com/gotaichi/ti/internal/ir"
)

// A task takes LLVM about as long as taskOps ops more than it has: a short loop is
// where the vectoriser does most. A second part costs some milliseconds of
// processor time, for setting up LLVM once more and for what both hold, so it
// has to have several times as much to do, which is partOps; and a kernel has at
// most maxParts.
const (
	taskOps  = 200
	partOps  = 1000
	maxParts = 8
)

// Parts divides the tasks of k among modules that can be compiled all at once, and take
// about equally long. A small kernel is one module.
func Parts(k *ir.Kernel) [][]*ir.Task {
	total := 0
	weights := make(map[*ir.Task]int, len(k.Tasks))
	for _, t := range k.Tasks {
		weights[t] = taskOps + weight(&ir.Kernel{Tasks: []*ir.Task{t}, Funcs: called(t, true)})
		total += weights[t]
	}
	n := min(total/partOps, maxParts, len(k.Tasks))
	if n < 2 {
		return [][]*ir.Task{k.Tasks}
	}
	// The heaviest task first, each to the part that has least.
	order := slices.Clone(k.Tasks)
	slices.SortStableFunc(order, func(a, b *ir.Task) int { return cmp.Compare(weights[b], weights[a]) })
	loads := make([]int, n)
	part := make(map[*ir.Task]int, len(order))
	for _, t := range order {
		p := slices.Index(loads, slices.Min(loads))
		part[t] = p
		loads[p] += weights[t]
	}
	parts := make([][]*ir.Task, n)
	for _, t := range k.Tasks {
		parts[part[t]] = append(parts[part[t]], t)
	}
	return parts
}

// called lists the functions that a task calls, directly or not, callees before callers and
// in the order of first calls, each behind it with the lane variants that the task wants, if asked for.
func called(t *ir.Task, variants bool) []*ir.Func {
	var all []*ir.Func
	listed := map[*ir.Func]bool{}
	var add func(f *ir.Func)
	visit := func(b *ir.Block) {
		ir.Visit(b, func(o *ir.Op) bool {
			if o.Func != nil {
				add(o.Func)
			}
			return true
		})
	}
	add = func(f *ir.Func) {
		if listed[f] {
			return
		}
		listed[f] = true
		visit(f.Body)
		all = append(all, f)
		for _, v := range t.Variants {
			if variants && v.Scalar == f {
				add(v)
			}
		}
	}
	for _, b := range t.Blocks() {
		visit(b)
	}
	return all
}

// weight is the number of ops of k.
func weight(k *ir.Kernel) int {
	n := 0
	for _, b := range k.Blocks() {
		n += b.Size()
	}
	return n
}
