package gradient

import (
	"fmt"
	"slices"

	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/record"
	"github.com/gotaichi/ti/internal/store"
	"github.com/gotaichi/ti/internal/variant"
)

// In debug mode the two runs of a checkpoint's function are also compared by what their launches read that none of
// them has stored to: a field that is not kept, and that the function or something later changes, holds something else
// in the second run. Launches are watched in both runs, and each element is told by what it held before the launch
// that touched it first.

// noteInputs has the inputs of what is launched noted in in, until end is called. In is nil if they are not compared.
func (t *tape) noteInputs() (in *record.Inputs, end func()) {
	if t.history == nil {
		return nil, func() {}
	}
	in = record.NewInputs(t.inputRoom)
	t.mu.Lock()
	defer t.mu.Unlock()
	outer := t.inputs
	t.inputs = append(slices.Clone(outer), in) // launches have the old list
	return in, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.inputs = outer
	}
}

// notesInputs reports whether inputs of launches are noted.
func (t *tape) notesInputs() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.inputs) > 0
}

// touchInputs takes an access of a launch of v to the field that it knows by a name.
func (t *tape) touchInputs(v *variant.Variant, field string, n int, slots []uint64) {
	for _, in := range t.touched {
		in.Touch(n, slots, func(comp int64, index []uint64) uint64 {
			return t.heldBefore(v.Scope.Named(field), int(comp), index)
		})
	}
}

// heldBefore are the bits of component n of an element as the copies of the tape have them.
func (t *tape) heldBefore(c *store.Field, n int, index []uint64) (bits uint64) {
	idx := make([]int, len(index))
	for k, i := range index {
		idx[k] = int(int64(i))
	}
	if c.Sparse() {
		i := slices.IndexFunc(t.cells, func(k *sparseCopy) bool { return k.of == c.Root() })
		if i < 0 {
			return 0
		}
		return t.cells[i].at(c.Lo()+n, idx)
	}
	for _, k := range t.copies {
		if held, ok := k.Bits(c, n, idx); ok {
			bits = held
		}
	}
	return bits
}

// at are the bits of a component; 0 for those of an inactive element.
func (k *sparseCopy) at(comp int, idx []int) uint64 {
	bits, _ := k.lookUp(comp, idx)
	return bits
}

// lookUp returns the bits of a component; ok is false for one of an inactive element.
func (k *sparseCopy) lookUp(comp int, idx []int) (bits uint64, ok bool) {
	if k.found == nil {
		k.found = map[cellPlace]uint64{}
		for _, cell := range k.cells {
			k.found[cellPlace{cell.Comp, cell.Index}] = cell.Bits
		}
	}
	at := cellPlace{comp: comp}
	copy(at.index[:], idx)
	bits, ok = k.found[at]
	return bits, ok
}

// sameInputs compares the inputs of two runs of a checkpoint's function, which are nil unless these were watched.
func (g *Gradients) sameInputs(was, is *record.Inputs) error {
	if was == nil || is == nil {
		return nil
	}
	for _, in := range []*record.Inputs{was, is} {
		if short, room := in.Short(); short {
			return diag.Errorf(diag.ErrMemory, "the launches of a checkpoint read so many elements that those of its two runs were not compared: there were %d bytes for that; record smaller fields or fewer launches, raise Config.MemoryLimit, or leave Debug off", room)
		}
	}
	f := is.Differs(was)
	if f == nil {
		return nil
	}
	name := f.Site.What
	if c := g.numbered(f.Number); c != nil {
		name = c.Name()
	}
	return &variant.RuntimeError{Kernel: f.Kernel, Pos: variant.PlaceOf(f.Site.Place), Err: diag.ErrAccess, Count: 1, Field: name,
		Msg: fmt.Sprintf("launch %d of a checkpoint reads %s here, which holds something else in the second run than in the first: it was changed within the checkpoint or after it; give %s to Checkpoint among the fields to keep",
			f.Launch, f.Site.What, name)}
}

// numbered returns the field that numberOf has given a number.
func (g *Gradients) numbered(number int64) *store.Field {
	g.mu.Lock()
	defer g.mu.Unlock()
	for c, n := range g.fieldNumbers {
		if n == number {
			return c
		}
	}
	return nil
}
