package versioning

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/pass/note"
	"github.com/gotaichi/ti/internal/pass/unit"
)

// So many index checks of an iteration are worth a question that stands for them.
const fewestChecks = 4

// MostKept is how many indices of an iteration may be kept in arrays.
const MostKept = 8

// Inspector asks about all index checks of some iterations before the first of them, where it would
// ask at each access, as a loop over particles does that uses the 3×3 nodes around each.
//
// Input: a task with addresses, whose checks are ifs with a fail. Output: the same; a task with
// several checks whose conditions can be computed before the first effect of an iteration goes
// through its innermost dim in strips, each
//
//	%outside = for the strip { the question; the indices, into a local array }
//	if seldom %outside { for the strip { the body } } else { for the strip { the body without these checks } }
//
// Checks of one index at several constant distances become one of its lowest and highest, the
// corners of the stencil: 0 ≤ i+c < n for all c is i+least < n-(most-least) in unsigned numbers,
// which holds for numbers that wrap, too. The last loop takes the indices that were asked about from
// the array: what they were computed from may have changed since, in a program with a race, and no
// access may leave its field. The loop with all checks is run hardly ever, and says which access
// failed; the back end puts it out of line.
//
// Combining checks is the elimination of Gupta, "Optimizing Array Bound Checks Using Flow
// Analysis", ACM LOPLAS 2(1–4), 1993; two versions of the code keep our promise that the other
// accesses of an iteration take place.
func Inspector(t *ir.Task, opts option.Options, notes *note.Notes) {
	last := len(t.Dims) - 1
	if t.Body == nil || last < 0 || opts.Unchecked {
		return
	}
	n := StripLength(t)
	if n == 0 {
		return
	}
	ir.NumberBlock(t.Body, ir.NumberBlock(t.Prologue, 0))
	if c := stencilOf(t.Body); c != nil {
		for _, check := range c.checks {
			notes.CheckedAs(note.CheckedTogether, check.Pos)
		}
		c.strips(t, n)
	}
}

// InspectorSuffices reports whether corners leaves no check in the loop that is run as a rule.
func InspectorSuffices(t *ir.Task, opts option.Options) bool {
	if StripLength(t) == 0 || opts.Unchecked || opts.Without.Has(option.Inspector) {
		return false
	}
	c := stencilOf(t.Body)
	if c == nil {
		return false
	}
	fails := 0
	ir.Visit(t.Body, func(o *ir.Op) bool {
		if o.Code == ir.OpFail {
			fails++
		}
		return true
	})
	return fails == len(c.checks)
}

// A stencil is a body with checks that can be asked together.
type stencil struct {
	*Question
	inside map[*ir.Op]bool // its ops and those in their regions
	effect int             // that of the first op with an effect on what others read
	able   map[*ir.Op]bool // what computable has found out, so that it visits each op once
	kept   []*ir.Value     // indices that are computed from memory
}

// newStencil is that of a block, without checks yet.
func newStencil(b *ir.Block) *stencil {
	c := &stencil{Question: newQuestion(b), inside: map[*ir.Op]bool{}, effect: len(b.Ops), able: map[*ir.Op]bool{}}
	ir.Visit(b, func(o *ir.Op) bool { c.inside[o] = true; return true })
	for i, o := range b.Ops {
		if c.effect == len(b.Ops) && changes(o) {
			c.effect = i
		}
	}
	return c
}

// stencilOf returns nil for a block that is none, or not worth it.
func stencilOf(b *ir.Block) *stencil {
	c := newStencil(b)
	conds := map[*ir.Value]bool{}
	for _, o := range b.Ops {
		if o.Code == ir.OpIf && Fails(o.Regions[1]) && !Fails(o.Regions[0]) && c.computable(o.Args[0]) {
			c.checks = append(c.checks, o)
			if !conds[o.Args[0]] {
				conds[o.Args[0]] = true
				c.conjuncts(o.Args[0])
			}
		}
	}
	if len(conds) < fewestChecks || !c.movable() || !c.gather() {
		return nil
	}
	return c
}

// changes reports whether o, or an op within it, writes what another may read.
func changes(o *ir.Op) bool {
	found := false
	unit.Within(o, func(o *ir.Op) bool {
		found = found || o.Effects().Writes&^(ir.Host|ir.Flow) != 0
		return !found
	})
	return found
}

// computable reports whether v is known before b, or can be computed at its start: by pure ops,
// and by loads before the first effect.
func (c *stencil) computable(v *ir.Value) bool {
	o := v.Def
	i, here := c.at[o]
	switch {
	case o == nil || !here:
		return true
	case o.Code == ir.OpLoad && i < c.effect && o.Effects().Reads&ir.Place != 0:
	case !o.Code.Is(ir.Pure) || len(o.Regions) > 0 || o.Code == ir.OpCall:
		return false
	}
	able, visited := c.able[o]
	if !visited {
		able = !slices.ContainsFunc(o.Args, func(a *ir.Value) bool { return !c.computable(a) })
		c.able[o] = able
	}
	return able
}

// movable reports whether nothing in b leaves it but its end, so that it can be one side of an if,
// and whether all it uses from outside may be handed over: the address of a local array would
// keep that in memory.
func (c *stencil) movable() bool {
	ok := true
	last := len(c.b.Ops) - 1
	inside := map[*ir.Value]bool{}
	for i, o := range c.b.Ops {
		unit.Within(o, func(o *ir.Op) bool {
			for _, v := range o.Results {
				inside[v] = true
			}
			for _, v := range o.Args {
				ok = ok && (inside[v] || v.Def == nil || v.Def.Code != ir.OpAlloc)
			}
			leaves := o.Code == ir.OpBreak || o.Code == ir.OpContinue || o.Code == ir.OpReturn
			ok = ok && !o.Code.Is(ir.Loop) && (!leaves || i == last)
			return ok
		})
	}
	return ok && last >= 0
}

// gather finds what the question needs and what has to be kept. It reports whether the accesses behind
// the checks go by what is kept.
func (c *stencil) gather() bool {
	if !c.compare() {
		return false
	}
	for _, r := range c.Reaches {
		if c.fromMemory(r.index) && !slices.Contains(c.kept, r.index) {
			c.kept = append(c.kept, r.index)
		}
	}
	ok := len(c.kept) > 0 && len(c.kept) <= MostKept // the others are the business of predicate
	for _, check := range c.checks {
		ir.Visit(check.Regions[0], func(o *ir.Op) bool {
			switch o.Code {
			case ir.OpLoad, ir.OpStore, ir.OpAtomic:
				ok = ok && !c.fromMemory(o.Args[0])
			case ir.OpLookup:
				ok = ok && !slices.ContainsFunc(o.Args, c.fromMemory)
			default:
				ok = ok && (o.Code.Is(ir.Pure) || o.Code == ir.OpYield || o.Code == ir.OpIf)
			}
			return ok
		})
	}
	return ok
}

// fromMemory reports whether v is computed from a load that may be repeated with another outcome,
// and not from an index that is kept.
func (c *stencil) fromMemory(v *ir.Value) bool {
	o := v.Def
	if o == nil || !c.inside[o] || slices.Contains(c.kept, v) {
		return false
	}
	if !o.Code.Is(ir.Pure) || len(o.Regions) > 0 {
		return true
	}
	return slices.ContainsFunc(o.Args, c.fromMemory)
}
