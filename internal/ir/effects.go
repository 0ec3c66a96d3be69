package ir

import "slices"

// Areas is a set of what an op may read or write beside its operands and results.
type Areas uint8

const (
	Place    Areas = 1 << iota // the memory at the place that is its first operand
	Local                      // a local array that it makes
	Cells                      // the elements of sparse cells, which become zero
	Topology                   // which cells are active: masks, lists, blocks
	Random                     // the position in the iteration's random numbers
	Host                       // messages to the host: failures, records
	Flow                       // nothing, but the op stays where it is: it says or does something there
	Counters                   // counts of stored numbers, which the kernel never reads
)

// Has reports whether all of b are in a.
func (a Areas) Has(b Areas) bool { return a&b == b }

// Effects is the part of the op table that says what an op does beside computing its
// results. Pure ops, jumps and ops with regions (whose effects are those of what stands in
// the regions) have none.
type Effects struct {
	Reads, Writes Areas
	Checked       bool // its index is checked, so it stays though nothing uses its result
}

var effects = [numCodes]Effects{
	OpRand:   {Reads: Random, Writes: Random},
	OpAlloc:  {Writes: Local},
	OpLoad:   {Reads: Place},
	OpStore:  {Writes: Place},
	OpAtomic: {Reads: Place, Writes: Place},
	OpFail:   {Writes: Host},
	OpPoll:   {Writes: Flow},
	OpRecord: {Writes: Host},
	OpTally:  {Writes: Counters},

	OpActivate:   {Writes: Topology},
	OpDeactivate: {Writes: Topology | Cells},
	OpIsActive:   {Reads: Topology, Checked: true},
	OpMask:       {Reads: Topology},
	OpAppend:     {Reads: Topology, Writes: Topology | Cells},
	OpCount:      {Reads: Topology, Checked: true},
	OpShrink:     {Writes: Topology | Cells},

	OpVisit:    {Writes: Flow},
	OpPrefetch: {Writes: Flow},
	OpFollow:   {Reads: Topology},
	OpGrow:     {Reads: Topology, Writes: Topology},
	OpFind:     {Reads: Topology},
	OpEnter:    {Reads: Topology, Writes: Topology},

	OpIteration: {Writes: Flow},
	OpPart:      {Writes: Flow},
}

// text is what the text form of a function has of its effects: " reads place".
func (e Effects) text() string {
	s := ""
	for _, part := range e.parts() {
		for i, n := range areaNames {
			if (*part.areas).Has(1 << i) {
				s += " " + part.word + " " + n
			}
		}
	}
	return s
}

// areaNames are those of the areas in the text form, in the order of their bits.
var areaNames = [...]string{"place", "local", "cells", "topology", "random", "host", "flow", "counters"}

// A part of effects is their reads or their writes.
type effectPart struct {
	word  string
	areas *Areas
}

func (e *Effects) parts() [2]effectPart {
	return [2]effectPart{{"reads", &e.Reads}, {"writes", &e.Writes}}
}

// effects reads what Effects.text returns.
func (p *parser) effects(e *Effects) {
	for p.err == nil {
		found := false
		for _, part := range e.parts() {
			if !p.gotWord(part.word) {
				continue
			}
			w := p.word()
			i := slices.Index(areaNames[:], w)
			if found = true; i < 0 {
				p.fail("there is no area %q", w)
				return
			}
			*part.areas |= 1 << i
		}
		if !found {
			return
		}
	}
}

// Effects returns what o reads and writes, except for the ops in its regions: for a call
// what its function does, and none for an access to an array of its own.
func (o *Op) Effects() Effects {
	if o.Code == OpCall && o.Func != nil {
		return o.Func.Effects
	}
	e := effects[o.Code]
	if (e.Reads|e.Writes)&Place != 0 && len(o.Args) > 0 && isOwn(o.Args[0]) {
		e.Reads, e.Writes = e.Reads&^Place, e.Writes&^Place
	}
	return e
}

// effects checks that those of f cover what its body does. That a function polls is no
// effect of it: the results of a launch that is stopped are discarded.
func (v *verifier) effects(f *Func) {
	const own = Local | Random | Flow
	Visit(f.Body, func(o *Op) bool {
		e := o.Effects()
		if e.Reads&^own&^f.Effects.Reads != 0 || e.Writes&^own&^f.Effects.Writes != 0 {
			v.op(o, "function %s has no such effect", f.Name)
		}
		return true
	})
}

// isOwn reports whether p is a place in an array that an alloc made.
func isOwn(p *Value) bool {
	for p != nil && p.Def != nil {
		switch p.Def.Code {
		case OpAlloc:
			return true
		case OpCell, OpOffset:
			p = p.Def.Args[0]
		default:
			return false
		}
	}
	return false
}

// Effects returns what an op with this code reads and writes.
func (c Code) Effects() *Effects { return &effects[c] }

// Touches reports whether an op with this code reads or writes one of the areas.
func (c Code) Touches(a Areas) bool { return (effects[c].Reads|effects[c].Writes)&a != 0 }
