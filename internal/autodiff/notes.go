package autodiff

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/note"
)

// Remarks for users about an adjoint are placed at the lines of the kernel.

// noteKept says what a loop stores for its backward pass, once for each loop.
func (r *reverser) noteKept(o *ir.Op, s *stack) {
	if r.Notes == nil || r.noted[o] {
		return
	}
	r.noted[o] = true
	r.noteCopies(o, s)
	defer r.noteAgain(o)
	if len(s.items) == 0 {
		r.Notes.Say(o.Pos, note.LoopStoresNothing)
		return
	}
	bytes, twice := int64(0), int64(0)
	for _, it := range s.items {
		size := it.size * int64(it.kind().Size())
		bytes += size
		if it.value == nil { // a segment that runs again keeps states of its own
			twice += size
		}
	}
	what := namesOf(s.items)
	if s.single {
		r.Notes.Say(o.Pos, note.LoopStores, bytes, s.entries, what)
		return
	}
	r.Notes.Say(o.Pos, note.LoopStoresStates, bytes, what, s.entries, s.entries*(bytes+twice))
}

// noteAgain says what the backward pass through an iteration reads and computes again, and why it is not kept.
func (r *reverser) noteAgain(o *ir.Op) {
	again := r.redone[o]
	if again == nil {
		return
	}
	values := slices.DeleteFunc(slices.Clone(again.values), func(v *ir.Value) bool {
		return v.Def == nil || costOf(v.Def) == 0 || v.Type.Kind == ir.Ptr
	})
	slices.SortStableFunc(values, func(v, w *ir.Value) int { return r.pos[v.Def] - r.pos[w.Def] })
	var read, computed tally
	for _, v := range values {
		switch d := v.Def; {
		case d.Code != ir.OpLoad:
			computed.add(d.Code.String())
		case r.arrayAt(d) != nil:
			read.add(r.arrayAt(d).alloc.Results[0].Name)
		case d.Args[0].Def != nil && d.Args[0].Def.Code == ir.OpPtr:
			read.add(d.Args[0].Def.Field.Name)
		}
	}
	for range again.loops {
		computed.add("loop")
	}
	if len(read.names) > 0 {
		r.Notes.Say(o.Pos, note.LoopReloads, strings.Join(read.names, ", "))
	}
	switch {
	case len(computed.names) == 0:
	case again.alone:
		r.Notes.Say(o.Pos, note.LoopRecomputesAlone, computed.String())
	default:
		r.Notes.Say(o.Pos, note.LoopRecomputes, computed.String())
	}
}

// A tally counts names in the order in which they come.
type tally struct {
	names []string
	count map[string]int
}

func (t *tally) add(name string) {
	if t.count == nil {
		t.count = map[string]int{}
	}
	if t.count[name]++; t.count[name] == 1 {
		t.names = append(t.names, name)
	}
}

// String lists the names, each with its count if that is not 1.
func (t *tally) String() string {
	var list []string
	for _, name := range t.names {
		if n := t.count[name]; n > 1 {
			name = fmt.Sprintf("%d %s", n, name)
		}
		list = append(list, name)
	}
	return strings.Join(list, ", ")
}

// namesOf lists the names of items, each once, and how many have none.
func namesOf(items []*item) string {
	var names []string
	nameless := 0
	for _, it := range items {
		v := cmp.Or(it.param, it.value)
		if it.array != nil {
			v = it.array.alloc.Results[0]
		}
		switch {
		case v.Name == "":
			nameless++
		case !slices.Contains(names, v.Name):
			names = append(names, v.Name)
		}
	}
	switch nameless {
	case 0:
	case 1:
		names = append(names, "a value")
	default:
		names = append(names, fmt.Sprintf("%d values", nameless))
	}
	return strings.Join(names, ", ")
}

// noteCopies says which arrays are copied before a loop.
func (r *reverser) noteCopies(o *ir.Op, s *stack) {
	if r.Notes == nil {
		return
	}
	for _, a := range s.kept.snapshots {
		r.Notes.Say(o.Pos, note.ArrayCopied, a.alloc.Results[0].Name, a.alloc.Aux*int64(a.alloc.Kind.Size()))
	}
}

