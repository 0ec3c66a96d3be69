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

// Parts divides the tasks of k among kernels that can be translated and compiled
// on their own, all at once, and take about equally long. It depends on k
// alone, so that the same kernel gives the same code on any machine. A small
// kernel stays as it is.
func Parts(k *ir.Kernel) []*ir.Kernel {
	total := 0
	weights := make(map[*ir.Task]int, len(k.Tasks))
	for _, t := range k.Tasks {
		weights[t] = taskOps + weight(&ir.Kernel{Tasks: []*ir.Task{t}, Funcs: called(k, t)})
		total += weights[t]
	}
	n := min(total/partOps, maxParts, len(k.Tasks))
	if n < 2 {
		return []*ir.Kernel{k}
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
	parts := make([]*ir.Kernel, 0, n)
	for p := range n {
		piece := *k
		piece.Tasks = slices.DeleteFunc(slices.Clone(k.Tasks), func(t *ir.Task) bool { return part[t] != p })
		piece.Funcs = called(k, piece.Tasks...)
		parts = append(parts, &piece)
	}
	return parts
}

// called lists the functions that tasks call, directly or not, and the lane
// variants of these, in the order of k.
func called(k *ir.Kernel, tasks ...*ir.Task) []*ir.Func {
	used := map[*ir.Func]bool{}
	var visit func(b *ir.Block)
	visit = func(b *ir.Block) {
		ir.Walk(b, func(o *ir.Op) bool {
			if o.Func != nil && !used[o.Func] {
				used[o.Func] = true
				visit(o.Func.Body)
			}
			return true
		})
	}
	for _, b := range (&ir.Kernel{Tasks: tasks}).Blocks() {
		visit(b)
	}
	for _, fn := range k.Funcs {
		if used[fn.Scalar] && !used[fn] {
			used[fn] = true
			visit(fn.Body)
		}
	}
	return slices.DeleteFunc(slices.Clone(k.Funcs), func(fn *ir.Func) bool { return !used[fn] })
}

// weight is the number of ops of k.
func weight(k *ir.Kernel) int {
	n := 0
	for _, b := range k.Blocks() {
		n += b.Size()
	}
	return n
}
