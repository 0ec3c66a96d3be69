package pass

import "github.com/gotaichi/ti/internal/ir"

// inBounds marks places whose indices are proven to be in range.
//
// Input: a task before access lowering. Output: the same with the InBounds flag on
// such ptr, elem and cell, which is what later passes go by: a store to such a
// place takes place, and a load from it that nothing uses can go. The proof may
// rest on the conditions around the op, so one that is marked does not leave them.
func inBounds(t *ir.Task) {
	r := analyse(t)
	mark := func(o *ir.Op) bool {
		if checks := checksOf(o); checks != nil {
			ok := true
			for i, c := range checks {
				ok = ok && (c.v == nil || proven(r.operand(o, i), c))
			}
			if ok {
				o.Flags |= ir.InBounds
			}
		}
		return true
	}
	for _, b := range []*ir.Block{t.Prologue, t.Body, t.Epilogue} {
		ir.Walk(b, mark)
	}
}

// checksOf returns what an index check of the place o would ask of each of its
// operands; nil if o is no place with an index.
func checksOf(o *ir.Op) []axisCheck {
	var cs []axisCheck
	switch o.Code {
	case ir.OpPtr:
		for i := range o.Field.Shape {
			cs = append(cs, fieldCheck(o.Field, i, o.Args[i]))
		}
	case ir.OpElem:
		cs = append(cs, axisCheck{v: o.Args[0], length: o.Param})
	case ir.OpCell:
		n, ok := cellCount(o)
		if !ok {
			return nil
		}
		// Operand 0 is the array: nothing is asked of it.
		cs = append(cs, axisCheck{}, axisCheck{v: o.Args[1], extent: n})
	default:
		return nil
	}
	if o.Flags.Has(ir.Dynamic) {
		cs = append(cs, axisCheck{v: o.Args[len(o.Args)-1], extent: int64(o.Bits)})
	}
	return cs
}
