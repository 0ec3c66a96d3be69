package ir

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// This file has states: what phases and tasks do to fields of the host. Package states finds them out, and says what
// they mean.

// A Phase is a part of a kernel's body: a parallel loop, or the serial code before, between and behind such loops.
// Phases are computed once, for the body as it is lowered. Loops keep the number of their phase through all passes.
type Phase struct {
	Loop   bool
	Name   string // of the task, where loops were fused; "" where the loop tells it
	First  int    // the first part of a linked kernel of which loops were fused, if there is a name
	States []State
}

// A Use is what code may do to the values of a component, or to something else that a field has.
type Use uint8

// The bits of a Use.
const (
	Reads Use = 1 << iota
	Writes
)

// A State says what a phase or task may do to one field of the host. A field without components is a node.
//
//   - Values: the components of its elements.
//   - Mask: which cells are active, of the nodes that its components lie in and of those above.
//   - List: the lists of active cells of these nodes, and how long its lists of elements are.
//   - Allocation: the allocator of its trees.
//   - Clears: cells of its node become inactive, or lists shorter. Elements of all fields in these cells become
//     zero, also of fields that the kernel does not know.
type State struct {
	Field                  *Field
	Values                 []Values // by component
	Mask, List, Allocation Use
	Clears                 bool
}

// Values are components of a field, Comps of them from First on, to which the same is done.
type Values struct {
	First, Comps int
	Use          Use
	Whole        bool // every element is written
	Own          bool // each iteration of a loop touches elements at its own index alone
	Reach        Reach
	Index        Reach      // bounds the first indices themselves, where it is narrower than Reach
	Ring         Reach      // is a Reach modulo the extent of the first axis, where it is narrower than Reach
	Sum          AtomicKind // all uses are updates of this kind, whose old values nothing uses; AtomicNone for others
}

// A Reach bounds how far from its iteration a loop touches elements: their first index minus the first index of the loop is in Lo … Hi. The
// zero Reach knows no bounds. What is an iteration's own has Lo and Hi 0.
type Reach struct {
	Lo, Hi int64
	Known  bool
}

// Join is the smallest reach that has both.
func (r Reach) Join(s Reach) Reach {
	if !r.Known || !s.Known {
		return Reach{}
	}
	return Reach{min(r.Lo, s.Lo), max(r.Hi, s.Hi), true}
}

// States collects what is done to fields. The zero value has nothing.
type States struct{ of map[*Field]*collected }

// collected is what is done to a field, with an entry of Values for each component.
type collected struct {
	State
	values []Values
}

// Of returns the state of a field without its Values, to be changed.
func (s *States) Of(f *Field) *State { return &s.field(f).State }

func (s *States) field(f *Field) *collected {
	if s.of == nil {
		s.of = map[*Field]*collected{}
	}
	if s.of[f] == nil {
		s.of[f] = &collected{State: State{Field: f}, values: make([]Values, len(f.Comps))}
	}
	return s.of[f]
}

// Touch notes a use of a component, at the index of the iteration or somewhere. A component that is touched twice is
// an iteration's own if it is so both times.
func (s *States) Touch(f *Field, comp int, u Use, own bool) {
	s.Use(f, comp, Values{Use: u, Own: own, Reach: Reach{Known: own}, Ring: Reach{Known: own}})
}

// TouchNear notes a use of a component at elements other than the iteration's own, within a reach.
func (s *States) TouchNear(f *Field, comp int, u Use, r Reach) {
	s.Use(f, comp, Values{Use: u, Reach: r, Ring: r})
}

// Use notes uses of a component, as Values say. First, Comps and Whole do not matter.
func (s *States) Use(f *Field, comp int, u Values) {
	v := &s.field(f).values[comp]
	if v.Use != 0 {
		u.Own, u.Reach, u.Index = u.Own && v.Own, u.Reach.Join(v.Reach), u.Index.Join(v.Index)
		u.Ring = u.Ring.Join(v.Ring)
		if u.Sum != v.Sum {
			u.Sum = AtomicNone
		}
	}
	v.Own, v.Reach, v.Index, v.Ring, v.Sum = u.Own, u.Reach, u.Index, u.Ring, u.Sum
	v.Use |= u.Use
}

// Fill notes that every element of a component is written. That it is touched is noted apart.
func (s *States) Fill(f *Field, comp int) { s.field(f).values[comp].Whole = true }

