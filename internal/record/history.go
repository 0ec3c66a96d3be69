package record

import (
	"math"

	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/site"
)

// A History knows what the launches under a tape did to each component of each element that they touched, and finds
// what breaks the rules of data access: the backward pass would find another value than the launch, or take an adjoint
// twice.
//
//   - An element is overwritten or added to that was read by a launch whose backward pass reads it again.
//   - An element is overwritten of which a backward pass wants to know whether a launch's sum was clamped.
//   - An element with an adjoint is stored to that was read, or was given a value other than a constant. Where ways back
//     clear the adjoints of what was stored, as under a tape with checkpoints, that is fine.
//   - A cell is deactivated whose elements were used before. Their values become 0. An adjoint in the cell is lost, and one that lies
//     elsewhere would be that of both values. No backward pass clears it. In a checkpoint that is so unless it stores to the elements after that.
//   - An element with an adjoint that was read, or was given a value other than a constant, is changed by the program, and a launch reads it
//     after that. No backward pass clears its adjoint in between.
//
// It has an entry of 40 bytes for each component.
type History struct {
	room     int64 // bytes that may be in use
	cells    cellTable[deeds]
	launches []watchedLaunch
	now      *Watched
	full     bool
	always   breaches // whether adjoints are cleared or not
	plain    breaches // unless they are
}

type breaches struct {
	first *Breach
	count int
}

// A Watched is what a History has to know of a kernel.
type Watched struct {
	Kernel string
	Sites  []launch.Site
	Fields []WatchedField // by site
	Reads  bool           // there is a backward pass through the kernel
	Needed []bool         // by site: the backward pass reads again what the site reads, or what it updates
}

// A WatchedField says which field a site accesses.
type WatchedField struct {
	Number   int64   // the same for all kernels
	Comps    []int64 // the numbers of its components there; nil for the kernel's own
	First    int64   // the number of the first one
	Adjoints bool    // it has a field of adjoints
	Unknown  bool    // it is no field
}

type watchedLaunch struct {
	of     *Watched
	number int
}

// A deed is an access by a launch.
type deed struct {
	launch uint32 // from 1; 0 for none
	site   uint32
}

// nowhere is the site of what has no place in the source.
const nowhere = math.MaxUint32

// deeds are those to a component: the first ones that read it, since a cell may have been deactivated between two, and
// the last one that gave it a value.
type deeds struct {
	needed   deed // whose backward pass reads it again
	read     deed
	given    deed
	constant bool // a constant was stored last
	judged   bool // a backward pass looks at what it holds in the end, to tell whether a sum was clamped
	dropped  deed // which has deactivated the cell of what has an adjoint, without a broken rule so far
	keeps    bool // and left the adjoint
	changed  bool // by the program, after it was read or given a value, and has an adjoint
	reported bool
}

// A Breach is a broken rule.
type Breach struct {
	What         string // the field
	Index        []int
	Before, Now  launch.Site
	BeforeBy     string // the kernels
	NowBy        string
	BeforeLaunch int // the numbers of the launches under the tape, from 1
	NowLaunch    int
	Adjoint      bool // it is the adjoint that would be wrong; else the value
	Drop         bool // the launch has deactivated the cell
	Lost         bool // and with it the adjoint
	Changed      bool // the program has changed it before the launch reads it
}

// NewHistory returns an empty history, which may use room bytes.
func NewHistory(room int64) *History { return &History{room: room} }

// Begin prepares for a launch, the n-th under the tape.
func (h *History) Begin(w *Watched, n int) {
	h.now = w
	h.launches = append(h.launches, watchedLaunch{w, n})
}

