// Package quantsearch finds the fewest bits in which a program still computes what it
// should.
//
// [ti.Runtime.Ranges] suggests forms from what a program stores; whether its result is still good in
// them, only running it tells. Find does that, with fewer and fewer bits:
//
//	start := map[string][]ti.Quant{"V": reports[0].Suggested[:1], "Dye": reports[1].Suggested[:1]}
//	best, err := quantsearch.Find(start, func(forms map[string][]ti.Quant) (float64, error) {
//		return distance(run(forms), reference), nil
//	}, 0.01, 40)
package quantsearch

import (
	"errors"
	"fmt"
	"log"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/quant"
	"github.com/gotaichi/ti/internal/treetext"
)

// Find calls try with forms for fields, by name, and takes the error that it returns
// as the error of the result; it returns the forms with the fewest bits whose error is
// at most tolerance, starting from start, after at most trials calls. Each call is
// logged with its forms, bits and error, by the standard logger.
//
// Limits, signs and ways of rounding stay those of start; the search is for the bits of integers,
// of fixed-point numbers and of exponents and fractions. A field counts with the bits of all the forms that start
// has for it. First all forms lose or gain bits together, then each by itself. An error of try itself ends
// the search; Find returns it, and the best forms so far, if there are any.
func Find(start map[string][]ti.Quant, try func(forms map[string][]ti.Quant) (float64, error), tolerance float64, trials int) (map[string][]ti.Quant, error) {
	s := &search{try: try, tolerance: tolerance, left: trials, done: map[string]bool{}}
	if err := s.begin(start); err != nil {
		return nil, err
	}
	err := s.run()
	if errors.Is(err, errSpent) {
		err = nil
	}
	if s.best == nil && err == nil {
		err = fmt.Errorf("quantsearch: no forms within %v in %d trials; the least error was %v: begin with more bits, or allow more trials", tolerance, trials, s.least)
	}
	return s.forms(s.best), err
}

// A search is the state of Find. A point is the bits of all knobs.
type search struct {
	try       func(forms map[string][]ti.Quant) (float64, error)
	tolerance float64
	left      int // trials

	names []string
	start map[string][]quant.Format
	knobs []knob

	best  []int // nil before there is one
	bits  int   // of best
	least float64
	count int
	done  map[string]bool // whether points that were tried are good
}

// A knob is a number of bits that can be changed.
type knob struct {
	field string
	form  int
	exp   bool // the exponent's, not the fraction's
	start int
	least int
	most  int
}

var errSpent = errors.New("the trials are spent")

// begin reads the forms to start with.
func (s *search) begin(start map[string][]ti.Quant) error {
	switch {
	case s.try == nil:
		return fmt.Errorf("quantsearch: there is no function to try forms with: %w", ti.ErrArgs)
	case len(start) == 0:
		return fmt.Errorf("quantsearch: there are no forms to start from; take those that Ranges suggests: %w", ti.ErrArgs)
	case !(s.tolerance >= 0):
		return fmt.Errorf("quantsearch: a tolerance of %v: %w", s.tolerance, ti.ErrArgs)
	case s.left < 1:
		return fmt.Errorf("quantsearch: %d trials; give at least one: %w", s.left, ti.ErrArgs)
	}
	s.least, s.start = math.Inf(1), map[string][]quant.Format{}
	s.names = slices.Sorted(maps.Keys(start))
	for _, name := range s.names {
		if len(start[name]) == 0 {
			return fmt.Errorf("quantsearch: %s has no form to start from: %w", name, ti.ErrArgs)
		}
		for i, q := range start[name] {
			f, err := quant.Parse(q.String())
			if err != nil {
				return fmt.Errorf("quantsearch: %s starts from the zero Quant; give one of QuantInt, QuantFixed and QuantFloat: %w", name, ti.ErrArgs)
			}
			s.start[name] = append(s.start[name], f)
			s.addKnobs(name, i, f)
		}
	}
	return nil
}

// addKnobs adds those of a form.
func (s *search) addKnobs(name string, i int, f quant.Format) {
	sign := 1
	if f.Unsigned {
		sign = 0
	}
	switch f.Class {
	case quant.Int:
		s.knobs = append(s.knobs, knob{field: name, form: i, start: f.Bits, least: 1 + sign, most: 64})
	case quant.Fixed:
		s.knobs = append(s.knobs, knob{field: name, form: i, start: f.Bits, least: 1 + sign, most: max(f.Bits, 32)})
	default:
		s.knobs = append(s.knobs,
			knob{field: name, form: i, start: f.Frac, least: 1 + sign, most: max(f.Frac, 23+sign)},
			knob{field: name, form: i, exp: true, start: f.Exp, least: 1, most: max(f.Exp, 8)})
	}
}

