package ontree

import (
	"math"

	"github.com/gotaichi/ti/internal/typed"
)

// A cut is what belongs to a section along one axis of its field.
type cut struct {
	kept, limited     bool
	at                int64 // the index; of an axis that is not kept
	begin, step, size int64 // of a kept axis
}

// integer evaluates a number of a section. A u64 that no i64 holds is the largest one that does.
func (m *machine) integer(e typed.Expr) int64 { return fitted(typed.ScalarOf(e.Type()), m.expr(e)[0]) }

func fitted(s typed.Scalar, x uint64) int64 {
	if s == typed.U64 && x > math.MaxInt64 {
		return math.MaxInt64
	}
	return number(s, x)
}

// cuts returns the axes of a section, or of a field that is taken whole if s is nil.
func (m *machine) cuts(f *Field, s *typed.Section) []cut {
	list := make([]cut, len(f.Shape))
	for i := range list {
		list[i] = cut{kept: true, begin: f.low(i), step: 1, size: f.Shape[i]}
		if s == nil {
			continue
		}
		switch a := s.Axes[i]; {
		case !a.Kept():
			list[i] = cut{at: m.integer(a.At)}
		case a.Limited():
			list[i].limited = true
			list[i].begin, list[i].step, list[i].size = m.integer(a.Begin), m.integer(a.Step), m.integer(a.Size)
		}
	}
	return list
}

// inSection makes el, which has the index in a section, the element of the field.
func (m *machine) inSection(el *element, e *typed.Element) {
	f := el.field
	inner := el.index
	el.index = make([]int64, len(f.Shape))
	n, inside := 0, true
	for i, c := range m.cuts(f, e.Section) {
		if !c.kept {
			el.index[i] = c.at
			continue
		}
		k := inner[n]
		n++
		inside = inside && k >= 0 && k < c.size && !el.huge
		el.index[i] = c.begin + k*c.step
	}
	if e.Section.Limited() && !inside {
		m.fail(failAt(e.Pos, BadSection))
		el.none = true
	}
}

// sectioned computes what is known of a section at run time only.
func (m *machine) sectioned(e *typed.Sectioned) []uint64 {
	f, _ := m.field(e.Field)
	var operands []int64
	for _, x := range e.Index {
		s := typed.ScalarOf(x.Type())
		for _, v := range m.expr(x) {
			operands = append(operands, fitted(s, v))
		}
	}
	outer := m.cuts(f, e.Of)
	cuts, fits := cutOf(f, e, outer, operands)
	limited := func(list []cut) bool {
		for _, c := range list {
			if c.limited {
				return true
			}
		}
		return false
	}
	checked := limited(cuts)
	for i, c := range cuts {
		checked = checked || !c.kept && outer[i].limited
	}
	if !limited(outer) { // nothing has compared the indices that took axes away before
		for i, c := range outer {
			fits = fits && (c.kept || c.at >= f.low(i) && c.at < f.low(i)+f.Shape[i])
		}
	}
	if checked && !fits {
		m.fail(failAt(e.Pos, BadSection))
	}
	s := typed.ScalarOf(e.T)
	var v []uint64
	for i, c := range cuts {
		switch {
		case !c.kept && checked && !fits && outer[i].limited:
			v = append(v, word(s, uint64(f.low(i)-1)))
		case !c.kept:
			v = append(v, word(s, uint64(c.at)))
		case c.limited:
			if checked && !fits {
				c.size = 0
			}
			v = append(v, word(s, uint64(c.begin)), word(s, uint64(c.step)), word(s, uint64(c.size)))
		}
	}
	return v
}

// cutOf makes a section of a field or of another section, and reports whether it lies in that.
func cutOf(f *Field, e *typed.Sectioned, outer []cut, operands []int64) (cuts []cut, fits bool) {
	cuts = append(cuts, outer...)
	fits = true
	n := 0
	for i, o := range outer {
		if !o.kept {
			continue
		}
		how := e.Cuts[n]
		n++
		low := int64(0)
		if e.Of == nil {
			low = f.low(i)
		}
		switch {
		case how == typed.Whole:
		case how.At >= 0:
			k := operands[how.At]
			fits = fits && k >= low && k < low+o.size
			if e.Of == nil {
				cuts[i] = cut{at: k}
			} else {
				cuts[i] = cut{at: o.begin + k*o.step}
			}
		default:
			lo, hi, step := low, low+o.size, int64(1)
			if how.Lo >= 0 {
				lo = operands[how.Lo]
			}
			if how.Hi >= 0 {
				hi = operands[how.Hi]
			}
			if how.Step >= 0 {
				step = operands[how.Step]
			}
			if lo < low || lo > hi || hi > low+o.size || step < 1 {
				fits = false
				lo, hi, step = low, low, 1
			}
			size := int64(0)
			if hi > lo {
				size = (hi-lo-1)/step + 1
			}
			step = min(step, max(o.size, 1)) // a longer one reaches no second element
			cuts[i] = cut{kept: true, limited: true, begin: o.begin + (lo-low)*o.step, step: o.step * step, size: size}
		}
	}
	return cuts, fits
}