// Touch takes an access, as [Races] does: the iteration's number, the loop's ordinal, the component, the bits that are
// written, the index of the element.
func (h *History) Touch(n int, slots []uint64) {
	s, f := &h.now.Sites[n], &h.now.Fields[n]
	if f.Unknown || h.full {
		return
	}
	if h.cells.bytes() > h.room || uint64(len(h.launches)) == math.MaxUint32 {
		h.full = true
		h.cells = cellTable[deeds]{}
		return
	}
	comp := int64(slots[2])
	if f.Comps != nil {
		comp = f.Comps[comp]
	}
	index := slots[4 : 4+len(s.Shape)]
	c := h.cells.at(f.Number, uint64(f.First+comp), index)
	d := deed{uint32(len(h.launches)), uint32(n)}
	h.useAnew(c, d, index, s.Kind)
	if s.Kind == site.Read {
		if h.now.Needed[n] && c.needed.launch == 0 {
			c.needed = d
		}
		if h.now.Reads && c.read.launch == 0 {
			c.read = d
		}
		return
	}
	constant := s.Kind == site.Write && len(s.Text) > 0
	switch {
	case c.reported:
	case c.needed.launch > 0:
		h.breach(&h.always, c, c.needed, d, index, false)
	case c.judged && s.Kind == site.Write:
		h.breach(&h.always, c, c.given, d, index, false)
	case s.Kind != site.Write || !f.Adjoints:
	case c.read.launch > 0:
		h.breach(&h.plain, c, c.read, d, index, true)
	case c.given.launch > 0 && !c.constant:
		h.breach(&h.plain, c, c.given, d, index, true)
	}
	if h.now.Reads || s.Kind == site.Write {
		c.given, c.constant = d, constant
	}
	c.judged = c.judged || s.Kind == site.Update && h.now.Needed[n]
}

// TouchAgain takes an access of a launch that has no backward pass of its own, since a checkpoint makes it again: to
// an element that a launch before it has read, whose backward pass comes after that.
func (h *History) TouchAgain(n int, slots []uint64) {
	s, f := &h.now.Sites[n], &h.now.Fields[n]
	if f.Unknown || h.full {
		return
	}
	comp := int64(slots[2])
	if f.Comps != nil {
		comp = f.Comps[comp]
	}
	index := slots[4 : 4+len(s.Shape)]
	c := h.cells.at(f.Number, uint64(f.First+comp), index)
	d := deed{uint32(len(h.launches)), uint32(n)}
	h.useAnew(c, d, index, s.Kind)
	if before, ok := c.used(); s.Kind != site.Read && ok && !c.reported && (c.needed.launch > 0 || s.Kind == site.Write) {
		h.breach(&h.always, c, before, d, index, false)
	}
}

// useAnew takes an access to a component whose value the program has changed or a launch has dropped: its adjoint
// would be that of both values, unless the access is a store, behind which it begins anew. Where the cell of an
// adjoint is gone, only an update makes one again.
func (h *History) useAnew(c *deeds, now deed, index []uint64, kind site.Kind) {
	switch {
	case kind == site.Write:
		c.changed, c.dropped = false, deed{}
	case c.reported || !h.now.Reads:
	case c.changed && kind == site.Read:
		h.breach(&h.always, c, c.valued(), now, index, true)
		if b := h.always.first; h.always.count == 1 {
			b.Changed = true
		}
	case c.dropped.launch > 0 && (c.keeps || kind == site.Update):
		h.drop(c, c.valued(), c.dropped, index, true, false)
	}
}

// valued is the deed by which an adjoint belongs to a value.
func (c *deeds) valued() deed {
	if c.read.launch > 0 {
		return c.read
	}
	return c.given
}

// Change notes that the program has changed a component between two launches, whose field has adjoints. First and comp
// are the component's numbers as those of a [WatchedField].
func (h *History) Change(number, comp int64, index []uint64) {
	if h.full {
		return
	}
	c := h.cells.at(number, uint64(comp), index)
	c.changed = c.changed || c.hasAdjoint()
}

// hasAdjoint reports whether a launch has read the component, or given it a value other than a constant.
func (c *deeds) hasAdjoint() bool { return c.read.launch > 0 || c.given.launch > 0 && !c.constant }

func (h *History) breach(to *breaches, c *deeds, before, now deed, index []uint64, adjoint bool) {
	c.reported = to == &h.always
	if to.count++; to.first != nil {
		return
	}
	a, b := h.launches[before.launch-1], h.launches[now.launch-1]
	to.first = &Breach{
		What: a.of.Sites[before.site].What, Index: signed(index), Before: a.of.Sites[before.site],
		BeforeBy: a.of.Kernel, NowBy: b.of.Kernel, BeforeLaunch: a.number, NowLaunch: b.number, Adjoint: adjoint,
	}
	if now.site != nowhere {
		to.first.Now, to.first.What = b.of.Sites[now.site], b.of.Sites[now.site].What
	}
}

