package typed

import (
	"strconv"
	"strings"

	"github.com/gotaichi/ti/internal/scalar"
)

// Nesting is the nesting depth of arrays and structs in t.
func Nesting(t Type) int {
	for n := 0; ; n++ {
		switch u := t.(type) {
		case Array:
			t = u.Elem
		case *Struct:
			return n + u.Nesting
		default:
			return n
		}
	}
}

// A Type is the type of an expression or variable. Types are comparable values:
// two are identical when they are equal as Go values (t == u).
//
// The implementations are [Scalar], [Array], [*Struct], [Slice], [View], [Ref],
// [Tuple] and, for what is no value, [FieldType], [NodeType], [FuncType] and
// [TemplateType].
type Type interface {
	// String returns the type as a user would write it, vec3 for [3]f32.
	String() string
	isType()
}

// Scalar is the type of a single number or truth value: a kind of scalar, or one of a constant that has none yet.
type Scalar uint8

// The scalar types. The untyped ones occur in constants only, never in a finished
// tree; Unknown is the type of an expression with an error, or of one that depends
// on a host value not known yet, and suppresses errors that would follow from it.
const (
	Unknown = Scalar(scalar.Invalid)
	Bool    = Scalar(scalar.Bool)
	I8      = Scalar(scalar.I8)
	I16     = Scalar(scalar.I16)
	I32     = Scalar(scalar.I32)
	I64     = Scalar(scalar.I64)
	U8      = Scalar(scalar.U8)
	U16     = Scalar(scalar.U16)
	U32     = Scalar(scalar.U32)
	U64     = Scalar(scalar.U64)
	F16     = Scalar(scalar.F16)
	F32     = Scalar(scalar.F32)
	F64     = Scalar(scalar.F64)

	UntypedInt   = Scalar(scalar.BlockRef + 1)
	UntypedFloat = Scalar(scalar.BlockRef + 2)
)

// Scalars returns the scalar types that sources can name.
func Scalars() []Scalar {
	return []Scalar{Bool, I8, I16, I32, I64, U8, U16, U32, U64, F16, F32, F64}
}

// Kind returns the kind of the values of s: Invalid for Unknown, and no kind at all for an untyped s.
func (s Scalar) Kind() scalar.Kind { return scalar.Kind(s) }

// String returns the name of the type, such as "f32".
func (s Scalar) String() string {
	switch s {
	case Unknown:
		return "unknown"
	case UntypedInt:
		return "untyped integer"
	case UntypedFloat:
		return "untyped float"
	}
	return s.Kind().String()
}

func (Scalar) isType() {}

// IsInt reports whether s is an integer type, untyped included.
func (s Scalar) IsInt() bool { return s.IsSigned() || s.IsUnsigned() }

// IsSigned reports whether s is a signed integer type, untyped included.
func (s Scalar) IsSigned() bool { return s == UntypedInt || s.Kind().IsSigned() }

// IsUnsigned reports whether s is an unsigned integer type.
func (s Scalar) IsUnsigned() bool { return s.Kind().IsUnsigned() }

// IsFloat reports whether s is a floating-point type, untyped included.
func (s Scalar) IsFloat() bool { return s == UntypedFloat || s.Kind().IsFloat() }

// IsNumber reports whether s is an integer or floating-point type.
func (s Scalar) IsNumber() bool { return s.IsInt() || s.IsFloat() }

// IsUntyped reports whether s is the type of an untyped constant.
func (s Scalar) IsUntyped() bool { return s == UntypedInt || s == UntypedFloat }

// Bits returns the width of a value of the type; a bool has 1, an untyped type 0.
func (s Scalar) Bits() int { return s.Kind().Bits() }

