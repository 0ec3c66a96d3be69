package main

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/gotaichi/ti"
)

// timing is what was measured of one case by one program.
type timing struct {
	median, min time.Duration
	check       float64
}

// measure runs a benchmark on a runtime of its own.
func measure(b *benchmark, cfg ti.Config) (timing, error) {
	rt, err := ti.New(cfg)
	if err != nil {
		return timing{}, err
	}
	defer rt.Close()
	t, err := b.start(rt)
	if err != nil {
		return timing{}, err
	}
	result, err := repeat(rt, t)
	if err != nil {
		return timing{}, err
	}
	result.check, err = t.check()
	return result, err
}

// repeat times launches as the peers' programs do.
func repeat(rt *ti.Runtime, t *trial) (timing, error) {
	least, seconds := 7, 1500*time.Millisecond
	if t.long {
		least, seconds = 3, 3*time.Second
	}
	once := func() error {
		if err := t.launch(); err != nil {
			return err
		}
		return rt.Sync()
	}
	if err := once(); err != nil {
		return timing{}, err
	}
	const most = 20000
	samples := make([]time.Duration, 0, most)
	for end := time.Now().Add(seconds); len(samples) < least || time.Now().Before(end); {
		start := time.Now()
		if err := once(); err != nil {
			return timing{}, err
		}
		if samples = append(samples, time.Since(start)); len(samples) == most {
			break
		}
	}
	slices.Sort(samples)
	per := time.Duration(max(t.per, 1))
	return timing{median: samples[len(samples)/2] / per, min: samples[0] / per}, nil
}

// disagree says how a checksum differs from what it should be, or returns nil.
func disagree(got, want, tol float64) error {
	if diff := math.Abs(got - want); diff <= tol*math.Abs(want) { // false if got is NaN
		return nil
	}
	return fmt.Errorf("its check is %.9g and should be %.9g to a relative tolerance of %g", got, want, tol)
}
