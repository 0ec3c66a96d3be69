package quantsearch

import (
	"fmt"
	"slices"
)

// trade looks for points with fewer bits in all than the best one that have more than it in some knobs. No point is
// good that has in no knob more bits than one that is not good; trade ends when that goes for all.
func (s *search) trade() error {
	if err := s.bound(); err != nil {
		return err
	}
	for before := s.bits; s.bits == before; {
		bits := s.candidate()
		if bits == nil {
			return nil
		}
		if _, err := s.good(&point{bits, s.best.limits}); err != nil {
			return err
		}
	}
	return nil
}

// bound tries a bit less for each knob with all bits for the others. If that is not good, no point is that has as few
// in this knob.
func (s *search) bound() error {
	for i, k := range s.knobs {
		p := &point{slices.Clone(s.top), s.best.limits}
		if p.bits[i] = s.best.bits[i] - 1; p.bits[i] < k.least || s.excluding(p.bits) != nil {
			continue
		}
		if _, err := s.good(p); err != nil {
			return err
		}
	}
	return nil
}

// excluding returns the bits of a point with the limits of the best one that was tried and is not good, and has in no
// knob fewer bits than the ones given; nil if there is none.
func (s *search) excluding(bits []int) []int {
	for _, b := range s.bad {
		if slices.Equal(b.limits, s.best.limits) && covers(b.bits, bits) {
			return b.bits
		}
	}
	return nil
}

// covers reports whether a has nowhere fewer bits than b.
func covers(a, b []int) bool {
	for i := range a {
		if a[i] < b[i] {
			return false
		}
	}
	return true
}

// mostCorners is how many corners candidate looks at before it gives up.
const mostCorners = 100_000

// candidate returns the bits of a point with a bit less than the best one has that none excludes; nil if there is none.
func (s *search) candidate() []int {
	var corner []int
	for _, k := range s.knobs {
		corner = append(corner, k.least)
	}
	s.corners = map[string]bool{}
	return s.candidateFrom(corner)
}

// candidateFrom returns one that has nowhere fewer bits than a corner.
func (s *search) candidateFrom(corner []int) []int {
	key := fmt.Sprint(corner)
	if sum(corner) >= s.bits || s.corners[key] || len(s.corners) == mostCorners {
		return nil
	}
	s.corners[key] = true
	bits := s.filled(corner)
	bad := s.excluding(bits)
	if bad == nil {
		return bits
	}
	// What the bad point does not exclude has more bits than it in some knob.
	for i, n := range bad {
		if n < s.top[i] {
			next := slices.Clone(corner)
			next[i] = n + 1
			if bits := s.candidateFrom(next); bits != nil {
				return bits
			}
		}
	}
	return nil
}

// filled adds bits to a corner until they are one less than those of the best point, each where that has most more.
func (s *search) filled(corner []int) []int {
	bits := slices.Clone(corner)
	for range s.bits - 1 - sum(corner) {
		most := 0
		for i := range bits {
			if s.best.bits[i]-bits[i] > s.best.bits[most]-bits[most] {
				most = i
			}
		}
		bits[most]++
	}
	return bits
}
