package access

import (
	"github.com/gotaichi/ti/internal/ir"
)

// This file is the part of a descent from a list with directories to a chunk. The pointers to the first chunks are beside the length,
// and the directories do not count these chunks (layout.Step, From and Near). Facts about directories are not shared, since they
// differ from element to element.

// chunkStep returns the number of the step to the chunk of the list of step i.
func (w *descent) chunkStep(i int) int {
	for w.steps[i].Near == nil {
		i++
	}
	return i
}

// isNear appends a test whether an element of the list of step i lies in one of the first chunks. If the ranges decide it, v is nil,
// and always is the result.
func (a *accessor) isNear(b *ir.Builder, w *descent, i int) (v *ir.Value, always bool) {
	s, index := &w.steps[i], w.cells[i][0]
	if r, ok := a.r.Interval(index); ok && (r.Hi < s.From || r.Lo >= s.From) {
		return nil, r.Hi < s.From
	}
	return a.own(b.Op(ir.OpLt, a.value(b, index), a.own(b.Int(ir.Scalar(ir.I64), s.From)))), false
}

// chunkSlot appends the address of the pointer to a chunk, for reading; list is the block with the length. If cond is false, any
// pointer of this kind will do, as in read. Both addresses are computed, which costs less than a branch: the pointer to a directory
// is beside those to the first chunks.
func (a *accessor) chunkSlot(b *ir.Builder, w *descent, i int, list, cond *ir.Value) *ir.Value {
	end := w.chunkStep(i)
	isNear, always := a.isNear(b, w, i)
	var near *ir.Value
	if isNear != nil || always {
		near = a.slot(b, list, w.near[end], w.steps[end].Near.Const, cond)
		if always {
			return near
		}
	}
	directory := list
	for ; i < end; i++ {
		directory = a.follow(b, w, i, a.slot(b, directory, w.at[i], w.steps[i].Const, cond))
	}
	far := a.slot(b, directory, w.at[end], w.steps[end].Const, cond)
	if isNear == nil {
		return far
	}
	return a.own(b.Op(ir.OpSelect, isNear, near, far))
}

// growSlot appends the address of the pointer to a chunk, and makes the directories on the path to it.
func (a *accessor) growSlot(b *ir.Builder, w *descent, i int, list *ir.Value) *ir.Value {
	end := w.chunkStep(i)
	near := func() *ir.Value { return a.address(b, list, w.near[end]) }
	far := func() *ir.Value {
		directory := list
		for k := i; k < end; k++ {
			directory = a.grow(b, w, k, a.address(b, directory, w.at[k]))
		}
		return a.address(b, directory, w.at[end])
	}
	isNear, always := a.isNear(b, w, i)
	switch {
	case always:
		return near()
	case isNear == nil:
		return far()
	}
	slot := b.If(isNear, []ir.Type{ir.Scalar(ir.Ptr)},
		func() { a.scoped(func() { b.Yield(near()) }) },
		func() { a.scoped(func() { b.Yield(far()) }) })
	return a.own(slot[0])
}
