package ir

import (
	"fmt"

	"github.com/gotaichi/ti/internal/scalar"
)

// A Kind is the kind of a scalar. Signedness is part of it, so that one op code
// (div, shr, lt, convert, …) serves both and picks its meaning from the operand.
type Kind = scalar.Kind

// The kinds, under the names by which code about the IR calls them.
const (
	Invalid = scalar.Invalid
	Bool    = scalar.Bool
	I8      = scalar.I8
	I16     = scalar.I16
	I32     = scalar.I32
	I64     = scalar.I64
	U8      = scalar.U8
	U16     = scalar.U16
	U32     = scalar.U32
	U64     = scalar.U64
	F16     = scalar.F16
	F32     = scalar.F32
	F64     = scalar.F64
	Ptr     = scalar.Ptr // the result of ptr, elem, cell, base, offset, frame

	// BlockRef is the result of the ops that look up blocks of sparse trees. The pass of a target that names blocks makes
	// values of its own kind of it, such as addresses.
	BlockRef = scalar.BlockRef
)

// ParseKind is the inverse of Kind.String; ok is false for a name that is none.
func ParseKind(name string) (k Kind, ok bool) { return scalar.ParseKind(name) }

// A Type is a scalar kind times a number of lanes; a scalar has one lane. It is
// printed "f32" or "f32x16". The zero Type stands for no value.
type Type struct {
	Kind  Kind
	Lanes uint32
}

// Scalar returns the one-lane type of k.
func Scalar(k Kind) Type { return Type{k, 1} }

// Vec returns the type of n lanes of k.
func Vec(k Kind, n int) Type { return Type{k, uint32(n)} }

// With returns a type of the same number of lanes and another kind.
func (t Type) With(k Kind) Type { return Type{k, t.Lanes} }

// Elem returns the type of one lane.
func (t Type) Elem() Type { return Type{t.Kind, 1} }

// String returns the type as the text form has it.
func (t Type) String() string {
	if t.Lanes <= 1 {
		return t.Kind.String()
	}
	return fmt.Sprintf("%sx%d", t.Kind, t.Lanes)
}
