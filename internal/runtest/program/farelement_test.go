package program

import (
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/runtest"
)

const wideSource = `package p

var X field[u8, D2]

func Span(lo, hi i64) (n i32, s i64) {
	for i := range span(lo, hi) {
		n += 1
		s += i
	}
	return n, s
}

func Serial(lo, hi i64) (n i32, s i64) {
	for i := range serial(span(lo, hi)) {
		n += 1
		s += i
	}
	return n, s
}

func Product(lo, hi, m i64) (n i32, s i64) {
	for i, j := range ndrange(span(lo, hi), m) {
		n += 1
		s += i * j
	}
	return n, s
}

// Touch writes elements whose row-major numbers are beyond the largest i32.
func Touch() (s i64) {
	for k := range 8 {
		X[X.shape[0]-1-k][X.shape[1]-1-k] = u8(k)
	}
	for i, j := range ndrange(span(X.shape[0]-8, X.shape[0]), span(X.shape[1]-8, X.shape[1])) {
		s += i64(X[i][j])
	}
	return s
}

func Elements() i64 { return i64(X.shape[0]) * i64(X.shape[1]) }
`

// TestWide runs ranges and reaches elements beyond 2^31, with 32-bit int. Of the
// field, only what is touched is resident.
func TestWide(t *testing.T) {
	const lo, hi = int64(1)<<31 - 20, int64(1)<<31 + 30
	sum, rows := int64(0), int64(0)
	for i := lo; i < hi; i++ {
		sum += i
		rows += i * 3
	}
	var rts runtest.Runtimes
	defer rts.Close(t)
	runtest.RunAll(t, &rts, func(r *runtest.Run) {
		var s struct {
			X            ti.Field[uint8]
			Span, Serial func(lo, hi int64) (int32, int64)
			Product      func(lo, hi, m int64) (int32, int64)
			Touch        func() int64
			Elements     func() int64
		}
		const side = 50000
		r.Place(ti.Shape{side, side}, &s.X)
		r.Asleep = nil // 2.5 billion elements: of a sparse field only what is written becomes active
		r.Load(wideSource, &s)
		if n, got := s.Span(lo, hi); n != 50 || got != sum {
			r.Errorf("span: %d iterations, sum %d, want %d", n, got, sum)
		}
		if n, got := s.Serial(lo, hi); n != 50 || got != sum {
			r.Errorf("serial: %d iterations, sum %d, want %d", n, got, sum)
		}
		if n, got := s.Span(1-hi, 1-lo); n != 50 || got != -sum {
			r.Errorf("negative: %d iterations, sum %d, want %d", n, got, -sum)
		}
		if n, got := s.Product(lo, hi, 3); n != 150 || got != rows {
			r.Errorf("product: %d iterations, sum %d, want %d", n, got, rows)
		}
		if got := s.Touch(); got != 28 || s.X.At(side-1-7, side-1-7) != 7 || s.X.At(side-1, 0) != 0 {
			r.Errorf("the last elements: %d, want 28", got)
		}
		if got := s.Elements(); got != side*side {
			r.Errorf("%d elements, want %d", got, side*side)
		}
	})
}
