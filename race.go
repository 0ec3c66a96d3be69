package ti

import (
	"fmt"

	"github.com/gotaichi/ti/internal/ir"
)

// A tracker finds races in what a launch records in debug mode: two iterations of one
// parallel loop touch the same component of an element, and one of them writes it
// other than by an atomic operation. Two that write the same value are in no conflict:
// whichever comes last, the outcome is one. Iterations come one after the other, so that of
// each kind of access the first iteration is enough to remember: a later one that is
// not the same conflicts with it, and so would all in between.
type tracker struct {
	sites []*ir.Site
	loop  uint64 // ordinal of the loop under way
	now   *iteration
	cells map[touched]*accesses
	first *race
	count int
}

// An iteration is one of a parallel loop.
type iteration struct {
	number uint64
	index  []int64
}

// touched names a component of an element.
type touched struct {
	what  string
	comp  uint64
	index [8]uint64
}

// An access is the first of its kind to a component.
type access struct {
	by     *iteration
	site   int
	bits   uint64 // that were written
	varied bool   // and then others by the same iteration
}

// accesses are those of a component, by kind: read, written, updated atomically.
type accesses struct {
	of       [3]access
	reported bool
}

// A race is a pair of accesses that are in conflict.
type race struct {
	index        []int64
	first, later access
}

// conflicts says with which kinds each kind is in conflict, most telling first.
var conflicts = [3][]ir.SiteKind{
	0:                           {ir.SiteWrite, ir.SiteUpdate}, // of ir.SiteRead
	ir.SiteWrite - ir.SiteRead:  {ir.SiteWrite, ir.SiteRead, ir.SiteUpdate},
	ir.SiteUpdate - ir.SiteRead: {ir.SiteWrite, ir.SiteRead},
}

// reset forgets everything, for a new launch.
func (t *tracker) reset() { *t = tracker{sites: t.sites} }

// touch takes an access: the iteration's number, the loop's ordinal, the component, the
// bits that are written, the index of the element, the index of the iteration.
func (t *tracker) touch(site int, slots []uint64) {
	s := t.sites[site]
	number, loop, comp, bits := slots[0], slots[1], slots[2], slots[3]
	index, loops := slots[4:4+len(s.Shape)], slots[4+len(s.Shape):]
	if t.cells == nil || loop != t.loop {
		t.loop, t.now, t.cells = loop, nil, map[touched]*accesses{}
	}
	if t.now == nil || t.now.number != number {
		t.now = &iteration{number: number}
		for _, i := range loops {
			t.now.index = append(t.now.index, int64(i))
		}
	}
	key := touched{what: s.What, comp: comp}
	copy(key.index[:], index)
	c := t.cells[key]
	if c == nil {
		c = &accesses{}
		t.cells[key] = c
	}
	this := access{by: t.now, site: site, bits: bits}
	if !c.reported {
		t.check(c, s.Kind, this, index)
	}
	if a := &c.of[s.Kind-ir.SiteRead]; a.by == nil {
		*a = this
	} else if a.by == this.by && a.bits != bits {
		a.varied = true
	}
}

// check looks for an earlier access that is in conflict with this one.
func (t *tracker) check(c *accesses, kind ir.SiteKind, this access, index []uint64) {
	for _, k := range conflicts[kind-ir.SiteRead] {
		a := c.of[k-ir.SiteRead]
		if a.by == nil || a.by.number == this.by.number || kind == ir.SiteWrite && k == kind && a.bits == this.bits && !a.varied {
			continue
		}
		c.reported = true
		if t.count++; t.first == nil {
			t.first = &race{first: a, later: this}
			for _, i := range index {
				t.first.index = append(t.first.index, int64(i))
			}
		}
		return
	}
}

// failure is the error of the races found, nil if there are none.
func (t *tracker) failure(kernel string, k *ir.Kernel) error {
	if t.first == nil {
		return nil
	}
	r := t.first
	now, before := t.sites[r.later.site], t.sites[r.first.site]
	e := &RuntimeError{
		Kernel: kernel, Pos: position(k, now.Pos), Err: ErrRace, Count: t.count, Field: now.What, Index: toInts(r.index),
		Loop: toInts(r.later.by.index), Other: position(k, before.Pos), OtherLoop: toInts(r.first.by.index),
	}
	e.Msg = fmt.Sprintf("iteration %v %s %s%v here, and iteration %v %s it at %s", e.Loop,
		map[ir.SiteKind]string{ir.SiteRead: "reads", ir.SiteWrite: "writes", ir.SiteUpdate: "updates"}[now.Kind], now.What, e.Index, e.OtherLoop,
		map[ir.SiteKind]string{ir.SiteRead: "read", ir.SiteWrite: "wrote", ir.SiteUpdate: "updated"}[before.Kind], place(e.Other))
	return e
}
