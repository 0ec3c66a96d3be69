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
// The search is for the bits of integers, of fixed-point numbers and of exponents and fractions, and for nearer limits.
// Kinds of forms, signs and ways of rounding stay those of start. A field counts with the bits of all the forms that start
// has for it. No number gets more bits than in start, or, if the error of start is too large, than in the first forms
// that are good, which Find looks for by adding bits: begin with generous ones.
//
// First all forms lose bits together, then each by itself. Fixed point loses another one where a limit down to half of
// the one before makes up for it. Then Find tries what is left of fewer bits in all, with more for one number
// and fewer for another. Having more bits is taken to be never worse, so that much need not be tried. Where Find ends before
// the trials do, no fewer bits are good with the limits that it has found; the last line that it logs says which it was.
//
// An error of try itself ends the search; Find returns it, and the best forms so far, if there are any.
func Find(start map[string][]ti.Quant, try func(forms map[string][]ti.Quant) (float64, error), tolerance float64, trials int) (map[string][]ti.Quant, error) {
	s := &search{try: try, tolerance: tolerance, left: trials, done: map[string]float64{}}
	if err := s.begin(start); err != nil {
		return nil, err
	}
	err := s.run()
	spent := errors.Is(err, errSpent)
	if spent {
		err = nil
	}
	switch {
	case err != nil:
	case s.best == nil:
		err = s.nothing()
	case spent || len(s.corners) == mostCorners:
		log.Printf("quantsearch: the search ends after %d trials; fewer bits than %d may be good", s.count, s.bits)
	default:
		log.Printf("quantsearch: no fewer bits than %d are good, if having more is never worse", s.bits)
	}
	return s.forms(s.best), err
}

// nothing says that no point was good.
func (s *search) nothing() error {
	remedy := "begin with wider limits, floats in the place of fixed point, or a larger tolerance"
	if s.left == 0 {
		remedy = "begin with more bits, or allow more trials"
	}
	return fmt.Errorf("quantsearch: no forms within %v in %d trials; the least error was %v, of %s: %s", s.tolerance, s.count, s.least, s.text(s.closest), remedy)
}

// A search is the state of Find.
type search struct {
	try       func(forms map[string][]ti.Quant) (float64, error)
	tolerance float64
	left      int // trials

	names []string
	start map[string][]quant.Format
	knobs []knob

	best    *point // nil before there is one
	bits    int    // of best
	top     []int  // the bits of the first good point: no point has more
	least   float64
	closest *point // has the least error
	count   int
	done    map[string]float64 // the errors of points that were tried
	bad     []*point           // those that were tried and are not good
	corners map[string]bool    // those that candidate has looked at
}

// A point is what the knobs stand at.
type point struct {
	bits   []int
	limits []float64 // of fixed point, else 0
}

func (p *point) clone() *point { return &point{slices.Clone(p.bits), slices.Clone(p.limits)} }

// A knob is a number of bits that can be changed; that of a fixed-point form has a limit, too.
type knob struct {
	field string
	form  int
	exp   bool // the exponent's, not the fraction's
	start int
	limit float64 // of fixed point, else 0
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
		s.knobs = append(s.knobs, knob{field: name, form: i, start: f.Bits, limit: f.Limit, least: 1 + sign, most: max(f.Bits, 32)})
	default:
		s.knobs = append(s.knobs,
			knob{field: name, form: i, start: f.Frac, least: 1 + sign, most: max(f.Frac, 23+sign)},
			knob{field: name, form: i, exp: true, start: f.Exp, least: 1, most: max(f.Exp, 8)})
	}
}

// formats returns the forms at a point.
func (s *search) formats(at *point) map[string][]quant.Format {
	out := map[string][]quant.Format{}
	for name, all := range s.start {
		out[name] = slices.Clone(all)
	}
	for i, k := range s.knobs {
		f := &out[k.field][k.form]
		switch {
		case k.exp:
			f.Exp = at.bits[i]
		case f.Class == quant.Float:
			f.Frac = at.bits[i]
		default:
			f.Bits, f.Limit = at.bits[i], at.limits[i]
		}
	}
	return out
}

// sum returns the bits of all knobs together.
func sum(bits []int) (all int) {
	for _, n := range bits {
		all += n
	}
	return all
}

// text lists the forms at a point.
func (s *search) text(at *point) string {
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
func (s *search) forms(at *point) map[string][]ti.Quant {
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
