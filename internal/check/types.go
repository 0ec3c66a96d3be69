package check

import (
	"strconv"
	"strings"
)

// A Type is the type of an expression or variable. Types are comparable values:
// two are identical when they are equal as Go values (t == u).
//
// The implementations are [Scalar], [Array], [Slice], [Tuple] and, for names that
// are no values, [FieldType] and [NodeType].
type Type interface {
	// String returns the type as a user would write it, vec3 for [3]f32.
	String() string
	isType()
}

// Scalar is the type of a single number or truth value.
type Scalar uint8

// The scalar types. The untyped ones occur in constants only, never in a finished
// tree; Unknown is the type of an expression with an error, or of one that depends
// on a host value not known yet, and suppresses errors that would follow from it.
const (
	Unknown Scalar = iota
	Bool
	I8
	I16
	I32
	I64
	U8
	U16
	U32
	U64
	F32
	F64

	UntypedInt
	UntypedFloat
)

var scalarNames = [...]string{
	Unknown: "unknown", Bool: "bool", I8: "i8", I16: "i16", I32: "i32", I64: "i64",
	U8: "u8", U16: "u16", U32: "u32", U64: "u64", F32: "f32", F64: "f64",
	UntypedInt: "untyped integer", UntypedFloat: "untyped float",
}

// String returns the name of the type, such as "f32".
func (s Scalar) String() string { return scalarNames[s] }

func (Scalar) isType() {}

// IsInt reports whether s is an integer type, untyped included.
func (s Scalar) IsInt() bool { return s >= I8 && s <= U64 || s == UntypedInt }

// IsSigned reports whether s is a signed integer type, untyped included.
func (s Scalar) IsSigned() bool { return s >= I8 && s <= I64 || s == UntypedInt }

// IsUnsigned reports whether s is an unsigned integer type.
func (s Scalar) IsUnsigned() bool { return s >= U8 && s <= U64 }

// IsFloat reports whether s is a floating-point type, untyped included.
func (s Scalar) IsFloat() bool { return s == F32 || s == F64 || s == UntypedFloat }

// IsNumber reports whether s is an integer or floating-point type.
func (s Scalar) IsNumber() bool { return s.IsInt() || s.IsFloat() }

// IsUntyped reports whether s is the type of an untyped constant.
func (s Scalar) IsUntyped() bool { return s == UntypedInt || s == UntypedFloat }

// Bits returns the width of a value of the type; a bool has 1, an untyped type 0.
func (s Scalar) Bits() int {
	switch s {
	case Bool:
		return 1
	case I8, U8:
		return 8
	case I16, U16:
		return 16
	case I32, U32, F32:
		return 32
	case I64, U64, F64:
		return 64
	}
	return 0
}

// Array is the type of a fixed array. An array of scalars is a vector, an array of
// vectors a matrix (its rows); deeper arrays are tables, which have no operators.
type Array struct {
	Elem Type // Scalar or Array
	Len  int
}

func (Array) isType() {}

// vectorNames are the letters before "vec" and "mat" in the names of short types.
var vectorNames = map[Scalar]string{F32: "", F64: "d", I32: "i", U32: "u"}

// String returns the short name of a vector or square matrix where there is one.
func (a Array) String() string {
	if s, ok := a.Elem.(Scalar); ok {
		if p, ok := vectorNames[s]; ok && a.Len >= 2 && a.Len <= 4 {
			return p + "vec" + strconv.Itoa(a.Len)
		}
	}
	if r, ok := a.Elem.(Array); ok && r.Len == a.Len && a.Len >= 2 && a.Len <= 4 {
		if s, ok := r.Elem.(Scalar); ok && (s == F32 || s == F64) {
			return vectorNames[s] + "mat" + strconv.Itoa(a.Len)
		}
	}
	return "[" + strconv.Itoa(a.Len) + "]" + a.Elem.String()
}

// Slice is the type of a kernel parameter []T: memory of the caller. Values of a
// slice type are parameters only; they can be indexed, ranged over, measured by
// len and passed on.
type Slice struct{ Elem Type }

func (Slice) isType() {}

// String returns "[]" and the element type.
func (s Slice) String() string { return "[]" + s.Elem.String() }

// FieldType is what a var declared as a field denotes; it is no type of a value.
type FieldType struct {
	Elem Type
	Rank int // -1 where the declaration leaves it open
}

func (FieldType) isType() {}

// String returns the type as declared.
func (f FieldType) String() string {
	if f.Rank < 0 {
		return "field[" + f.Elem.String() + "]"
	}
	return "field[" + f.Elem.String() + ", D" + strconv.Itoa(f.Rank) + "]"
}

// NodeType is what a var declared as a node denotes; it is no type of a value.
type NodeType struct{}

func (NodeType) isType() {}

// String returns "node".
func (NodeType) String() string { return "node" }

// Tuple is the type of a call with no result or with several. It is a pointer so
// that it is comparable; tuples are never compared.
type Tuple struct{ Types []Type }

func (*Tuple) isType() {}

// String returns the types in parentheses.
func (t *Tuple) String() string {
	names := make([]string, len(t.Types))
	for i, e := range t.Types {
		names[i] = e.String()
	}
	return "(" + strings.Join(names, ", ") + ")"
}

// ScalarOf returns the scalar type of t's components: f32 for f32, vec3 and mat2;
// Unknown where t has none.
func ScalarOf(t Type) Scalar {
	switch t := t.(type) {
	case Scalar:
		return t
	case Array:
		return ScalarOf(t.Elem)
	case Slice:
		return ScalarOf(t.Elem)
	}
	return Unknown
}

// Components returns the number of scalars that make up a value of type t.
func Components(t Type) int {
	if a, ok := t.(Array); ok {
		return a.Len * Components(a.Elem)
	}
	return 1
}

// Dims returns the lengths of an array type, outermost first: nothing for a
// scalar, {3} for vec3, {rows, columns} for a matrix.
func Dims(t Type) []int {
	var dims []int
	for {
		a, ok := t.(Array)
		if !ok {
			return dims
		}
		dims = append(dims, a.Len)
		t = a.Elem
	}
}

// IsVector reports whether t is an array of scalars.
func IsVector(t Type) bool { return len(Dims(t)) == 1 }

// IsMatrix reports whether t is an array of vectors.
func IsMatrix(t Type) bool { return len(Dims(t)) == 2 }

// WithScalar returns t with its components' type replaced by s.
func WithScalar(t Type, s Scalar) Type {
	if a, ok := t.(Array); ok {
		return Array{WithScalar(a.Elem, s), a.Len}
	}
	return s
}

// arrayOf returns the array type with the given lengths, s itself for none.
func arrayOf(s Scalar, dims ...int) Type {
	var t Type = s
	for i := len(dims) - 1; i >= 0; i-- {
		t = Array{t, dims[i]}
	}
	return t
}
