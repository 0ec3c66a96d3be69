package typed

import (
	"strconv"
)

func IsField(t Type) bool { _, ok := t.(FieldType); return ok }

func IsNode(t Type) bool { _, ok := t.(NodeType); return ok }

// HoldsFields reports whether t is or contains the type of a field or node, so that
// a parameter of type t is bound at compile time.
func HoldsFields(t Type) bool {
	switch t := t.(type) {
	case FieldType, NodeType:
		return true
	case Array:
		return HoldsFields(t.Elem)
	case *Struct:
		for _, f := range t.Fields {
			if HoldsFields(f.Type) {
				return true
			}
		}
	}
	return false
}

// HasParts reports whether a var of type t has parts that are bound one by one.
func HasParts(t Type) bool {
	switch t := t.(type) {
	case *Struct:
		return true
	case Array:
		return HasParts(t.Elem) || IsField(t.Elem) || IsNode(t.Elem)
	}
	return false
}

// EachPart calls f for the members of a struct, or the elements of an array, that a
// bundle of type t consists of, with what their paths add to that of the bundle.
func EachPart(t Type, f func(path string, t Type)) {
	switch t := t.(type) {
	case *Struct:
		for _, m := range t.Fields {
			f("."+m.Name, m.Type)
		}
	case Array:
		for i := range t.Len {
			f("["+strconv.Itoa(i)+"]", t.Elem)
		}
	}
}

// Parts lists the paths of the fields, nodes and constants in a bundle of type t, in
// the order of the source: .Pos, .Levels[0], .Dt.
func Parts(t Type) (paths []string) {
	EachPart(t, func(path string, t Type) {
		if !HasParts(t) {
			paths = append(paths, path)
			return
		}
		for _, inner := range Parts(t) {
			paths = append(paths, path+inner)
		}
	})
	return paths
}

// IsBundle reports whether a parameter of type t takes fields, nodes and constants
// together: a struct or array with a field or node in it.
func IsBundle(t Type) bool { return HasParts(t) && HoldsFields(t) }
