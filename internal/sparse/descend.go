package sparse

import (
	"unsafe"

	"github.com/gotaichi/ti/internal/layout"
)

// index is an index that counts from 0.
type index [layout.MaxRank]int64

func relative(idx []int, origin []int64) (rel index) {
	for k, i := range idx {
		rel[k] = int64(i) - origin[k]
	}
	return rel
}

// Find returns where a component is, nil if it is not there: the element is inactive
// then, and reads as zero. What it returns may be inactive, and is zero then; it must
// not be written unless [Tree.Active] says that it is active. Who reads or writes there asks [Tree.Reach] before. Indices must be in range.
func (t *Tree) Find(a *layout.Access, idx []int) unsafe.Pointer {
	rel := relative(idx, a.Origin)
	b := t.descend(a.Steps, rel[:])
	if b == 0 {
		return nil
	}
	return at(b + uint64(a.Const+sum(a.Terms, rel[:])))
}

// Reach sees to it that the host can read n bytes of a block, or also write them. It costs nothing where machine and host share the memory.
func (t *Tree) Reach(at unsafe.Pointer, n int64, write bool) {
	if write {
		t.write(uint64(uintptr(at)), n)
	} else {
		t.read(uint64(uintptr(at)), n)
	}
}

// Shared reports whether machine and host share the memory, so that [Tree.Reach] does nothing.
func (t *Tree) Shared() bool { return t.mirror == nil }

// Err is why the host has not got what it asked for, and will not: the machine cannot give it.
func (t *Tree) Err() error { return t.err() }

// Enter returns where a component is after it has activated the element. Indices must
// be in range.
func (t *Tree) Enter(a *layout.Access, idx []int) (unsafe.Pointer, error) {
	rel := relative(idx, a.Origin)
	b, active := t.base, true
	for i := range a.Steps {
		if b, active = t.step(&a.Steps[i], b, rel[:]); !active {
			break
		}
	}
	if !active {
		t.mu.Lock()
		b = t.activate(t.base, a.Steps, rel[:])
		t.mu.Unlock()
		if b == 0 {
			return nil, ErrMemory
		}
	}
	return at(b + uint64(a.Const+sum(a.Terms, rel[:]))), nil
}

// descend returns the block that steps lead to, 0 if one is missing.
func (t *Tree) descend(steps []layout.Step, rel []int64) uint64 {
	b := t.base
	for i := range steps {
		s := &steps[i]
		switch s.Kind {
		case layout.StepPointer:
			if p := place(s, b, rel); p != 0 {
				b = t.load(p)
			}
		case layout.StepTable:
			var coords [layout.MaxRank]uint32
			b = t.nodes[s.Node.Number()].table.block(coordinates(s, rel, &coords))
		}
		if b == 0 {
			return 0
		}
	}
	return b
}

// coordinates computes those of a table step.
func coordinates(s *layout.Step, rel []int64, to *[layout.MaxRank]uint32) []uint32 {
	for k := range s.Cells {
		to[k] = uint32(sum(s.Cells[k:k+1], rel))
	}
	return to[:len(s.Cells)]
}

// place returns the address of the words of a step from block b; 0 if the step is to a
// directory of a list that the way to this element leaves out.
func place(s *layout.Step, b uint64, rel []int64) uint64 {
	if s.From > 0 && sum(s.Cells, rel) < s.From {
		if s.Near == nil {
			return 0
		}
		return b + uint64(s.Near.Const+sum(s.Near.Terms, rel))
	}
	return b + uint64(s.Const+sum(s.Terms, rel))
}

// step takes a step from block b, and reports whether what it leads to is active.
func (t *Tree) step(s *layout.Step, b uint64, rel []int64) (next uint64, active bool) {
	place := place(s, b, rel)
	switch s.Kind {
	case layout.StepPointer:
		if place == 0 {
			return b, true
		}
		b = t.load(place)
		return b, b != 0
	case layout.StepTable:
		var coords [layout.MaxRank]uint32
		b = t.nodes[s.Node.Number()].table.block(coordinates(s, rel, &coords))
		return b, b != 0
	case layout.StepMask:
		cell := uint64(sum(s.Cells, rel))
		return b, t.load(place+cell/64*wordBytes)>>(cell%64)&1 != 0
	}
	return b, sum(s.Cells, rel) < t.length(s.Node, place)
}

// length returns the length of the list whose length word is at place.
func (t *Tree) length(n *layout.Node, place uint64) int64 {
	return int64(min(t.load(place), uint64(n.Sizes()[0])))
}

// activate makes all that is missing on the way of the steps from block b and returns
// the block that they lead to, 0 if there is no memory; what was made stays. It needs
// the lock.
func (t *Tree) activate(b uint64, steps []layout.Step, rel []int64) uint64 {
	for i := range steps {
		s := &steps[i]
		next, active := t.step(s, b, rel)
		if active {
			b = next
			continue
		}
		place := place(s, b, rel)
		n := &t.nodes[s.Node.Number()]
		switch s.Kind {
		case layout.StepMask:
			cell := uint64(sum(s.Cells, rel))
			t.setBits(place+cell/64*wordBytes, 1<<(cell%64))
		case layout.StepLength:
			// The chunk comes first, so that there is none missing if there is no memory.
			if t.activate(b, steps[i+1:], rel) == 0 {
				return 0
			}
			t.store(place, uint64(sum(s.Cells, rel)+1))
		default:
			if next = t.pools[s.Into.ID].take(); next == 0 {
				return 0
			}
			if s.Kind == layout.StepPointer {
				t.store(place, next)
			} else {
				var coords [layout.MaxRank]uint32
				n.table.put(coordinates(s, rel, &coords), next)
			}
			b = next
		}
		n.version++
	}
	return b
}
