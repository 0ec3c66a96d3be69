package ti

import (
	"unsafe"

	"github.com/gotaichi/ti/internal/quant"
	"github.com/gotaichi/ti/internal/scalar"
	"github.com/gotaichi/ti/internal/store"
)

// A Quant says how numbers are stored in fewer bits than their Go type has. It
// belongs to the placement of a field, not to its type: the type T of a
// Field[T] is what kernels and the host compute with, and neither changes when a
// Quant does.
//
// Storing rounds to nearest, ties to even, and saturates at the ends of the range. A
// NaN is stored as zero, and so is -0. What is loaded afterwards is the rounded number.
// docs/quant.md has the codes of each form, bit by bit.
type Quant struct {
	format quant.Format
}

// QuantInt stores integers in the given number of bits, 1 to 64, two's complement. A
// bool takes QuantInt(1).Unsigned().
func QuantInt(bits int) Quant { return Quant{quant.Format{Class: quant.Int, Bits: bits}} }

// QuantFixed stores real numbers in [-limit, limit) at equal distances, in the
// given number of bits, sign included: up to 32 of a float32, 53 of a float64.
func QuantFixed(bits int, limit float64) Quant {
	return Quant{quant.Format{Class: quant.Fixed, Bits: bits, Limit: limit}}
}

// QuantFloat stores real numbers with an exponent of exp bits and a fraction of
// frac bits, sign included. There are no infinities and no numbers between zero and
// the smallest; zero is exact. QuantFloat(5, 11) is half precision, QuantFloat(8, 8)
// bfloat16, for numbers that are normal there.
func QuantFloat(exp, frac int) Quant {
	return Quant{quant.Format{Class: quant.Float, Exp: exp, Frac: frac}}
}

// Unsigned returns q for numbers that are never negative; the bit of the sign adds
// to range or precision.
func (q Quant) Unsigned() Quant {
	q.format.Unsigned = true
	return q
}

// Wrap returns q, an integer form, such that storing keeps the low bits instead of
// saturating; one hardware add then serves += where nothing can carry out.
func (q Quant) Wrap() Quant {
	q.format.Wrap = true
	return q
}

// Stochastic returns q, a form of real numbers, such that storing rounds up with the
// probability of the remainder, by the counter-based random numbers of the launch: means
// are kept where many small changes add up. Stores of the host round to nearest. A
// [Runtime.Tape] goes through such stores, a [Runtime.Tangent] fails at them.
func (q Quant) Stochastic() Quant {
	q.format.Stochastic = true
	return q
}

// String returns the form as the command line has it: "fixed(21,8)".
func (q Quant) String() string { return q.format.String() }

// Encode returns the code that storing v in a field of float64 gives, in the low bits;
// an integer form drops what follows the point. It returns 0 for a form that no field
// can have.
func (q Quant) Encode(v float64) uint64 {
	c := q.coder()
	switch {
	case c == nil:
		return 0
	case q.format.Class != quant.Int:
		return c.Encode(v)
	case q.format.Unsigned:
		return c.EncodeInt(int64(truncate[uint64](v, 1<<64)))
	}
	return c.EncodeInt(truncate[int64](v, 1<<63))
}

// Decode returns the value of a code, of which the low bits count.
func (q Quant) Decode(code uint64) float64 {
	c := q.coder()
	switch {
	case c == nil:
		return 0
	case q.format.Class == quant.Int && q.format.Unsigned:
		return float64(code & c.Mask)
	}
	return c.Decode(code)
}

// coder returns the coder for the widest numbers, nil if even they cannot have the form.
func (q Quant) coder() *quant.Coder {
	k := scalar.F64
	if q.format.Class == quant.Int {
		if k = scalar.I64; q.format.Unsigned {
			k = scalar.U64
		}
	}
	if q.format.Check(k, false) != nil {
		return nil
	}
	return quant.New(q.format, k)
}

// truncate converts to an integer below limit as kernels do: a NaN gives 0, and what is
// out of range the end.
func truncate[T int64 | uint64](v, limit float64) T {
	var least T // of an unsigned integer
	if ^least < 0 {
		least = T(-limit)
	}
	switch {
	case v != v:
		return 0
	case v >= limit:
		return ^least
	case v <= float64(least):
		return least
	}
	return T(v)
}

// A BitStruct packs fields into one machine word in each cell of its node. Fields fill it
// from bit 0 in the order of placing; the bits that are left over are 0.
type BitStruct store.Word

// BitStruct adds a word of 8, 16, 32 or 64 bits to each cell of the node. It stands beside
// what else the cells have, below nodes of any kind.
func (n *Node) BitStruct(bits int) *BitStruct {
	return (*BitStruct)((*store.Node)(n).BitStruct(bits))
}

// Place packs a field behind those already in the word, in the given form. The
// components of a vector or matrix field take one form for all or one each. It
// returns b.
func (b *BitStruct) Place(f AnyField, format ...Quant) *BitStruct {
	formats := make([]quant.Format, len(format))
	for i, q := range format {
		formats[i] = q.format
	}
	return (*BitStruct)((*store.Word)(b).Place(cores([]AnyField{f})[0], formats))
}

// PlaceShared packs fields, or the components of vector fields, that share one
// exponent: that of the largest in magnitude. The form must be a QuantFloat; its
// exponent is stored once and its fraction for each number. It returns b.
//
// Storing one of the numbers rounds the others again, since the exponent may change;
// an assignment to a vector, or an update of one, stores all of its components at once.
func (b *BitStruct) PlaceShared(format Quant, fields ...AnyField) *BitStruct {
	return (*BitStruct)((*store.Word)(b).PlaceShared(format.format, cores(fields)))
}

// A BitArray packs several elements of one field into each machine word.
type BitArray store.Word

// BitArray adds an array whose elements lie in one word of 8, 16, 32 or 64 bits:
// Dense(IJ, 512, 64).BitArray(32, J, 8) holds 8 elements of up to 4 bits in each
// word, along the j axis.
func (n *Node) BitArray(bits int, axes Axes, size ...int) *BitArray {
	return (*BitArray)((*store.Node)(n).BitArray(bits, string(axes), size...))
}

// Place packs a field of integers or fixed-point numbers, in the given form. It
// returns b.
func (b *BitArray) Place(f AnyField, format Quant) *BitArray {
	return (*BitArray)((*store.Word)(b).Place(cores([]AnyField{f})[0], []quant.Format{format.format}))
}

// Words is the memory of the bit struct itself, one word a cell in memory order, for
// data that comes in such a form (half precision, RGB9E5). It fails with [ErrLayout] where
// the words are not contiguous, with [ErrArgs] if T is not the unsigned integer of the word's
// size. As with [Field.Slice], the slice is valid until the tree is closed.
func Words[T uint8 | uint16 | uint32 | uint64](b *BitStruct) ([]T, error) {
	return wordsOf[T]((*store.Word)(b))
}

// ArrayWords is the same for a bit array, such as a bitmap.
func ArrayWords[T uint8 | uint16 | uint32 | uint64](b *BitArray) ([]T, error) {
	return wordsOf[T]((*store.Word)(b))
}

func wordsOf[T uint8 | uint16 | uint32 | uint64](w *store.Word) ([]T, error) {
	size := int(unsafe.Sizeof(T(0)))
	bytes, err := w.Memory(8 * size)
	if err != nil {
		return nil, err
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(bytes))), len(bytes)/size), nil
}