// noteOldValues says which old values launches store.
func (r *reverser) noteOldValues(k *ir.Kernel) {
	if r.Notes == nil {
		return
	}
	for _, s := range r.stored {
		if s.chained {
			r.Notes.Say(s.pos, note.OldValuesStored)
		} else {
			r.Notes.Say(s.pos, note.OldValueStored)
		}
	}
	for _, f := range k.Fields {
		ir.Visit(k.Body, func(o *ir.Op) bool {
			if isExtremum(o) && r.grad[f] != nil && o.Args[0].Def != nil && o.Args[0].Def.Field == f {
				r.Notes.Say(o.Pos, note.ExtremumFound, f.Name)
			}
			return true
		})
	}
}

// noteGathered says which loads a parallel loop gathers, and why it does not gather others that other iterations may
// make too.
func (r *reverser) noteGathered(o *ir.Op, groups []*gathering) {
	if r.Notes == nil {
		return
	}
	serial := false
	ir.Visit(o.Regions[0], func(p *ir.Op) bool {
		serial = serial || p.Code == ir.OpFor || p.Code == ir.OpLoop || p.Code == ir.OpAlloc || p.Code == ir.OpCall || r.extrema[p] != nil
		return !serial
	})
	for _, l := range r.unrolled[o] {
		r.Notes.Say(l.pos, note.LoopUnrolled, l.trips)
	}
	gathered := map[*ir.Op]bool{}
	for _, a := range groups {
		for i, part := range a.parts {
			for load := range part.loads {
				gathered[load] = true
			}
			if i > 0 {
				continue
			}
			for _, load := range inOrder(o, part.loads) {
				r.Notes.Say(load.Pos, note.AdjointGathered, a.field.Name, a.places())
				break
			}
		}
	}
	g := r.newGridLoop(o)
	ir.Visit(o.Regions[0], func(p *ir.Op) bool {
		if p.Code != ir.OpLoad || gathered[p] || r.gradAt(p.Args[0]) == nil || !r.active(p.Results[0]) {
			return true
		}
		name := p.Args[0].Def.Field.Name
		if cause := r.notGathered(o, g, p, serial); cause != note.OwnElement {
			r.Notes.Say(p.Pos, note.AdjointNotGathered, name, cause.With(name))
		}
		return true
	})
}

// notGathered is why a load is not gathered; it need not be if it is of the element of the iteration, as the index
// says or a promise. In sparse trees nothing is said of it.
func (r *reverser) notGathered(o *ir.Op, g *gridLoop, p *ir.Op, serial bool) note.Reason {
	f := p.Args[0].Def.Field
	if f.Sparse || r.grad[f].Sparse || o.Code == ir.OpFieldFor && o.Field.Sparse {
		return note.OwnElement
	}
	if isPromised(p.Args[0].Def) {
		return note.OwnElement
	}
	if g == nil {
		return note.DataDecides
	}
	own := true
	for i, v := range p.Args[0].Def.Args {
		s, ok := g.shift(v)
		if !ok {
			if serial && r.costly[o] {
				return note.ManyIterations
			}
			return note.DataDecides
		}
		own = own && s.axis == i && s.add == 0 && !s.wraps
	}
	switch {
	case own && len(p.Args[0].Def.Args) == len(g.op.Regions[0].Params):
		return note.OwnElement
	case serial && !r.costly[o]:
		return note.LoopWithin
	}
	written := false
	ir.Visit(o.Regions[0], func(w *ir.Op) bool {
		written = written || (w.Code == ir.OpStore || w.Code == ir.OpAtomic) && r.gradAt(w.Args[0]) == r.gradAt(p.Args[0])
		return true
	})
	if written {
		return note.WrittenToo
	}
	return note.ManyIterations
}

// inOrder are ops in the order of the text.
func inOrder(o *ir.Op, set map[*ir.Op]bool) (list []*ir.Op) {
	ir.Visit(o.Regions[0], func(p *ir.Op) bool {
		if set[p] {
			list = append(list, p)
		}
		return true
	})
	return list
}