// A Dropped says what was left of the elements of a field by a launch, which may have deactivated cells.
type Dropped struct {
	Number int64 // of the field
	Rank   int
	Was    func(comp int, index []int) bool // the component was active before the launch
	Is     func(comp int, index []int) bool // and is so behind it
	// Adjoints says that the field has adjoints, and Kept whether that of a component is still there.
	Adjoints bool
	Kept     func(comp int, index []int) bool
	// Later says that what the launch itself has read at a site was read behind all that it has deactivated.
	Later func(at *launch.Site) bool
}

// Drop takes what the launch that was begun last has deactivated. Again says that it has no backward pass of its own,
// as for TouchAgain.
func (h *History) Drop(of *Dropped, again bool) {
	now := uint32(len(h.launches))
	h.cells.each(of.Number, of.Rank, func(c uint64, at []uint64, d *deeds) {
		if h.full || *d == (deeds{}) {
			return
		}
		comp, index := int(c), signed(at)
		if of.Is(comp, index) || d.given.launch != now && !of.Was(comp, index) {
			return
		}
		h.dropComponent(d, deed{now, nowhere}, of, comp, at, again)
	})
}

func (h *History) dropComponent(c *deeds, now deed, of *Dropped, comp int, index []uint64, again bool) {
	counts := func(d deed) bool {
		return d.launch > 0 && (d.launch != now.launch || !of.Later(&h.now.Sites[d.site]))
	}
	before, used := c.used()
	switch {
	case c.reported:
	case used && counts(before):
		h.drop(c, before, now, index, false, false)
	case !of.Adjoints || !c.hasAdjoint():
	case !again && counts(c.read):
		h.drop(c, c.read, now, index, true, !of.Kept(comp, signed(index)))
	case !again && c.given.launch > 0 && !c.constant && of.Kept(comp, signed(index)):
		h.drop(c, c.given, now, index, true, false)
	default:
		c.dropped, c.keeps = now, of.Kept(comp, signed(index))
	}
}

// drop notes a rule that a launch has broken by deactivating a cell.
func (h *History) drop(c *deeds, before, now deed, index []uint64, adjoint, lost bool) {
	h.breach(&h.always, c, before, now, index, adjoint)
	if b := h.always.first; h.always.count == 1 {
		b.Drop, b.Lost = true, lost
	}
}

// EndAgain says that a checkpoint has ended. Its backward pass leaves the cells of adjoints as it does, for launches
// before it.
func (h *History) EndAgain(of *Dropped) {
	h.cells.each(of.Number, of.Rank, func(c uint64, at []uint64, d *deeds) {
		if d.dropped.launch == 0 || d.reported || d.read.launch == 0 || d.read.launch >= d.dropped.launch || of.Kept(int(c), signed(at)) {
			return
		}
		h.drop(d, d.read, d.dropped, at, true, true)
	})
}

// First returns the first broken rule, nil if there is none, and how often one was broken. Clears says that ways back
// clear adjoints.
func (h *History) First(clears bool) (*Breach, int) {
	if h.always.first == nil && !clears {
		return h.plain.first, h.plain.count
	}
	return h.always.first, h.always.count
}

// Short reports whether there was no room to watch all launches, and how many bytes there were.
func (h *History) Short() (bool, int64) { return h.full, h.room }

// used returns an access whose backward pass reads the component again.
func (c *deeds) used() (last deed, ok bool) {
	if c.needed.launch > 0 {
		return c.needed, true
	}
	return c.given, c.judged
}

// Known returns the launch and the site that first read a component, or last added to it, of those whose ways back
// read it again; ok is false without one. First and comp are the component's numbers as those of a [WatchedField].
func (h *History) Known(number, comp int64, index []uint64) (by string, launch int, at launch.Site, ok bool) {
	c := h.cells.at(number, uint64(comp), index)
	d, ok := c.used()
	if !ok {
		return "", 0, at, false
	}
	l := h.launches[d.launch-1]
	return l.of.Kernel, l.number, l.of.Sites[d.site], true
}
