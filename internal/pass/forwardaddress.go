package pass

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/unit"
)

// forwardAddresses replaces loads of what was stored or loaded before at the same address. Where an index was checked, forward could not know
// that the store takes place. It does once predicate has asked before the loop. A loop that loads what it has stored would run one iteration at
// a time: the back end must not let LLVM before 17 make vectors of it (see independent).
//
// Input and output: a task with addresses. Two accesses are to one place if their addresses are one value, and to different ones
// if their alias classes say so. Atomics, and all else that may store, end what is known.
func forwardAddresses(_ *state, u *unit.Unit) {
	f := &addressForwarder{subst: unit.Subst{}}
	for _, b := range u.Blocks {
		f.block(b, nil)
	}
}

// maxInMemory bounds what is remembered at a time.
const maxInMemory = 128

// An inMemory is a value that lies at an address.
type inMemory struct {
	address, value *ir.Value
	alias          int32
}

type addressForwarder struct{ subst unit.Subst }

// block forwards within b. At its start, what known says lies in memory.
func (f *addressForwarder) block(b *ir.Block, known []inMemory) {
	known = slices.Clone(known)
	kept := b.Ops[:0]
	for _, o := range b.Ops {
		f.subst.Args(o)
		if o.Code == ir.OpLoad && isWhole(o, 1) {
			i := slices.IndexFunc(known, func(k inMemory) bool { return k.address == o.Args[0] && k.value.Type == o.Results[0].Type })
			if i >= 0 {
				f.subst[o.Results[0]] = known[i].value
				continue
			}
			known = append(known, inMemory{o.Args[0], o.Results[0], o.Alias})
		}
		for _, r := range o.Regions {
			inside := known
			if o.Code.Is(ir.Loop) { // an iteration begins after the one before
				inside = afterStores(known, o)
			}
			f.block(r, inside)
		}
		known = afterStores(known, o)
		if o.Code == ir.OpStore && isWhole(o, 2) {
			known = append(known, inMemory{o.Args[0], o.Args[1], o.Alias})
		}
		if len(known) > maxInMemory {
			known = known[1:]
		}
		kept = append(kept, o)
	}
	b.Ops = unit.Cut(b.Ops, kept)
}

// isWhole reports whether a load or store of so many operands is one of a place in a field, of all lanes.
func isWhole(o *ir.Op, operands int) bool {
	return len(o.Args) == operands && o.Args[0].Type.Lanes <= 1 && o.Alias != 0 && o.Order == ir.Plain
}

// afterStores returns what of known holds after o, and what stands in its regions.
func afterStores(known []inMemory, o *ir.Op) []inMemory {
	if len(known) == 0 {
		return nil
	}
	classes, all := analysis.StoredClasses(o)
	switch {
	case all:
		return nil
	case len(classes) == 0:
		return known
	}
	return slices.DeleteFunc(slices.Clone(known), func(k inMemory) bool { return slices.Contains(classes, k.alias) })
}