// run searches until there are no trials left, or nothing to try.
func (s *search) run() error {
	at := make([]int, len(s.knobs))
	for i, k := range s.knobs {
		at[i] = k.start
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
	if err := s.together(at); err != nil {
		return err
	}
	for before := s.bits + 1; s.bits < before; {
		before = s.bits
		if err := s.apart(); err != nil {
			return err
		}
	}
	return nil
}

// moved returns a point at which every knob is changed by n.
func (s *search) moved(at []int, n int) []int {
	out := slices.Clone(at)
	for i, k := range s.knobs {
		out[i] = min(max(at[i]+n, k.least), max(k.most, at[i]))
	}
	return out
}

// grow adds bits to all forms until they are good; nil if they never are.
func (s *search) grow(at []int) ([]int, error) {
	for n := 1; ; n *= 2 {
		next := s.moved(at, n)
		good, err := s.good(next)
		if err != nil || good {
			return next, err
		}
		if slices.Equal(next, s.moved(at, 2*n)) {
			return nil, nil
		}
	}
}

// together takes as many bits as possible from all forms at once.
func (s *search) together(at []int) error {
	most := 0
	for i, k := range s.knobs {
		most = max(most, at[i]-k.least)
	}
	_, err := s.fewer(most, func(n int) []int { return s.moved(at, -n) })
	return err
}

// apart takes bits from one form after the other, the one with the most first.
func (s *search) apart() error {
	order := make([]int, len(s.knobs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return s.best[b] - s.best[a] })
	for _, i := range order {
		at := slices.Clone(s.best)
		if _, err := s.fewer(at[i]-s.knobs[i].least, func(n int) []int {
			next := slices.Clone(at)
			next[i] -= n
			return next
		}); err != nil {
			return err
		}
	}
	return nil
}

// fewer finds how many bits, up to most, can be taken away: it tries one, then twice as many, and halves the
// distance when that was too many.
func (s *search) fewer(most int, point func(n int) []int) (taken int, err error) {
	bad := most + 1
	for step := 1; taken+1 < bad; {
		n := min(taken+step, bad-1)
		good, err := s.good(point(n))
		if err != nil {
			return taken, err
		}
		if good {
			taken, step = n, step*2
		} else {
			bad = n
			step = max(1, (bad-taken)/2)
		}
	}
	return taken, nil
}

// good tries a point unless that was done, and reports whether its error is within the tolerance.
func (s *search) good(at []int) (bool, error) {
	key := fmt.Sprint(at)
	if good, known := s.done[key]; known {
		return good, nil
	}
	if s.left == 0 {
		return false, errSpent
	}
	s.left--
	s.count++
	forms := s.forms(at)
	e, err := s.try(forms)
	bits := s.bitsOf(at)
	if err != nil {
		return false, fmt.Errorf("quantsearch: trial %d, with %s: %w", s.count, s.text(at), err)
	}
	good := e <= s.tolerance
	verdict := "good"
	if !good {
		verdict = "too much"
	}
	log.Printf("quantsearch: trial %d: %d bits, error %.4g, %s: %s", s.count, bits, e, verdict, s.text(at))
	s.done[key] = good
	if e < s.least {
		s.least = e
	}
	if good && (s.best == nil || bits < s.bits) {
		s.best, s.bits = at, bits
	}
	return good, nil
}

// formats returns the forms at a point.
func (s *search) formats(at []int) map[string][]quant.Format {
	out := map[string][]quant.Format{}
	for name, all := range s.start {
		out[name] = slices.Clone(all)
	}
	for i, k := range s.knobs {
		f := &out[k.field][k.form]
		switch {
		case k.exp:
			f.Exp = at[i]
		case f.Class == quant.Float:
			f.Frac = at[i]
		default:
			f.Bits = at[i]
		}
	}
	return out
}

func (s *search) bitsOf(at []int) (sum int) {
	for _, n := range at {
		sum += n
	}
	return sum
}

// text lists the forms at a point.
func (s *search) text(at []int) string {
	all := s.formats(at)
	var parts []string
	for _, name := range s.names {
		for _, f := range all[name] {
			parts = append(parts, name+" "+f.String())
		}
	}
	return strings.Join(parts, ", ")
}

// forms returns the forms at a point, as programs have them; nil for no point.
func (s *search) forms(at []int) map[string][]ti.Quant {
	if at == nil {
		return nil
	}
	out := map[string][]ti.Quant{}
	for name, all := range s.formats(at) {
		for _, f := range all {
			out[name] = append(out[name], treetext.Quant(f))
		}
	}
	return out
}
