package ti

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/observe"
	"github.com/gotaichi/ti/internal/quant"
	"github.com/gotaichi/ti/internal/session"
	"github.com/gotaichi/ti/internal/tally"
)

// A RangeReport says what values a field took and what storing them in its form cost. What
// values: those that it holds when the span that is reported on begins, those that kernels
// are about to store, before they are rounded and clamped, and, but for Exponents, those that it
// holds at the end. Inactive elements hold none. NaNs count nowhere.
type RangeReport struct {
	Field             string
	Least, Largest    float64
	SmallestMagnitude float64       // of those that are not zero
	Exponents         map[int]int64 // values by binary exponent: those of 1 to below 2 have exponent 0
	Stores            []StoreReport // one for each place in a source that stores to the field
	Suggested         []Quant       // forms that would do, the fewest bits first
	Note              string        // why no form is suggested that was asked for, and what comes closest

	comps  int
	shared Quant // a form in which the components could share an exponent; zero for none
}

// A StoreReport counts what one place in a source lost. Of a field that is stored as Go does it has the
// Position and the Total.
type StoreReport struct {
	Position                          string // file:line:col
	Total, Clamped, Flushed, Absorbed int64  // flushed to zero; absorbed: a change that changed no bit
	MeanError, LargestError           float64
	Errors                            map[int]int64 // stores by binary exponent of the error
}

// RangeOptions say for what forms are suggested: the largest error allowed, relative
// to the largest magnitude, or the most bits of all fields together, for one element of each.
// Zero: not given. Without both no forms are suggested.
//
// Suggested is the form of fewest bits of each class that clamps no number of the range, keeps its error, and has fewer
// bits than the element type. Fixed point has the nearest limit of two digits, or of more where two do not do, and comes
// before floats of as many bits; of floats the longest fraction comes first. For Bits the error is the least power of
// two at which the shortest forms of all fields fit; others are there if they fit instead of a shortest one.
type RangeOptions struct {
	Tolerance float64
	Bits      int
}

// Ranges runs f and reports on the given fields, quantised or not, in their order, together
// with the error of f. Launches meanwhile are of kernels that are compiled for counting; they
// compute what they always do. A store is absorbed if the number to be stored differs from the one
// that is there, and the store leaves that as it is. The error of a store is the number stored less
// the one to be stored, so that a mean away from zero is a drift.
//
// Ranges inside another, and launches under a tape, fail with [ErrBusy].
func (rt *Runtime) Ranges(f func() error, options RangeOptions, fields ...AnyField) ([]RangeReport, error) {
	switch {
	case !(options.Tolerance >= 0) || options.Tolerance >= 1:
		return nil, diag.Errorf(ErrArgs, "RangeOptions.Tolerance is %v; it is the largest error allowed over the largest magnitude, from 0 to below 1", options.Tolerance)
	case options.Bits < 0:
		return nil, diag.Errorf(ErrArgs, "RangeOptions.Bits is %d; it is the most bits of all fields together", options.Bits)
	case options.Tolerance > 0 && options.Bits > 0:
		return nil, diag.Errorf(ErrArgs, "RangeOptions has both a Tolerance and Bits; give one of them")
	}
	counts, err := (*session.Runtime)(rt).Count(f, cores(fields))
	if counts == nil {
		return nil, err
	}
	reports := make([]RangeReport, len(counts))
	for i := range counts {
		reports[i] = reportOf(&counts[i], fields[i].Name())
	}
	suggest(reports, counts, options)
	return reports, err
}

