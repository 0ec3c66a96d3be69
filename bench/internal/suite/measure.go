package suite

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/gotaichi/ti"
)

// A Trial is a case made ready on a runtime: compiled, its data in place.
type Trial struct {
	Launch func() error            // what is timed
	There  func() error            // the part of Launch that a case timed there and back goes through first; may be nil
	Per    int                     // kernel launches in one call of Launch, 0 for 1
	Check  func() (float64, error) // starts from fresh data, launches once and returns the checksum
}

// A Budget says how long a case is measured: at least so many launches, and for so long.
type Budget struct {
	Least int
	For   time.Duration
}

// standard is the budget of a case that has none of its own; the peers' programs have the same.
var standard = Budget{Least: 7, For: 1500 * time.Millisecond}

// Timing is what was measured of one case by one program.
type Timing struct {
	Median, Min time.Duration
	There       time.Duration // median of the way there; 0 if not known apart
	Compile     time.Duration // of all kernels, over all threads; 0 for peers
	Check       float64
}

// Measure runs a case on a runtime of its own.
func (c *Case) Measure(cfg ti.Config) (Timing, error) {
	cfg.Cache, cfg.Batch = noCache, c.Batch
	rt, err := ti.New(cfg)
	if err != nil {
		return Timing{}, err
	}
	defer rt.Close()
	t, err := c.Start(rt)
	if err != nil {
		return Timing{}, err
	}
	budget := c.Budget
	if budget == (Budget{}) {
		budget = standard
	}
	if err := c.warm(rt, t, budget); err != nil {
		return Timing{}, err
	}
	result, err := repeat(rt, t.Launch, t.Per, budget)
	if err != nil {
		return Timing{}, err
	}
	if t.There != nil {
		there, err := repeat(rt, t.There, t.Per, Budget{Least: budget.Least, For: budget.For / 2})
		if err != nil {
			return Timing{}, err
		}
		result.There = there.Median
	}
	result.Check, err = t.Check()
	result.Compile = rt.Stats().CompileTime
	return result, err
}

// warm launches a case that runs in batches for twice as long as it will be timed, since batches that come again are compiled in the
// background.
func (c *Case) warm(rt *ti.Runtime, t *Trial, budget Budget) error {
	if c.Batch < 2 {
		return nil
	}
	for end := time.Now().Add(2 * budget.For); time.Now().Before(end); {
		if err := InOrder(t.Launch, rt.Sync); err != nil {
			return err
		}
	}
	return nil
}

// Once runs a case twice, to see that the second time does not depend on the first, and
// returns the checksum: a test, which measures nothing.
func (c *Case) Once() (float64, error) {
	rt, err := ti.New(ti.Config{Cache: noCache, Batch: c.Batch})
	if err != nil {
		return 0, err
	}
	defer rt.Close()
	t, err := c.Start(rt)
	if err != nil {
		return 0, err
	}
	if err := t.Launch(); err != nil {
		return 0, err
	}
	return t.Check()
}

// repeat times launches as the peers' programs do.
func repeat(rt *ti.Runtime, launch func() error, per int, budget Budget) (Timing, error) {
	once := func() error {
		if err := launch(); err != nil {
			return err
		}
		return rt.Sync()
	}
	if err := once(); err != nil {
		return Timing{}, err
	}
	const most = 20000
	samples := make([]time.Duration, 0, most)
	for end := time.Now().Add(budget.For); len(samples) < budget.Least || time.Now().Before(end); {
		start := time.Now()
		if err := once(); err != nil {
			return Timing{}, err
		}
		if samples = append(samples, time.Since(start)); len(samples) == most {
			break
		}
	}
	slices.Sort(samples)
	n := time.Duration(max(per, 1))
	return Timing{Median: samples[len(samples)/2] / n, Min: samples[0] / n}, nil
}

// Disagree says how a checksum differs from what it should be, or returns nil.
func Disagree(got, want, tol float64) error {
	if diff := math.Abs(got - want); diff <= tol*math.Abs(want) { // false if got is NaN
		return nil
	}
	return fmt.Errorf("its check is %.9g and should be %.9g to a relative tolerance of %g", got, want, tol)
}

// Microseconds converts a duration.
func Microseconds(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// InOrder calls functions until one fails.
func InOrder(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// noCache: what is measured is compiled.
var noCache = ti.Cache{Policy: ti.CacheOff}
