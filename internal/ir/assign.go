package ir

import "slices"

// SameElement reports whether two places are of elements with the same indices, whatever the fields and components.
func SameElement(a, b *Op) bool {
	return slices.Equal(a.indices(), b.indices())
}

// indices returns the indices of the element of a place.
func (o *Op) indices() []*Value {
	if o.Flags.Has(Dynamic) {
		return o.Args[:len(o.Args)-1]
	}
	return o.Args
}

// Joined returns the parts of the assignment that begins with the first of ops, or that alone. The parts that lowering
// makes follow each other.
func Joined(ops []*Op) []*Op {
	n := 1
	for n < len(ops) && ops[n-1].Flags.Has(More) {
		n++
	}
	return ops[:n]
}

// An assignment is what the verifier knows of the assignment whose parts go on where it stands.
type assignment struct {
	parts []*Op
}

// next takes the next op of a block, and returns the ops whose results may be used from there on.
func (a *assignment) next(v *verifier, o *Op) []*Op {
	access := o.Code == OpStore || o.Code == OpAtomic
	if len(a.parts) > 0 {
		switch first := a.parts[0]; {
		case access && o.Code == first.Code && o.Atomic == first.Atomic:
			if !isPtr(o) || !isPtr(first) || !SameElement(o.Args[0].Def, first.Args[0].Def) {
				v.op(o, "it is part of an assignment to another element")
			}
		case o.Code == OpPtr || o.Code.Is(Pure):
			return []*Op{o}
		default:
			v.op(o, "it stands between parts of an assignment")
		}
	}
	a.parts = append(a.parts, o)
	if access && o.Flags.Has(More) {
		return nil
	}
	done := a.parts
	a.parts = nil
	return done
}

// isPtr reports whether a store or atomic is to an element of a field.
func isPtr(o *Op) bool {
	return len(o.Args) > 0 && o.Args[0] != nil && o.Args[0].Def != nil && o.Args[0].Def.Code == OpPtr
}