// reportOf returns what was counted of a field.
func reportOf(c *observe.FieldCount, name string) RangeReport {
	r := RangeReport{Field: name, Least: math.NaN(), Largest: math.NaN(), Exponents: map[int]int64{}, comps: c.Field.Comps()}
	for _, t := range c.Numbers {
		if t.Least > t.Largest {
			continue
		}
		if r.Least != r.Least || t.Least < r.Least {
			r.Least = t.Least
		}
		if r.Largest != r.Largest || t.Largest > r.Largest {
			r.Largest = t.Largest
		}
		if !math.IsInf(t.Smallest, 0) && (r.SmallestMagnitude == 0 || t.Smallest < r.SmallestMagnitude) {
			r.SmallestMagnitude = t.Smallest
		}
		add(r.Exponents, tally.Histogram(t.Kind, t.Exponents))
	}
	for _, t := range c.Stores {
		s := StoreReport{Position: t.Pos.String(), Total: t.Total, Clamped: t.Clamped, Flushed: t.Flushed, Absorbed: t.Absorbed, LargestError: t.LargestError, Errors: tally.Histogram(t.Kind, t.Errors)}
		if t.Measured > 0 {
			s.MeanError = t.Sum / float64(t.Measured)
		}
		n := len(r.Stores)
		if n == 0 || r.Stores[n-1].Position != s.Position {
			r.Stores = append(r.Stores, s)
			continue
		}
		r.Stores[n-1].merge(&s) // numbers of another kind, of a struct
	}
	return r
}

// merge adds what was counted at the same place.
func (s *StoreReport) merge(o *StoreReport) {
	if all := s.Total + o.Total; all > 0 {
		s.MeanError = (s.MeanError*float64(s.Total) + o.MeanError*float64(o.Total)) / float64(all)
	}
	s.Total, s.Clamped, s.Flushed, s.Absorbed = s.Total+o.Total, s.Clamped+o.Clamped, s.Flushed+o.Flushed, s.Absorbed+o.Absorbed
	s.LargestError = max(s.LargestError, o.LargestError)
	add(s.Errors, o.Errors)
}

func add(to, from map[int]int64) {
	for e, n := range from {
		to[e] += n
	}
}

// A suggestion is what forms are suggested from: the ranges of the reports that have one.
type suggestion struct {
	ranges []tally.Range
	comps  []int
	of     []*RangeReport
}

// suggest adds forms to reports.
func suggest(reports []RangeReport, counts []observe.FieldCount, options RangeOptions) {
	if options.Tolerance == 0 && options.Bits == 0 {
		return
	}
	var s suggestion
	for i := range counts {
		report, numbers := &reports[i], counts[i].Numbers
		if len(numbers) > 1 {
			report.Note = "its members are of several kinds; report on them one by one, by ti.Members"
			continue
		}
		r, ok := tally.RangeOf(numbers[0])
		if !ok {
			report.Note = "it held no number, or an infinite one"
			continue
		}
		r.Stochastic = report.absorbs()
		s.ranges, s.comps, s.of = append(s.ranges, r), append(s.comps, report.comps), append(s.of, report)
	}
	if options.Bits > 0 {
		s.within(options.Bits)
		return
	}
	for i, report := range s.of {
		s.add(i, options.Tolerance, math.MaxInt)
		if report.Suggested == nil && report.shared == (Quant{}) {
			report.Note = s.none(i, options.Tolerance)
		}
	}
}

// add adds the forms of a field for a tolerance, those that take no more than so many bits.
func (s *suggestion) add(i int, tolerance float64, most int) {
	r, n, report := s.ranges[i], s.comps[i], s.of[i]
	for _, f := range r.Suggest(tolerance) {
		if n*f.Width() <= most {
			report.Suggested = append(report.Suggested, Quant{f})
		}
	}
	if f, ok := r.Shared(tolerance, n); ok && n > 1 && f.SharedWidth(n) <= most {
		report.shared = Quant{f}
	}
}

// within adds the forms of all fields for the least tolerance at which the shortest of each take no more than so many
// bits together. Others are added if they do not need more bits instead of the shortest.
func (s *suggestion) within(bits int) {
	tolerance, ok := tally.Budget(s.ranges, s.comps, bits)
	if !ok {
		fewest := tally.Bits(s.ranges, s.comps, tally.Coarsest)
		for _, report := range s.of {
			report.Note = fmt.Sprintf("no forms of %d bits in all hold the numbers: with errors of up to %v of the largest magnitudes they take %d; give at least that many", bits, tally.Coarsest, fewest)
		}
		return
	}
	left := bits - tally.Bits(s.ranges, s.comps, tolerance)
	for i, report := range s.of {
		s.add(i, tolerance, left+tally.Bits(s.ranges[i:i+1], s.comps[i:i+1], tolerance))
		if report.Suggested == nil {
			report.Note = s.none(i, tolerance)
		}
	}
}

