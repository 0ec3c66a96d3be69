package demotest

import (
	"testing"
	"time"
)

// Bench measures an operation that is over when it returns. Beside the mean it reports the least time, which other work
// of the machine hardly changes. What prepare does before each operation does not count; it may be nil.
func Bench(b *testing.B, prepare, op func() error) {
	b.Helper()
	least := time.Duration(1<<63 - 1)
	for b.Loop() {
		if prepare != nil {
			b.StopTimer()
			Check(b, prepare())
			b.StartTimer()
		}
		start := time.Now()
		Check(b, op())
		least = min(least, time.Since(start))
	}
	b.ReportMetric(float64(least.Nanoseconds()), "least-ns")
}
