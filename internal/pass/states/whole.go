package states

import "github.com/gotaichi/ti/internal/ir"

// A component is a component of a field.
type component struct {
	field *ir.Field
	comp  int
}

// fills records the components of which every element is written: of a dense field, if each iteration of a loop over all of its elements
// writes the one at its own index; in serial code, the only element of a field without axes.
func (f *finder) fills(b *ir.Block) {
	for c := range f.written(b) {
		if f.over == nil && c.field.Rank() == 0 || f.over != nil && Covers(f.over, c.field) {
			f.phase.Fill(c.field, c.comp)
		}
	}
}

// written returns the components whose element at the iteration's own index b writes on each path to its end or to a jump.
func (f *finder) written(b *ir.Block) map[component]bool {
	all := map[component]bool{}
	for _, o := range b.Ops {
		switch o.Code {
		case ir.OpStore, ir.OpAtomic:
			place := hostPlace(o)
			if place == nil || !alwaysWrites(o) || place.Flags.Has(ir.Dynamic) || place.Field.Sparse {
				continue
			}
			if f.over == nil && place.Field.Rank() == 0 || f.ownIndex(place) && place.Field.Rank() == len(f.over.Regions[0].Params) {
				all[component{place.Field, int(place.Aux)}] = true
			}
		case ir.OpIf:
			other := f.written(o.Regions[1])
			for c := range f.written(o.Regions[0]) {
				if other[c] {
					all[c] = true
				}
			}
		case ir.OpBlock:
			for c := range f.written(o.Regions[0]) {
				all[c] = true
			}
		}
		if leaves(o) {
			break
		}
	}
	return all
}

// alwaysWrites reports whether a store or atomic writes in any case.
func alwaysWrites(o *ir.Op) bool { return useOf(o)&ir.Writes != 0 && o.Atomic != ir.AtomicCAS }

// leaves reports whether o may jump past the ops after it.
func leaves(o *ir.Op) bool {
	if o.Code == ir.OpReturn {
		return true
	}
	inside := map[*ir.Op]bool{o: true}
	jumps := false
	for _, r := range o.Regions {
		ir.Visit(r, func(p *ir.Op) bool {
			inside[p] = true
			jumps = jumps || p.Code == ir.OpReturn || (p.Code == ir.OpBreak || p.Code == ir.OpContinue) && !inside[p.Target]
			return !jumps
		})
	}
	return jumps
}

// Covers reports whether a loop has an iteration for each element of a dense field.
func Covers(loop *ir.Op, f *ir.Field) bool {
	if loop.Code == ir.OpFieldFor {
		return !loop.Field.Sparse && alike(loop.Field, f)
	}
	for axis := range f.Shape {
		lo, hi := loop.Args[2*axis], loop.Args[2*axis+1]
		if from, ok := ir.IntOf(lo); !ok || from != f.Low(axis) || !ends(hi, f, axis) {
			return false
		}
	}
	return true
}

// ends reports whether hi is one above the last index of a field along an axis.
func ends(hi *ir.Value, f *ir.Field, axis int) bool {
	n, at := f.Extent(axis)
	if at == nil {
		to, ok := ir.IntOf(hi)
		return ok && to == f.Low(axis)+n
	}
	return f.Low(axis) == 0 && hi.Def != nil && hi.Def.Code == ir.OpLen && hi.Def.Param == at
}

// alike reports whether two fields have elements at the same indices.
func alike(a, b *ir.Field) bool {
	if a == b {
		return true
	}
	if a.Rank() != b.Rank() {
		return false
	}
	for axis := range a.Shape {
		n, at := a.Extent(axis)
		m, of := b.Extent(axis)
		if a.Low(axis) != b.Low(axis) || at != of || n != m {
			return false
		}
	}
	return true
}
