package randtest

import (
	"flag"
	"fmt"
	"testing"
)

// Seeds are the seeds that a test tries.
type Seeds struct {
	what         string
	short        uint
	count, first *uint
}

// New makes flags, by the names count and first, for a test of so many random things by
// default, and at most short of them with -short.
func New(count, first, what string, usual, short uint) *Seeds {
	return &Seeds{
		what: what, short: short,
		count: flag.Uint(count, Usual(usual), "how many "+what+" to try"),
		first: flag.Uint(first, 0, "the seed of the first of them"),
	}
}

// Each runs a subtest for each seed, and lists those that failed.
func (s *Seeds) Each(t *testing.T, f func(t *testing.T, seed uint64)) {
	t.Helper()
	n := s.Count()
	var wrong []uint64
	for i := range n {
		seed := s.First() + uint64(i)
		if !t.Run(fmt.Sprint(seed), func(t *testing.T) { f(t, seed) }) {
			wrong = append(wrong, seed)
		}
	}
	if wrong != nil {
		t.Logf("%d of %d %s are wrong, those of the seeds %d", len(wrong), n, s.what, wrong)
	}
}

// Count returns how many seeds are tried.
func (s *Seeds) Count() uint {
	if testing.Short() {
		return min(*s.count, s.short)
	}
	return *s.count
}

// First returns the first of the seeds that are tried.
func (s *Seeds) First() uint64 { return uint64(*s.first) }

// Alone reports whether a single seed was asked for: then a test tells what it does before
// it does so, for a crash leaves nothing else.
func (s *Seeds) Alone() bool { return *s.count == 1 }
