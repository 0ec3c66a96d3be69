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

// A TallyPart says what of a site a tally op counts. What kernels emit counts all of a store; distribution makes parts, whose
// operands are a number that stands for many, or how many there are.
type TallyPart uint8

// The parts.
const (
	TallyAll          TallyPart = iota // %w, of a store as it is; %w, %old, %now, %lo, %hi of one in a form that clamps beyond %lo and %hi
	TallyNumbers                       // %bucket, %n: n numbers of a bucket of the histogram; %bucket, %n, %turn for another copy of it than the first
	TallyErrors                        // the same of the errors
	TallyLeast                         // %w, a number
	TallyLargest                       // %w
	TallySmallest                      // %w, of which the magnitude counts, unless it is 0
	TallyLargestError                  // %e, an error, of which the magnitude counts if it is finite
	TallySum                           // %e, which is added if it is finite
	TallyClamped                       // %c: whether one was clamped, or an i64: how many
	TallyFlushed                       // %c, of those flushed to zero
	TallyAbsorbed                      // %c, of those that changed nothing
)

var tallyNames = [...]string{
	TallyAll: "all", TallyNumbers: "numbers", TallyErrors: "errors", TallyLeast: "least", TallyLargest: "largest", TallySmallest: "smallest",
	TallyLargestError: "largesterror", TallySum: "sum", TallyClamped: "clamped", TallyFlushed: "flushed", TallyAbsorbed: "absorbed",
}

// String returns the name as the text form has it, as in "tally.least".
func (t TallyPart) String() string { return tallyNames[t] }

// parseTally is the inverse of String, TallyAll for what is no part.
func parseTally(name string) TallyPart {
	return TallyPart(max(0, slices.Index(tallyNames[:], name)))
}

// NumberKind is the kind in which the numbers of a site are counted.
func (m *Measure) NumberKind(site int) Kind {
	if tally.Single(m.Kinds[site]) {
		return F32
	}
	return F64
}

// tally checks the operands of a tally.
func (v *verifier) tally(o *Op) {
	m := v.k.Measure
	if m == nil || m.Counts == nil || o.Aux < 0 || o.Aux >= int64(len(m.Sites)) {
		v.op(o, "there is no measured site %d with counters", o.Aux)
		return
	}
	if v.scope.fn != nil {
		v.op(o, "a function counts nothing")
	}
	number := m.NumberKind(int(o.Aux))
	vectors := slices.ContainsFunc(o.Args, func(a *Value) bool { return a.Type.Lanes != 1 })
	if vectors && !o.Tally.ofNumber() || !o.Tally.takes(o.Args, number) {
		v.op(o, "these are not the operands of tally.%s at a site whose numbers are counted as %s", o.Tally, number)
	}
}

// ofNumber reports whether a part is found of a number, or of those of a vector: each as if it came by itself.
func (t TallyPart) ofNumber() bool {
	switch t {
	case TallyLeast, TallyLargest, TallySmallest, TallyLargestError, TallySum:
		return true
	}
	return false
}

// takes reports whether these are operands of a part, where numbers are counted in a kind.
func (t TallyPart) takes(args []*Value, number Kind) bool {
	is := func(k Kind) func(a *Value) bool { return func(a *Value) bool { return a.Type.Kind == k } }
	switch t {
	case TallyAll:
		return (len(args) == 1 || len(args) == 5) && !slices.ContainsFunc(args, func(a *Value) bool { return a.Type.Kind != number })
	case TallyNumbers, TallyErrors:
		return (len(args) == 2 || len(args) == 3) && is(I64)(args[1]) && !slices.ContainsFunc(args, func(a *Value) bool { return !a.Type.Kind.IsInt() })
	case TallyClamped, TallyFlushed, TallyAbsorbed:
		return len(args) == 1 && (is(Bool)(args[0]) || is(I64)(args[0]))
	}
	return len(args) == 1 && is(number)(args[0])
}

// measure prints the sites.
func (p *printer) measure(m *Measure) {
	if m == nil {
		return
	}
	for i, s := range m.Sites {
		p.line("measured #%d @%s %s%s", i, fieldName(s.Field), s.Kind, s.Pos.String())
	}
}

// measure reads a site.
func (p *parser) measure() {
	m := p.k.Measure
	if m == nil {
		m = &Measure{Comps: map[*Field][]bool{}}
		p.k.Measure = m
		m.Counts, m.Ends, m.Sums, m.Exponents = p.fields[tally.Counts], p.fields[tally.Ends], p.fields[tally.Sums], p.fields[tally.Exponents]
	}
	p.want('#')
	if n := p.int(); n != int64(len(m.Sites)) {
		p.fail("measured site %d stands where site %d is due", n, len(m.Sites))
	}
	s := MeasuredSite{Field: p.fieldRef(), Kind: p.kind()}
	s.Pos = p.pos()
	if p.err == nil {
		m.Sites = append(m.Sites, s)
		m.Add(s.Kind)
	}
}

// measure checks the counters.
func (v *verifier) measure(m *Measure) {
	if m == nil || m.Counts == nil {
		return
	}
	counts, ends, sums, exponents := m.Sizes()
	check := func(f *Field, kind Kind, n int) {
		if f == nil || !v.fields[f] || !slices.Equal(f.Comps, []Kind{kind}) || !slices.Equal(f.Shape, []int64{int64(n)}) {
			v.bad(Pos{}, "the counters of %d measured sites are no fields of the kernel with a number for each", len(m.Sites))
		}
	}
	check(m.Counts, I64, counts)
	check(m.Ends, I64, ends)
	check(m.Sums, F64, sums)
	check(m.Exponents, I64, exponents)
}
