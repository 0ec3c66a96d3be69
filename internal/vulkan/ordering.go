package vulkan

import (
	"slices"

	idevice "github.com/gotaichi/ti/internal/device"
	"github.com/gotaichi/ti/internal/launch"
)

// This file knows between which dispatches of a launch no barrier is needed: tasks that have nothing in common may overlap.

// An ordering is that of the dispatches of one launch. The zero value has a barrier before each.
type ordering struct {
	clashes    []uint64 // by task: those that need a barrier between; nil if all do
	submission uint64   // of the last dispatch; 0 before the first one of the launch
	open       uint64   // tasks with dispatches since the last barrier
}

// mostOrdered is how many tasks a kernel has at most, and how many things they share, for which clashes are known.
const mostOrdered = 64

// begin begins a launch: others may stand before it.
func (o *ordering) begin() { o.submission, o.open = 0, 0 }

// next notes a dispatch of a task in a submission, and reports whether a barrier has to stand before it, if anything does.
func (o *ordering) next(submission uint64, task int) (barrier bool) {
	if o.clashes == nil {
		return true
	}
	if barrier = o.submission != submission || o.clashes[task]&o.open != 0; barrier {
		o.submission, o.open = submission, 0
	}
	o.open |= 1 << task
	return barrier
}

// orderingOf finds which tasks of a kernel clash: those that share an area, the frame, memory of the caller or large local arrays, whether they write there or not. States of
// tasks name fields, and not where these lie.
func orderingOf(k *launch.Kernel, bases []launch.Base) (o ordering) {
	if k.Records || len(k.Tasks) > mostOrdered {
		return o
	}
	const others, frame, callers, local, first = 0, 1, 2, 3, 4
	var areas []idevice.Area
	uses := make([]uint64, len(k.Tasks))
	for i := range k.Tasks {
		t := &k.Tasks[i]
		use := func(thing int) { uses[i] |= 1 << thing }
		if t.Local > 0 {
			use(local)
		}
		for _, s := range t.Slots {
			switch s.From {
			case launch.FrameSlot:
				use(frame)
			case launch.ArgSlot:
				if slices.ContainsFunc(k.Memory, func(m launch.Memory) bool { return int64(m.Slot) == s.At }) {
					use(callers)
				}
			case launch.RootSlot:
				use(others)
			case launch.BaseSlot:
				own, is := bases[s.At].Area.(deviceArea)
				if !is { // sums, lists, partial results, sparse trees
					use(others)
					continue
				}
				at := slices.Index(areas, idevice.Area(own))
				if at < 0 {
					at = len(areas)
					areas = append(areas, own)
				}
				if first+at >= mostOrdered {
					return ordering{}
				}
				use(first + at)
			}
		}
	}
	for i := range k.Tasks { // the task that merges partial results runs as part of the one that leaves them
		if p := k.Tasks[i].Partial; p != nil {
			uses[i] |= uses[p.Merge]
		}
	}
	o.clashes = make([]uint64, len(k.Tasks))
	for i := range k.Tasks {
		for j := range k.Tasks {
			if i == j || uses[i]&uses[j] != 0 { // parts of a loop may meet at an element by atomics, and at its record of errors
				o.clashes[i] |= 1 << j
			}
		}
	}
	return o
}
