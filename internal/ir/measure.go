package ir

import (
	"slices"

	"github.com/gotaichi/ti/internal/tally"
)

// A Measure says what is counted of the numbers that a kernel stores: a place in the source that
// stores numbers of one kind in a field is a site.
type Measure struct {
	Comps map[*Field][]bool // which components are counted
	Sites []MeasuredSite
	tally.Layout

	// The fields of counters, nil for the oracle, which needs none.
	Counts, Ends, Sums, Exponents *Field
}

// A MeasuredSite is such a place.
type MeasuredSite struct {
	Field *Field
	Kind  Kind
	Pos   Pos
}

// NewMeasure finds the sites of a lowered kernel that store in components.
func NewMeasure(k *Kernel, comps map[*Field][]bool) *Measure {
	m := &Measure{Comps: comps}
	Visit(k.Body, func(o *Op) bool {
		if (o.Code == OpStore || o.Code == OpAtomic) && o.Args[0].Def != nil && o.Args[0].Def.Code == OpPtr {
			place := o.Args[0].Def
			for _, c := range place.Choices() {
				if s := (MeasuredSite{place.Field, place.Field.Comps[c], o.Pos}); m.counts(place.Field, c) && !slices.Contains(m.Sites, s) {
					m.Sites = append(m.Sites, s)
					m.Add(s.Kind)
				}
			}
		}
		return true
	})
	return m
}

// counts reports whether a component is counted.
func (m *Measure) counts(f *Field, c int) bool { return m.Comps[f] != nil && m.Comps[f][c] }

// Site returns the number of the site of a store at a position, false if the component is not counted.
func (m *Measure) Site(f *Field, c int, pos Pos) (n int, ok bool) {
	if m == nil || !m.counts(f, c) {
		return 0, false
	}
	n = slices.Index(m.Sites, MeasuredSite{f, f.Comps[c], pos})
	return n, n >= 0
}

// AddCounters adds the fields of counters to the kernel.
func (m *Measure) AddCounters(k *Kernel) {
	counts, ends, sums, exponents := m.Sizes()
	add := func(name string, kind Kind, n int) *Field {
		f := &Field{Name: name, Index: len(k.Fields), Comps: []Kind{kind}, Shape: []int64{int64(n)}}
		k.Fields = append(k.Fields, f)
		return f
	}
	m.Counts, m.Ends = add(tally.Counts, I64, counts), add(tally.Ends, I64, ends)
	m.Sums, m.Exponents = add(tally.Sums, F64, sums), add(tally.Exponents, I64, exponents)
}
