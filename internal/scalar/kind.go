package scalar

import "fmt"

// A Kind is the kind of a scalar. Signedness is part of it.
type Kind uint8

const (
	Invalid Kind = iota
	Bool
	I8
	I16
	I32
	I64
	U8
	U16
	U32
	U64
	F16
	F32
	F64
	Ptr      // an address
	BlockRef // a block of a sparse tree, however a target names it
)

var kindNames = [...]string{
	Invalid: "invalid", Bool: "bool",
	I8: "i8", I16: "i16", I32: "i32", I64: "i64",
	U8: "u8", U16: "u16", U32: "u32", U64: "u64",
	F16: "f16", F32: "f32", F64: "f64", Ptr: "ptr", BlockRef: "block",
}

// String returns the name as the text form has it: "f32".
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// ParseKind is the inverse of String; ok is false for a name that is none.
func ParseKind(name string) (k Kind, ok bool) {
	for i, n := range kindNames {
		if n == name && i != int(Invalid) {
			return Kind(i), true
		}
	}
	return Invalid, false
}

// IsInt reports whether k is a signed or unsigned integer; Bool is not.
func (k Kind) IsInt() bool { return k.IsSigned() || k.IsUnsigned() }

// IsSigned reports whether k is a signed integer.
func (k Kind) IsSigned() bool {
	switch k {
	case I8, I16, I32, I64:
		return true
	}
	return false
}

// IsUnsigned reports whether k is an unsigned integer.
func (k Kind) IsUnsigned() bool {
	switch k {
	case U8, U16, U32, U64:
		return true
	}
	return false
}

// IsFloat reports whether k is a floating-point number.
func (k Kind) IsFloat() bool {
	switch k {
	case F16, F32, F64:
		return true
	}
	return false
}

// IsNumber reports whether k is an integer or a float.
func (k Kind) IsNumber() bool { return k.IsInt() || k.IsFloat() }

// Size returns the size in bytes in memory; a Bool takes one byte, a Ptr eight. That of a BlockRef is the target's; it is 0 here.
func (k Kind) Size() int {
	switch k {
	case Bool, I8, U8:
		return 1
	case I16, U16, F16:
		return 2
	case I32, U32, F32:
		return 4
	case I64, U64, F64, Ptr, BlockRef:
		return 8
	}
	return 0
}

// Bytes is Size in the type of offsets.
func (k Kind) Bytes() int64 { return int64(k.Size()) }

// Bits returns the width of the value: 1 for Bool, else 8*Size.
func (k Kind) Bits() int {
	if k == Bool {
		return 1
	}
	return 8 * k.Size()
}

// Unsigned returns the unsigned integer kind as wide as k, in memory for floats.
func (k Kind) Unsigned() Kind {
	switch k.Size() {
	case 1:
		return U8
	case 2:
		return U16
	case 4:
		return U32
	}
	return U64
}
