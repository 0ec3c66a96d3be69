package analysis

import "github.com/gotaichi/ti/internal/ir"

// This file has queries about places and jumps that several passes share.

// EndsInJumps reports whether o is an if after which no code is reached.
func EndsInJumps(o *ir.Op) bool {
	return o.Code == ir.OpIf && Jumps(o.Regions[0]) && Jumps(o.Regions[1])
}

// Jumps reports whether b, a region of an if, ends in a jump out of it.
func Jumps(b *ir.Block) bool {
	t := b.Terminator()
	return t != nil && t.Code != ir.OpYield
}

// allocOf returns the alloc that a place is in, nil for another place.
func allocOf(place *ir.Value) *ir.Op {
	for place.Def != nil {
		switch place.Def.Code {
		case ir.OpCell:
			place = place.Def.Args[0]
		case ir.OpAlloc:
			return place.Def
		default:
			return nil
		}
	}
	return nil
}

// WrittenAlloc returns the alloc that o writes to, if o has no other effect: its index is in range.
func WrittenAlloc(o *ir.Op) *ir.Op {
	if o.Code != ir.OpStore && o.Code != ir.OpAtomic {
		return nil
	}
	place := o.Args[0]
	if place.Def == nil || !InRange(place.Def) {
		return nil
	}
	return allocOf(place)
}

// InRange reports whether a place needs no check of its index.
func InRange(place *ir.Op) bool {
	switch place.Code {
	case ir.OpPtr:
		return place.Flags.Has(ir.InBounds) || constantInRange(place)
	case ir.OpElem:
		return place.Flags.Has(ir.InBounds)
	case ir.OpCell:
		if place.Flags.Has(ir.InBounds) {
			return true
		}
		n, known := CellCount(place)
		i, ok := ir.IntOf(place.Args[1])
		return known && ok && i >= 0 && i < n
	}
	return true // an address
}

// constantInRange reports whether all indices of a ptr are constants in range.
func constantInRange(place *ir.Op) bool {
	f := place.Field
	for i := range f.Shape {
		if c, ok := ir.IntOf(place.Args[i]); !ok || !Within(f, i, c) {
			return false
		}
	}
	return !place.Flags.Has(ir.Dynamic)
}

// Within reports whether an index is in range for all extents that may be read at launch.
func Within(f *ir.Field, axis int, c int64) bool {
	n, at := f.Extent(axis)
	if at != nil {
		n = at.Least()
	}
	lo := f.Low(axis)
	return c >= lo && c < lo+n
}

// CellCount returns the number of elements of the array that a cell is in.
func CellCount(cell *ir.Op) (n int64, ok bool) {
	array := cell.Args[0].Def
	switch {
	case array == nil:
		return 0, false
	case array.Code == ir.OpAlloc:
		return array.Aux, true
	case array.Code == ir.OpFrame:
		return int64(array.Bits), true
	}
	return 0, false
}
