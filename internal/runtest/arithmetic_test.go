package runtest

import (
	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/half"
)

type integer interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

type float interface{ ~float32 | ~float64 }

// h16 rounds a float64 once.
func h16(v float64) ti.Float16 { return ti.Float16(half.From64(v)) }

// f64 is the value of a half-precision number.
func f64(h ti.Float16) float64 { return half.To64(uint16(h)) }

func number[T integer | float](b bool) T {
	if b {
		return 1
	}
	return 0
}

func ifelse[T any](c bool, a, b T) T {
	if c {
		return a
	}
	return b
}

func rem[T integer](a, b T) T {
	if b == 0 {
		return 0
	}
	return a % b
}

func floorMod[T integer](a, b T) T {
	r := rem(a, b)
	if r != 0 && (r < 0) != (b < 0) {
		r += b
	}
	return r
}
