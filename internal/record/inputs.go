package record

import (
	"cmp"
	"math"
	"slices"

	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/site"
)

// Inputs are what a function's launches depend on: the elements that they read before one of them has stored to these, with what
// they held at first. A checkpoint runs its function twice; the second run must find the inputs of the first.
type Inputs struct {
	room   int64 // bytes that may be in use
	cells  cellTable[input]
	now    *Watched
	launch int // its number, from 1
	fields map[int64]*Input
	full   bool
}

// An input is a component of an element.
type input struct {
	state inputState
	bits  uint64 // at first; of what was added to
}

type inputState uint8

const (
	untouched inputState = iota
	added                // to, and not read: what it was may be of no account
	settled              // stored to, or noted
)

// An Input is what is known of the inputs in a field.
type Input struct {
	Number   int64 // of the field
	Kernel   string
	Launch   int         // the first one that reads such an element,
	Site     launch.Site // and the first place there
	site     int
	count    uint64
	contents uint64 // the sum of a number for each element
}

// NewInputs returns no inputs; what is known of them may take room bytes.
func NewInputs(room int64) *Inputs { return &Inputs{room: room, fields: map[int64]*Input{}} }

// Begin prepares for a launch.
func (in *Inputs) Begin(w *Watched) {
	in.now = w
	in.launch++
}

// Touch takes an access, as [History.Touch] does. Before returns what the component of the element held before the launch.
func (in *Inputs) Touch(n int, slots []uint64, before func(comp int64, index []uint64) uint64) {
	s, f := &in.now.Sites[n], &in.now.Fields[n]
	if f.Unknown || in.full {
		return
	}
	if in.cells.bytes() > in.room {
		in.full = true
		in.cells = cellTable[input]{}
		return
	}
	comp := int64(slots[2])
	if f.Comps != nil {
		comp = f.Comps[comp]
	}
	index := slots[4 : 4+len(s.Shape)]
	c := in.cells.at(f.Number, uint64(f.First+comp), index)
	if c.state == settled {
		return
	}
	if s.Kind == site.Write {
		c.state = settled
		return
	}
	if c.state == untouched {
		c.bits = before(comp, index)
	}
	if c.state = added; s.Kind == site.Read {
		c.state = settled
		in.note(n, uint64(f.First+comp), index, c.bits)
	}
}

// note adds an element to the inputs.
func (in *Inputs) note(n int, comp uint64, index []uint64, bits uint64) {
	number := in.now.Fields[n].Number
	f := in.fields[number]
	if f == nil {
		f = &Input{Number: number, Launch: math.MaxInt}
		in.fields[number] = f
	}
	if c := cmp.Compare(in.launch, f.Launch); c < 0 || c == 0 && n < f.site {
		f.Launch, f.site, f.Site, f.Kernel = in.launch, n, in.now.Sites[n], in.now.Kernel
	}
	h := (comp ^ bits*mixer) * mixer
	for _, i := range index {
		h = (h ^ h>>29 ^ i) * mixer
	}
	f.count++
	f.contents += h ^ h>>32
}

// Differs returns a field whose inputs are others than in another run, nil if there is none; of several, the one that is read
// first.
func (in *Inputs) Differs(other *Inputs) *Input {
	var all []*Input
	for number, f := range in.fields {
		if g := other.fields[number]; g == nil || g.count != f.count || g.contents != f.contents {
			all = append(all, f)
		}
	}
	for number, g := range other.fields {
		if in.fields[number] == nil {
			all = append(all, g)
		}
	}
	if len(all) == 0 {
		return nil
	}
	return slices.MinFunc(all, func(f, g *Input) int {
		return cmp.Or(cmp.Compare(f.Launch, g.Launch), cmp.Compare(f.site, g.site), cmp.Compare(f.Number, g.Number))
	})
}

// Short reports whether there was no room for all inputs, and how many bytes there were.
func (in *Inputs) Short() (bool, int64) { return in.full, in.room }
