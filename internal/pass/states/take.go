package states

import (
	"fmt"

	"github.com/gotaichi/ti/internal/ir"
)

// Take gives the tasks of each segment of the body the states of its phases.
//
// A segment is a parallel loop with the tasks that it became, or serial code with one task or none, in the order of the body. Serial code of
// several parts of a linked kernel is several segments, which have the same states. If the kernel
// has no phases, as in tests of single passes, tasks get no states.
func Take(k *ir.Kernel, segments []Segment) {
	if k.Phases == nil {
		return
	}
	loops := map[int32]int{} // number of tasks of each phase
	for _, s := range segments {
		if s.Loop != nil {
			loops[s.Loop.Phase] += len(s.Tasks)
		}
	}
	for i, s := range segments {
		switch {
		case s.Loop == nil:
			states := serial(k, before(segments[:i]), behind(k, segments[i:]))
			if shared(segments, i) {
				states = ir.InPart(states)
			}
			for _, t := range s.Tasks {
				t.States = states
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

// shared reports whether the serial code between two loops is several segments, as it is in a linked kernel, of which i is one.
func shared(segments []Segment, i int) bool {
	return i > 0 && segments[i-1].Loop == nil || i+1 < len(segments) && segments[i+1].Loop == nil
}

// before returns the phase of the last loop in segments; 0 if there is none.
func before(segments []Segment) int {
	for i := len(segments) - 1; i >= 0; i-- {
		if s := segments[i]; s.Loop != nil {
			return int(s.Loop.Phase)
		}
	}
	return 0
}

// behind returns the phase of the first loop in segments; if there is none, the number after the last phase.
func behind(k *ir.Kernel, segments []Segment) int {
	for _, s := range segments {
		if s.Loop != nil {
			return int(s.Loop.Phase)
		}
	}
	return len(k.Phases) + 1
}

// serial returns the states of the serial code between two loops with these phases.
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
	if phases > 1 { // loops between them were removed, and the first code may return
		return ir.InPart(all.List())
	}
	return all.List()
}

// listed returns the states of a task, with the reads that make its lists of active cells.
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

// Overwritten notes that a loop does not store to all elements of a component any more, since a later one does. Serial code stays as it is.
func Overwritten(k *ir.Kernel, loop *ir.Op, f *ir.Field, comp int) {
	if k.Phases == nil || loop.Phase == 0 {
		return
	}
	p := &k.Phases[loop.Phase-1]
	var all ir.States
	all.Add(ir.InPart(p.States))
	for i := range p.States {
		for _, v := range p.States[i].Values {
			for c := v.First; c < v.First+v.Comps; c++ {
				if v.Whole && (p.States[i].Field != f || c != comp) {
					all.Fill(p.States[i].Field, c)
				}
			}
		}
	}
	p.States = all.List()
}

// Join adds the states of a loop to those of the loop with which it was fused.
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
