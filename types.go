package ti

import (
	"github.com/gotaichi/ti/internal/half"
)

// Vectors and matrices are Go arrays: the names are aliases, so a Vec2 is a
// [2]float32 of any other package, with Go's literals, comparison and indexing.
// Matrices are stored by rows. Sizes without a name are written out, as in
// [6]float32 or [3][2]float64.
type (
	Vec2 = [2]float32
	Vec3 = [3]float32
	Vec4 = [4]float32

	IVec2 = [2]int32
	IVec3 = [3]int32
	IVec4 = [4]int32

	UVec2 = [2]uint32
	UVec3 = [3]uint32
	UVec4 = [4]uint32

	DVec2 = [2]float64
	DVec3 = [3]float64
	DVec4 = [4]float64

	Mat2 = [2][2]float32
	Mat3 = [3][3]float32
	Mat4 = [4][4]float32

	DMat2 = [2][2]float64
	DMat3 = [3][3]float64
	DMat4 = [4][4]float64
)

// Float16 is an IEEE 754 half-precision number, the kernel language's f16. Go
// does not calculate with it; convert.
type Float16 uint16

// ToFloat16 rounds f to the nearest half-precision number, ties to even. Values
// too large become infinite; a NaN stays a NaN.
func ToFloat16(f float32) Float16 { return Float16(half.From32(f)) }

// Float32 returns h's value, which float32 represents exactly.
func (h Float16) Float32() float32 { return half.To32(uint16(h)) }

// String returns the shortest decimal number that ToFloat16 makes h of.
func (h Float16) String() string { return half.Format(uint16(h)) }

// Shape is the extent of a field along each axis, outermost first; the empty
// shape is that of a field with a single element and no index.
type Shape = []int

// Index is the index of one element, as iteration gives it; only the first rank
// entries are meaningful, the others are 0. It is a value: keep it, compare it,
// use it as a map key. Give it back as f.At(idx[:2]...).
type Index [8]int

// noCopy makes go vet report copies of the types that contain it.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}