// Array is the type of a fixed array. An array of scalars is a vector, an array of
// vectors a matrix (its rows); deeper arrays are tables, which have no operators.
type Array struct {
	Elem Type // Scalar, Array or *Struct; in a bundle also FieldType or NodeType
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

// Struct is the type of a struct. Within one check two struct types are identical
// if they are the same pointer: a declared type has one, types written in place
// share one if they have the same fields. A type that a host describes has its own,
// which the checker compares field by field (see [Field.Comps]).
//
// The components of a value are those of its fields, in order. In a bundle, a var
// of the source that holds fields or nodes, a field's type may be a FieldType, a
// NodeType or made of these; such a struct is no type of a value.
type Struct struct {
	Name   string // "" for a type written in place
	Fields []StructField

	Nesting int // nesting depth of structs and arrays in it, see nesting
}

// A StructField is a field of a struct. First numbers its first component among
// those of the struct.
type StructField struct {
	Name  string
	Type  Type
	First int
}

func (*Struct) isType() {}

// String returns the name, or the fields of a type without one.
func (s *Struct) String() string {
	if s.Name != "" {
		return s.Name
	}
	fields := make([]string, len(s.Fields))
	for i, f := range s.Fields {
		fields[i] = f.Name + " " + f.Type.String()
	}
	return "struct{" + strings.Join(fields, "; ") + "}"
}

// Field returns the field of that name, or nil.
func (s *Struct) Field(name string) *StructField {
	for i := range s.Fields {
		if s.Fields[i].Name == name {
			return &s.Fields[i]
		}
	}
	return nil
}

// Ref is the type of a parameter *T: a place of type Elem, of the caller. A [VarRef]
// to such a parameter is the place itself and has type Elem.
type Ref struct{ Elem Type }

func (Ref) isType() {}

// String returns "*" and the type of the place.
func (r Ref) String() string { return "*" + r.Elem.String() }

// View is the type of a kernel parameter array[T, Dn]: memory of the caller with
// Rank axes, row-major. As a [Slice], it is a type of parameters only.
type View struct {
	Elem Type
	Rank int
}

func (View) isType() {}

// String returns the type as declared.
func (v View) String() string {
	return "array[" + v.Elem.String() + ", D" + strconv.Itoa(v.Rank) + "]"
}

// FuncType is the type of a compile-time parameter that takes a function.
type FuncType struct {
	Params, Results string // written out, as in "f32, vec2": keeps the type comparable
	Several         bool   // there is more than one result
}

func (FuncType) isType() {}

// String returns the type as declared.
func (f FuncType) String() string {
	s := "func(" + f.Params + ")"
	switch {
	case f.Several:
		s += " (" + f.Results + ")"
	case f.Results != "":
		s += " " + f.Results
	}
	return s
}

// TemplateType is the type of a compile-time parameter that takes a field, node,
// array, constant, type or function, whichever is given.
type TemplateType struct{}

func (TemplateType) isType() {}

// String returns "template".
func (TemplateType) String() string { return "template" }

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
// Unknown where t has none, or is a struct or an array of structs.
func ScalarOf(t Type) Scalar {
	switch t := t.(type) {
	case Scalar:
		return t
	case Array:
		return ScalarOf(t.Elem)
	case Slice:
		return ScalarOf(t.Elem)
	case View:
		return ScalarOf(t.Elem)
	}
	return Unknown
}

// HasStruct reports whether t is a struct or an array of structs.
func HasStruct(t Type) bool {
	for {
		switch u := t.(type) {
		case *Struct:
			return true
		case Array:
			t = u.Elem
		default:
			return false
		}
	}
}

// Leaves returns the scalar type of each component of a value of type t, in order.
func Leaves(t Type) []Scalar {
	switch t := t.(type) {
	case *Struct:
		var all []Scalar
		for _, f := range t.Fields {
			all = append(all, Leaves(f.Type)...)
		}
		return all
	case Array:
		each := Leaves(t.Elem)
		all := make([]Scalar, 0, t.Len*len(each))
		for range t.Len {
			all = append(all, each...)
		}
		return all
	case Scalar:
		return []Scalar{t}
	}
	return []Scalar{Unknown}
}

// Components returns the number of scalars that make up a value of type t.
func Components(t Type) int {
	switch t := t.(type) {
	case Array:
		return t.Len * Components(t.Elem)
	case *Struct:
		n := 0
		for _, f := range t.Fields {
			n += Components(f.Type)
		}
		return n
	}
	return 1
}

// Dims returns the lengths of an array type, outermost first: nothing for a
// scalar or struct, {3} for vec3, {rows, columns} for a matrix.
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
func IsVector(t Type) bool { return len(Dims(t)) == 1 && !HasStruct(t) }

// IsMatrix reports whether t is an array of vectors.
func IsMatrix(t Type) bool { return len(Dims(t)) == 2 && !HasStruct(t) }

// WithScalar returns t with its components' type replaced by s; structs stay as
// they are.
func WithScalar(t Type, s Scalar) Type {
	if a, ok := t.(Array); ok {
		return Array{WithScalar(a.Elem, s), a.Len}
	}
	if _, ok := t.(*Struct); ok {
		return t
	}
	return s
}

// ArrayOf returns the array type with the given lengths, s itself for none.
func ArrayOf(s Scalar, dims ...int) Type {
	var t Type = s
	for i := len(dims) - 1; i >= 0; i-- {
		t = Array{t, dims[i]}
	}
	return t
}
