package pass

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/unit"
)

// forwardAddresses replaces loads of what was stored or loaded before at the same address. Before access lowering, forward could
// not do so if an index is checked, since the store may not take place. After predication the store certainly takes place in the
// version without checks. A loop that loads what it has stored would not be vectorised: LLVM before 17 must not make vectors of it
// (see independent).
//
// Input and output: a task with addresses. Two accesses are to the same place if their addresses are the same value, and to
// different places if their alias classes say so. Atomics and all other ops that may store invalidate the facts.
func forwardAddresses(_ *state, u *unit.Unit) {
	f := &addressForwarder{subst: unit.Subst{}}
	for _, b := range u.Blocks {
		f.block(b, nil)
	}
}

// maxInMemory bounds the number of facts at a time.
const maxInMemory = 128

// An inMemory is the fact that a value lies at an address.
type inMemory struct {
	address, value *ir.Value
	alias          int32
}

type addressForwarder struct{ subst unit.Subst }

// block forwards within b; known are the facts at its start.
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
			if o.Code.Is(ir.Loop) { // the facts do not hold in later iterations
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

// isWhole reports whether a load or store with this number of operands accesses all lanes of a place in a field.
func isWhole(o *ir.Op, operands int) bool {
	return len(o.Args) == operands && o.Args[0].Type.Lanes <= 1 && o.Alias != 0 && o.Order == ir.Plain
}

// afterStores returns the facts of known that hold after o and in its regions.
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
