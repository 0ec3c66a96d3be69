package batch

import (
	"slices"

	"github.com/gotaichi/ti/internal/job"
)

// Loops whose ranges follow from arguments have the same iterations only where the arguments are the same. Which are is a part of the
// plan: code of other arguments of the same pattern is the same, and so are the loops that can be fused.

// equalArgs appends, for each argument of a batch from which ranges of loops follow, the number of the first of them with its value.
func equalArgs(to []int32, b *batch) []int32 {
	b.ranges = b.ranges[:0]
	for i := range b.launches {
		e := &b.launches[i]
		for _, slot := range e.variant.Queued().Ranges {
			value := b.args[e.at+slot]
			first := len(b.ranges)
			if at := slices.Index(b.ranges, value); at >= 0 {
				first = at
			}
			b.ranges, to = append(b.ranges, value), append(to, int32(first))
		}
	}
	return to
}

// same says which arguments of some launches of a plan are the same, from which ranges of loops follow; nil if none are.
func (p *plan) same(launches []int) [][]job.SameArg {
	if len(p.equal) == 0 {
		return nil
	}
	type place struct{ part, slot int }
	first := map[int32]place{}
	all, some := make([][]job.SameArg, len(launches)), false
	for part, i := range launches {
		for n, slot := range p.ranges[i] {
			class := p.equal[p.from(i)+n]
			if at, known := first[class]; known {
				all[part], some = append(all[part], job.SameArg{Slot: slot, Part: at.part, Of: at.slot}), true
			} else {
				first[class] = place{part, slot}
			}
		}
	}
	if !some {
		return nil
	}
	return all
}

// from is where those of a launch begin in equal.
func (p *plan) from(launch int) (n int) {
	for i := range launch {
		n += len(p.ranges[i])
	}
	return n
}