// Add notes what other code does that runs as well.
func (s *States) Add(states []State) {
	for i := range states {
		n := &states[i]
		to := s.Of(n.Field)
		to.Mask, to.List, to.Allocation = to.Mask|n.Mask, to.List|n.List, to.Allocation|n.Allocation
		to.Clears = to.Clears || n.Clears
		for _, v := range n.Values {
			for c := v.First; c < v.First+v.Comps; c++ {
				if !v.Ring.Known {
					v.Ring = v.Reach // it was no narrower
				}
				s.Use(n.Field, c, v)
				if v.Whole {
					s.Fill(n.Field, c)
				}
			}
		}
	}
}

// List returns what was noted, in the order of the fields.
func (s *States) List() []State {
	var all []State
	for _, n := range s.of {
		state := n.State
		state.Values = Runs(n.values)
		all = append(all, state)
	}
	slices.SortFunc(all, func(a, b State) int { return cmp.Compare(a.Field.Index, b.Field.Index) })
	return all
}

// narrower reports whether r says more than s.
func (r Reach) narrower(s Reach) bool { return r.Known && (!s.Known || r.Hi-r.Lo < s.Hi-s.Lo) }

// Runs returns those of the components that are touched, where values has one entry for each.
func Runs(values []Values) []Values {
	var runs []Values
	for c, v := range values {
		if v.Use == 0 {
			continue
		}
		v.First, v.Comps = c, 1
		if !v.Index.narrower(v.Reach) {
			v.Index = Reach{}
		}
		if !v.Ring.narrower(v.Reach) {
			v.Ring = Reach{}
		}
		if n := len(runs) - 1; n >= 0 && runs[n].First+runs[n].Comps == c && runs[n].like(v) {
			runs[n].Comps++
			continue
		}
		runs = append(runs, v)
	}
	return runs
}

// like reports whether the same is done to two components.
func (v Values) like(w Values) bool {
	v.First, v.Comps, w.First, w.Comps = 0, 0, 0, 0
	return v == w
}

// InPart returns the states of code that runs some of the iterations of a loop with these states.
func InPart(states []State) []State {
	part := slices.Clone(states)
	for i := range part {
		part[i].Values = slices.Clone(part[i].Values)
		for k := range part[i].Values {
			part[i].Values[k].Whole = false
		}
	}
	return part
}

// text is the kind of a phase in the text form, with a space in front.
func (p *Phase) text() string {
	switch {
	case p.First > 0:
		return fmt.Sprintf(" loop %q from %d", p.Name, p.First)
	case p.Name != "":
		return " loop " + strconv.Quote(p.Name)
	case p.Loop:
		return " loop"
	}
	return " serial"
}

// phase is the text of the phase of a loop, with a space in front.
func phase(n int32) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" phase %d", n)
}

var useNames = [...]string{Reads: "r", Writes: "w", Reads | Writes: "rw"}

// text is the state in the text form: " @X .0 w whole own .1 to 3 r reach -1 to 1 mask r list r".
func (s *State) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, " @%s", fieldName(s.Field))
	for _, v := range s.Values {
		fmt.Fprintf(&b, " .%d", v.First)
		if v.Comps > 1 {
			fmt.Fprintf(&b, " to %d", v.First+v.Comps-1)
		}
		fmt.Fprintf(&b, " %s", useNames[v.Use])
		if v.Whole {
			b.WriteString(" whole")
		}
		if v.Own {
			b.WriteString(" own")
		} else if v.Reach.Known {
			fmt.Fprintf(&b, " reach %d to %d", v.Reach.Lo, v.Reach.Hi)
		}
		if v.Index.Known {
			fmt.Fprintf(&b, " index %d to %d", v.Index.Lo, v.Index.Hi)
		}
		if v.Ring.Known {
			fmt.Fprintf(&b, " ring %d to %d", v.Ring.Lo, v.Ring.Hi)
		}
		if v.Sum != AtomicNone {
			fmt.Fprintf(&b, " sum %s", v.Sum)
		}
	}
	for _, u := range s.uses() {
		if *u.use != 0 {
			fmt.Fprintf(&b, " %s %s", u.name, useNames[*u.use])
		}
	}
	if s.Clears {
		b.WriteString(" clears")
	}
	return b.String()
}

// A namedUse is one of the uses of a state beside that of its values.
type namedUse struct {
	name string
	use  *Use
}

