package states

import (
	"fmt"

	"github.com/gotaichi/ti/internal/ir"
)

// Take gives each task that was made of a segment of the body the states of its phase or phases.
//
// A segment is a parallel loop, with the tasks that it became, or serial code, with one or none. They are in the
// order of the body. A kernel without phases, as tests of single passes have them, leaves tasks without states.
func Take(k *ir.Kernel, segments []Segment) {
	if k.Phases == nil {
		return
	}
	loops := map[int32]int{} // tasks of each phase
	for _, s := range segments {
		if s.Loop != nil {
			loops[s.Loop.Phase] += len(s.Tasks)
		}
	}
	for i, s := range segments {
		switch {
		case s.Loop == nil:
			for _, t := range s.Tasks {
				t.States = serial(k, before(segments[:i]), behind(k, segments[i:]))
			}
		case s.Loop.Phase < 1 || int(s.Loop.Phase) > len(k.Phases):
			panic(fmt.Sprintf("a loop has no phase: what it does to fields is not known\n%s", s.Loop))
		default:
			states := k.Phases[s.Loop.Phase-1].States
			if loops[s.Loop.Phase] > 1 {
				states = ir.InPart(states)
			}
			for _, t := range s.Tasks {
				t.States = listed(states, t)
			}
		}
	}
	k.Phases = nil
}

// A Segment is a part of the body and the tasks that it became.
type Segment struct {
	Loop  *ir.Op // nil for serial code
	Tasks []*ir.Task
}

// before returns the phase of the last loop in segments, 0 if there is none.
func before(segments []Segment) int {
	for i := len(segments) - 1; i >= 0; i-- {
		if s := segments[i]; s.Loop != nil {
			return int(s.Loop.Phase)
		}
	}
	return 0
}

// behind returns the phase of the first loop in segments, one more than there are if there is none.
func behind(k *ir.Kernel, segments []Segment) int {
	for _, s := range segments {
		if s.Loop != nil {
			return int(s.Loop.Phase)
		}
	}
	return len(k.Phases) + 1
}

// serial returns the states of serial code that stands between two loops, of these phases.
func serial(k *ir.Kernel, after, before int) []ir.State {
	if after > before {
		panic(fmt.Sprintf("loops are out of order: that of phase %d stands before that of phase %d", after, before))
	}
	var all ir.States
	phases := 0
	for n := after + 1; n < before; n++ {
		if p := &k.Phases[n-1]; !p.Loop {
			phases++
			all.Add(p.States)
		}
	}
	if phases > 1 { // there were loops between them, and the first may return
		return ir.InPart(all.List())
	}
	return all.List()
}

// listed returns the states of a task, with what its lists of active cells read.
func listed(states []ir.State, t *ir.Task) []ir.State {
	if len(t.Lists) == 0 {
		return states
	}
	var all ir.States
	all.Add(states)
	for _, l := range t.Lists {
		f := l.Field
		if f.Word != nil {
			f = f.Word.Field
		}
		s := all.Of(f)
		s.Mask, s.List = s.Mask|ir.Reads, s.List|ir.Reads
	}
	return all.List()
}

// Join gives a loop what another one does, too, which was put behind it.
func Join(k *ir.Kernel, to, from *ir.Op) {
	if k.Phases == nil || to.Phase == from.Phase {
		return
	}
	var all ir.States
	p := &k.Phases[to.Phase-1]
	all.Add(p.States)
	all.Add(k.Phases[from.Phase-1].States)
	p.States = all.List()
}
