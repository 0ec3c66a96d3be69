package quantsearch

import (
	"fmt"
	"log"
	"math"
	"slices"
)

// run searches until there are no trials left, or nothing to try.
func (s *search) run() error {
	at := &point{}
	for _, k := range s.knobs {
		at.bits, at.limits = append(at.bits, k.start), append(at.limits, k.limit)
	}
	good, err := s.good(at)
	if err != nil {
		return err
	}
	if !good {
		if at, err = s.grow(at); at == nil || err != nil {
			return err
		}
	}
	s.top = at.bits
	if err := s.together(at); err != nil {
		return err
	}
	for before := s.bits + 1; s.bits < before; {
		before = s.bits
		for _, step := range []func() error{s.apart, s.nearer, s.trade} {
			if err := step(); err != nil {
				return err
			}
			if s.bits < before {
				break // the steps before this one may find more, and cost less
			}
		}
	}
	return nil
}

// moved returns a point at which every knob is changed by n.
func (s *search) moved(at *point, n int) *point {
	out := at.clone()
	for i, k := range s.knobs {
		out.bits[i] = min(max(at.bits[i]+n, k.least), max(k.most, at.bits[i]))
	}
	return out
}

// grow adds bits to all forms until they are good; nil if they never are.
func (s *search) grow(at *point) (*point, error) {
	for n := 1; ; n *= 2 {
		next := s.moved(at, n)
		good, err := s.good(next)
		if err != nil || good {
			return next, err
		}
		if slices.Equal(next.bits, s.moved(at, 2*n).bits) {
			return nil, nil
		}
	}
}

// together takes as many bits as possible from all forms at once.
func (s *search) together(at *point) error {
	most := 0
	for i, k := range s.knobs {
		most = max(most, at.bits[i]-k.least)
	}
	return s.fewer(most, func(n int) *point { return s.moved(at, -n) })
}

// apart takes bits from one form after the other, the one with the most first.
func (s *search) apart() error {
	order := make([]int, len(s.knobs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return s.best.bits[b] - s.best.bits[a] })
	for _, i := range order {
		at := s.best
		if err := s.fewer(at.bits[i]-s.knobs[i].least, func(n int) *point {
			next := at.clone()
			next.bits[i] -= n
			return next
		}); err != nil {
			return err
		}
	}
	return nil
}

// fewer finds how many bits, up to most, can be taken away: it tries one, then twice as many, and halves the
// distance when that was too many.
func (s *search) fewer(most int, less func(n int) *point) error {
	taken, bad := 0, most+1
	for step := 1; taken+1 < bad; {
		n := min(taken+step, bad-1)
		good, err := s.good(less(n))
		if err != nil {
			return err
		}
		if good {
			taken, step = n, step*2
		} else {
			bad = n
			step = max(1, (bad-taken)/2)
		}
	}
	return nil
}

// good tries a point unless that was done, and reports whether its error is within the tolerance.
func (s *search) good(at *point) (bool, error) {
	e, err := s.errorOf(at)
	return e <= s.tolerance && err == nil, err
}

// errorOf returns the error of a point. It tries it unless that was done.
func (s *search) errorOf(at *point) (float64, error) {
	key := fmt.Sprint(at.bits, at.limits)
	if e, known := s.done[key]; known {
		return e, nil
	}
	if s.left == 0 {
		return 0, errSpent
	}
	s.left--
	s.count++
	e, err := s.try(s.forms(at))
	bits := sum(at.bits)
	if err != nil {
		return 0, fmt.Errorf("quantsearch: trial %d, with %s: %w", s.count, s.text(at), err)
	}
	good := e <= s.tolerance
	verdict := "good"
	if !good {
		verdict = "too much"
		s.bad = append(s.bad, at)
	}
	log.Printf("quantsearch: trial %d: %d bits, error %.4g, %s: %s", s.count, bits, e, verdict, s.text(at))
	s.done[key] = e
	if e < s.least || s.closest == nil || math.IsNaN(s.least) && !math.IsNaN(e) {
		s.least, s.closest = e, at
	}
	if good && (s.best == nil || bits < s.bits) {
		s.best, s.bits = at, bits
	}
	return e, nil
}