func (s *State) uses() [3]namedUse {
	return [3]namedUse{{"mask", &s.Mask}, {"list", &s.List}, {"allocation", &s.Allocation}}
}

func (p *printer) states(states []State) {
	for i := range states {
		p.line("touches%s", states[i].text())
	}
}

// phase reads the phase of a parallel loop, if it has one.
func (p *parser) phase(o *Op) {
	if p.gotWord("phase") {
		o.Phase = int32(p.small(1<<31 - 1))
	}
}

// phaseLine reads 1 loop, or 2 serial.
func (p *parser) phaseLine() {
	if n := p.int(); n != int64(len(p.k.Phases)+1) {
		p.fail("phase %d stands where phase %d is due", n, len(p.k.Phases)+1)
	}
	loop := p.gotWord("loop")
	name, first := "", 0
	if !loop {
		p.wantWord("serial")
	} else if p.peek('"') {
		if name = p.name(); p.gotWord("from") {
			first = int(p.small(maxParts))
		}
	}
	p.k.Phases = append(p.k.Phases, Phase{Loop: loop, Name: name, First: first})
}

// state reads what State.text returns.
func (p *parser) state() State {
	s := State{Field: p.fieldRef()}
	for p.err == nil && p.got('.') {
		v := Values{First: int(p.small(1 << 40)), Comps: 1}
		if p.gotWord("to") {
			v.Comps = int(p.small(1<<40)) - v.First + 1
		}
		v.Use = p.useWord()
		v.Whole = p.gotWord("whole")
		if v.Own = p.gotWord("own"); v.Own {
			v.Reach.Known = true
		} else if p.gotWord("reach") {
			v.Reach = p.reach()
		}
		if p.gotWord("index") {
			v.Index = p.reach()
		}
		if p.gotWord("ring") {
			v.Ring = p.reach()
		}
		if p.gotWord("sum") {
			v.Sum = p.atomic(p.word())
		}
		s.Values = append(s.Values, v)
	}
	for _, u := range s.uses() {
		if p.gotWord(u.name) {
			*u.use = p.useWord()
		}
	}
	s.Clears = p.gotWord("clears")
	return s
}

// reach reads -1 to 1.
func (p *parser) reach() Reach {
	r := Reach{Lo: p.int(), Known: true}
	p.wantWord("to")
	r.Hi = p.int()
	return r
}

// useWord reads r, w or rw.
func (p *parser) useWord() Use {
	w := p.word()
	if n := slices.Index(useNames[:], w); n > 0 {
		return Use(n)
	}
	p.fail("%q is no use, as r, w and rw are", w)
	return 0
}

// states checks those of a phase or task, and that they are of fields of the host.
func (v *verifier) states(pos Pos, states []State) {
	last := -1
	for i := range states {
		s := &states[i]
		if s.Field == nil || !v.fields[s.Field] || s.Field.Index <= last || !s.Field.IsHost() {
			v.bad(pos, "a state is of no field of the host, or out of order")
			return
		}
		last = s.Field.Index
		next := 0
		for _, r := range s.Values {
			if r.First < next || r.Comps < 1 || r.First+r.Comps > len(s.Field.Comps) || r.Use == 0 || r.Whole && r.Use&Writes == 0 {
				v.bad(pos, "the state of field %s has values of no component, or out of order", s.Field.Name)
			}
			if r.Reach.Lo > r.Reach.Hi || r.Own && r.Reach != (Reach{Known: true}) {
				v.bad(pos, "the state of field %s has an impossible reach", s.Field.Name)
			}
			if r.Index.Lo > r.Index.Hi || r.Ring.Lo > r.Ring.Hi || r.Sum != AtomicNone && r.Use != Reads|Writes {
				v.bad(pos, "the state of field %s has impossible indices or sums", s.Field.Name)
			}
			next = r.First + r.Comps
		}
	}
}

// phases checks those of the kernel.
func (v *verifier) phases() {
	if v.k.Phases != nil && v.k.Tasks != nil {
		v.bad(Pos{}, "the kernel has both phases and tasks")
	}
	for i := range v.k.Phases {
		v.states(Pos{}, v.k.Phases[i].States)
	}
}

// IsHost reports whether f is a field or node of the host, and not memory of the caller or words of other fields.
func (f *Field) IsHost() bool { return f.View == nil && f.Word == nil }
