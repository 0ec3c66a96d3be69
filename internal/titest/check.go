package titest

import (
	"fmt"
	"math"
	"testing"
	"time"
)

// Must ends the test for an error.
func Must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// Near returns whether two numbers are equal within a tolerance, NaN and NaN included.
func Near(tolerance float64) func(a, b float64) bool {
	return func(a, b float64) bool { return math.Abs(a-b) <= tolerance || a != a && b != b }
}

// Safely calls f and returns the error that it panics with.
func Safely(f func() error) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case error:
			err = p
		default:
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return f()
}

// Allocations returns how often f allocates. testing.AllocsPerRun counts what other goroutines
// allocate meanwhile too, such as those that compile kernels, so the least of some counts is taken.
func Allocations(runs int, f func()) float64 {
	least := testing.AllocsPerRun(runs, f)
	for try := 0; try < 20 && least > 0; try++ {
		time.Sleep(time.Duration(try) * time.Millisecond)
		least = min(least, testing.AllocsPerRun(runs, f))
	}
	return least
}