// none says that no form is suggested for a field, and which comes closest.
func (s *suggestion) none(i int, tolerance float64) string {
	r := s.ranges[i]
	if !r.Kind.IsFloat() {
		return fmt.Sprintf("its numbers take the %d bits that %v has; leave it as it is", r.Width(), r.Kind)
	}
	text := fmt.Sprintf("none of fewer bits than the %d of %v has errors of at most %.3g of the largest magnitude", r.Width(), r.Kind, tolerance)
	if f, e, ok := r.Closest(); ok {
		text += fmt.Sprintf("; the closest, %v of %d bits, has %.3g", f, f.Width(), e)
	}
	return text + "; leave it as it is"
}

// absorbs reports whether changes got lost often, in which case rounding by random numbers helps.
func (r *RangeReport) absorbs() bool {
	return slices.ContainsFunc(r.Stores, func(s StoreReport) bool { return s.Absorbed > s.Total/10 })
}

// String formats the report as text for people, with the suggested forms as Go.
func (r RangeReport) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: from %.4g to %.4g, smallest magnitude %.4g\n", r.Field, r.Least, r.Largest, r.SmallestMagnitude)
	fmt.Fprintf(&b, "  exponents  %s\n", histogram(r.Exponents))
	for _, s := range r.Stores {
		fmt.Fprintf(&b, "  %s: %d stores", s.Position, s.Total)
		if s.Errors != nil && (s.LargestError > 0 || s.Clamped+s.Flushed+s.Absorbed > 0) {
			fmt.Fprintf(&b, ", %d clamped, %d flushed to zero, %d absorbed\n    error      mean %+.3g, largest %.3g\n    exponents  %s", s.Clamped, s.Flushed, s.Absorbed, s.MeanError, s.LargestError, histogram(s.Errors))
		}
		b.WriteByte('\n')
	}
	if r.Note != "" {
		fmt.Fprintf(&b, "  no form: %s\n", r.Note)
	}
	name := r.Field
	if strings.Contains(name, ":") { // no source has named it, and it goes by its place
		name = "field"
	}
	for _, q := range r.Suggested {
		fmt.Fprintf(&b, "  Place(&%s, %#v) // %d bits\n", name, q, r.comps*q.format.Width())
	}
	if r.shared != (Quant{}) {
		fmt.Fprintf(&b, "  PlaceShared(%#v, &%s) // %d bits\n", r.shared, name, r.shared.format.SharedWidth(r.comps))
	}
	return b.String()
}

// histogram lists the exponents that hold all but a few numbers, with their share.
func histogram(h map[int]int64) string {
	total := int64(0)
	for _, n := range h {
		total += n
	}
	if total == 0 {
		return "none"
	}
	const most = 12
	h = maps.Clone(h)
	exponents := slices.Sorted(maps.Keys(h))
	var parts []string
	for len(exponents) > most { // the lowest come together
		h[exponents[1]] += h[exponents[0]]
		exponents = exponents[1:]
	}
	for i, e := range exponents {
		sign := ""
		if i == 0 && len(exponents) == most {
			sign = "≤"
		}
		parts = append(parts, fmt.Sprintf("%s2^%d %.3g%%", sign, e, 100*float64(h[e])/float64(total)))
	}
	return strings.Join(parts, "  ")
}

// GoString returns the form as Go has it: ti.QuantFixed(21, 8).Unsigned().
func (q Quant) GoString() string {
	f := q.format
	if f.Class == quant.Plain {
		return "ti.Quant{}"
	}
	s := "ti." + f.Row().Constructor + "(" + f.Arguments(", ") + ")"
	for _, m := range []struct {
		set  bool
		name string
	}{{f.Unsigned, "Unsigned"}, {f.Wrap, "Wrap"}, {f.Stochastic, "Stochastic"}} {
		if m.set {
			s += "." + m.name + "()"
		}
	}
	return s
}

// Bits returns the bits of a number in the form, those of an exponent of its own included.
func (q Quant) Bits() int { return q.format.Width() }
