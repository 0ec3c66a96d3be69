package record

import (
	"math"

	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/site"
)

// Races finds races in what a launch records in debug mode: two iterations of one
// parallel loop touch the same component of an element, and one of them writes it
// other than by an atomic operation. Two that write the same value are in no conflict:
// whichever comes last, the outcome is one. Iterations come one after the other, so that of
// each kind of access the first iteration is enough to remember: a later one that is
// not the same conflicts with it, and so would all in between.
//
// It has an entry of 40 bytes for each component that a loop touches. Loops touch
// many, and most of them in order, so entries of neighbours lie together in blocks.
type Races struct {
	sites []launch.Site
	names []int64 // by site: a number for the field, slice or array that it touches
	room  int64   // bytes that may be in use

	loop       uint64              // ordinal of the loop under way
	axes       int                 // of its index
	now        uint32              // ordinal of the iteration under way, from 1 on
	iterations []uint64            // number and index of each iteration of the loop
	cells      cellTable[accesses] // what the loop has touched
	full       bool                // there was no room for all of this loop
	short      bool                // there was no room for all of some loop of the launch

	first *Race
	count int
}

// An access is one to a component.
type access struct {
	by   uint32 // ordinal of the iteration, 0 for none
	site uint32
}

// accesses are the first ones to a component, by kind: read, written, updated atomically.
type accesses struct {
	of       [3]access
	bits     uint64 // that were written first
	varied   bool   // and then others by the same iteration
	reported bool
}

// A Race is a pair of accesses that are in conflict.
type Race struct {
	Index            []int // of the element
	First, Later     int   // sites
	Before, Iterated []int // the indices of their iterations
}

// conflicts says with which kinds each kind is in conflict, most telling first.
var conflicts = [3][]site.Kind{
	0:                       {site.Write, site.Update}, // of site.Read
	site.Write - site.Read:  {site.Write, site.Read, site.Update},
	site.Update - site.Read: {site.Write, site.Read},
}

// NewRaces returns what takes the records of the given sites, nil if none of them is
// an access.
func NewRaces(sites []launch.Site) *Races {
	t := &Races{sites: sites}
	numbers := map[string]int64{}
	accesses := false
	for i := range sites {
		s := &sites[i]
		if _, ok := numbers[s.What]; !ok {
			numbers[s.What] = int64(len(numbers))
		}
		t.names = append(t.names, numbers[s.What])
		accesses = accesses || s.Kind == site.Read || s.Kind == site.Write || s.Kind == site.Update
	}
	if !accesses {
		return nil
	}
	return t
}

// Begin prepares for a launch, in which it may use room bytes.
func (t *Races) Begin(room int64) {
	t.room, t.short, t.first, t.count = room, false, nil, 0
	t.loop, t.axes, t.full = 0, -1, false
}

// End forgets the loop, and keeps only a little of its memory for the next.
func (t *Races) End() {
	t.cells.reset()
	if t.now = 0; cap(t.iterations) > keepSlots {
		t.iterations = nil
	}
	t.iterations = t.iterations[:0]
}

// touch takes an access: the iteration's number, the loop's ordinal, the component, the
// bits that are written, the index of the element, the index of the iteration.
func (t *Races) touch(n int, slots []uint64) {
	s := &t.sites[n]
	bits, rest := slots[3], slots[4:]
	index, loop := rest[:len(s.Shape)], rest[len(s.Shape):]
	if slots[1] != t.loop || t.axes != len(loop) {
		t.loop, t.axes, t.full = slots[1], len(loop), false
		t.End()
	}
	if t.full {
		return
	}
	if t.used() > t.room || !t.iterate(slots[0], loop) {
		t.full, t.short = true, true
		t.End()
		return
	}
	c := t.cells.at(t.names[n], slots[2], index)
	kind := s.Kind - site.Read
	if !c.reported {
		t.check(c, s.Kind, n, bits, index)
	}
	if a := &c.of[kind]; a.by == 0 {
		*a = access{t.now, uint32(n)}
		if s.Kind == site.Write {
			c.bits = bits
		}
	} else if a.by == t.now && s.Kind == site.Write && c.bits != bits {
		c.varied = true
	}
}

// iterate notes which iteration is under way; false means that their ordinals are used up.
func (t *Races) iterate(number uint64, loop []uint64) bool {
	if t.now > 0 && t.number(t.now) == number {
		return true
	}
	if t.now == math.MaxUint32 {
		return false
	}
	t.now++
	t.iterations = append(append(t.iterations, number), loop...)
	return true
}

// used is the number of bytes in use.
func (t *Races) used() int64 { return t.cells.bytes() + 8*int64(cap(t.iterations)) }

// number is the number of an iteration, by its ordinal.
func (t *Races) number(ordinal uint32) uint64 {
	return t.iterations[(int(ordinal)-1)*(1+t.axes)]
}

// indexOf is the index of an iteration, by its ordinal.
func (t *Races) indexOf(ordinal uint32) []int {
	at := (int(ordinal) - 1) * (1 + t.axes)
	return signed(t.iterations[at+1 : at+1+t.axes])
}

// signed returns slots as the integers that they hold.
func signed(slots []uint64) []int {
	var out []int
	for _, s := range slots {
		out = append(out, int(s))
	}
	return out
}

// check looks for an earlier access that is in conflict with this one.
func (t *Races) check(c *accesses, kind site.Kind, n int, bits uint64, index []uint64) {
	for _, k := range conflicts[kind-site.Read] {
		a := c.of[k-site.Read]
		if a.by == 0 || a.by == t.now || kind == site.Write && k == kind && c.bits == bits && !c.varied || t.number(a.by) == t.number(t.now) {
			continue
		}
		c.reported = true
		if t.count++; t.first == nil {
			t.first = &Race{signed(index), int(a.site), n, t.indexOf(a.by), t.indexOf(t.now)}
		}
		return
	}
}

// First returns the first race of the launch, nil if there is none, and how many there are.
func (t *Races) First() (*Race, int) { return t.first, t.count }

// Short reports whether there was no room to look for all races of the launch, and how many
// bytes there were.
func (t *Races) Short() (bool, int64) { return t.short, t.room }

// Site returns a site by its number.
func (t *Races) Site(n int) *launch.Site { return &t.sites[n] }
