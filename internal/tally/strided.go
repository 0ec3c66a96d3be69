package tally

import (
	"math"
	"unsafe"

	"github.com/gotaichi/ti/internal/scalar"
)

// A Strided is N numbers in memory, Step bytes from one to the next. Value reads those that are neither f32 nor f64.
type Strided struct {
	At    unsafe.Pointer
	Step  uintptr
	N     int
	Value func(at unsafe.Pointer) float64
}

// Numbers counts numbers of the kind of t, as Number does.
func (t *Tally) Numbers(of Strided) { t.strided(of, t.Number, true) }

// Extents counts them as Extent does.
func (t *Tally) Extents(of Strided) { t.strided(of, t.Extent, false) }

func (t *Tally) strided(of Strided, count func(v float64), histogram bool) {
	switch t.Kind {
	case scalar.F32:
		r := rangeOfBits[int32](of, 23, t.Exponents, histogram)
		r.addTo(t, func(bits int32) float64 { return float64(math.Float32frombits(uint32(bits))) })
	case scalar.F64:
		r := rangeOfBits[int64](of, 52, t.Exponents, histogram)
		r.addTo(t, func(bits int64) float64 { return math.Float64frombits(uint64(bits)) })
	default:
		for i := range of.N {
			count(of.Value(unsafe.Add(of.At, uintptr(i)*of.Step)))
		}
	}
}

// A bitRange is the range of real numbers by their bits. Those of magnitudes are in the order of magnitudes; with all but the sign negated below
// zero, bits are in the order of numbers, -0 before 0.
type bitRange[I int32 | int64] struct{ least, largest, smallest, most I }

func rangeOfBits[I int32 | int64](of Strided, digits int, exponents []int64, histogram bool) bitRange[I] {
	sign := int(8*unsafe.Sizeof(I(0)) - 1)
	most := I(1)<<sign ^ -1
	inf := most >> digits << digits
	least, largest, smallest := most, ^most, most // which NaNs have, and no number
	at := of.At
	for range of.N {
		bits := *(*I)(at)
		at = unsafe.Add(at, of.Step)
		size := bits & most
		if histogram {
			exponents[size>>digits]++
		}
		if size > inf {
			continue
		}
		key := bits ^ bits>>sign&most
		least, largest = min(least, key), max(largest, key)
		if size > 0 {
			smallest = min(smallest, size)
		}
	}
	return bitRange[I]{least, largest, smallest, most}
}

func (r bitRange[I]) addTo(t *Tally, real func(bits I) float64) {
	number := func(key I) float64 {
		if key < 0 {
			key ^= r.most
		}
		return real(key)
	}
	if r.least < r.most { // there is a number
		t.Least, t.Largest = min(t.Least, number(r.least)), max(t.Largest, number(r.largest))
	}
	if r.smallest < r.most {
		t.Smallest = min(t.Smallest, number(r.smallest))
	}
}
