package ti_test

import (
	"testing"
	"time"

	ti "github.com/gotaichi/ti"
)

// What calls may cost, in steps of a chain of multiplications of integers, each of which
// takes 3 or 4 cycles of any processor of today. An empty launch takes about 60 steps (50 ns)
// and At about 6; the bounds leave room for a busy machine, and none for a lock or an
// allocation more.
const (
	mostLaunch = 120
	mostAt     = 12
)

// TestCosts bounds what a launch and an access to an element cost, whatever else the machine
// does: of many short measurements the shortest counts, and there are more of them while a
// bound is exceeded.
func TestCosts(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector makes all calls slower")
	}
	rt, e, _ := loadEmpties(t)
	f := ti.NewField[float32](rt, 64, 64)
	const calls = 1000
	x, sum := uint64(3), float32(0)
	step := func() {
		for range calls {
			x *= 0x9e3779b97f4a7c15
		}
	}
	for _, c := range []struct {
		name string
		most float64
		f    func()
	}{
		{"an empty launch", mostLaunch, func() {
			for range calls {
				e.Empty()
			}
		}},
		{"At", mostAt, func() {
			for i := range calls {
				sum += f.At(i&63, 7)
			}
		}},
	} {
		unit, shortest := time.Hour, time.Hour
		ratio := func() float64 { return float64(shortest) / float64(unit) }
		for n := 0; n < 20 || n < 2000 && ratio() > c.most; n++ {
			unit, shortest = min(unit, timeOf(step)), min(shortest, timeOf(c.f))
		}
		t.Logf("%s takes %.1f ns, %.1f steps", c.name, float64(shortest)/calls, ratio())
		if ratio() > c.most {
			t.Errorf("%s takes %.1f steps of arithmetic; at most %v are meant", c.name, ratio(), c.most)
		}
	}
	if x == 0 || sum != 0 {
		t.Error(x, sum)
	}
}

// timeOf returns how long a call takes.
func timeOf(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}
