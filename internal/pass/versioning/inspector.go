package versioning

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/pass/note"
	"github.com/gotaichi/ti/internal/pass/unit"
)

// fewestChecks is the number of index checks in an iteration from which on an inspector pays.
const fewestChecks = 4

// MostKept is the largest number of indices of an iteration that an inspector stores in arrays.
const MostKept = 8

// Inspector tests all index checks of a strip of iterations before the first of them, instead of testing at each access. It is for
// loops such as one over particles, each of which uses the 3×3 nodes around it.
//
// Input: a task with addresses, whose checks are ifs with a fail. Output: the same. A task with several checks whose conditions can be
// computed before the first effect of an iteration runs in strips of its innermost dim, each of them
//
//	%outside = for the strip { test the indices, and store them in a local array }
//	if seldom %outside { for the strip { the body } } else { for the strip { the body without these checks } }
//
// The first loop is the inspector, the last one the executor. Checks of one index at several constant distances become one check of
// the lowest and the highest: 0 ≤ i+c < n for all c is i+least < n-(most-least) in unsigned numbers, also if i+c wraps. The
// executor loads the tested indices from the array instead of computing them again: in a program with a race, their operands may have
// changed since, and no access may leave its field. The loop with all checks runs rarely, and reports which access failed; the back
// end places it out of line.
//
// Combining checks is the elimination of Gupta, "Optimizing Array Bound Checks Using Flow Analysis", ACM LOPLAS 2(1–4), 1993. The
// version with checks keeps the promise that, if an access fails, the other accesses of its iteration take place. Inspectors and
// executors are from Saltz, Mirchandaney and Crowley, "Run-Time Parallelization and Scheduling of Loops", IEEE Transactions on
// Computers 40(5), 1991.
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

// InspectorSuffices reports whether the executor that Inspector makes has no checks left.
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

// A stencil is a body whose checks an inspector can make.
type stencil struct {
	*Question
	inside map[*ir.Op]bool // the ops of the body and of their regions
	effect int             // position of the first op whose effect others may read
	able   map[*ir.Op]bool // results of computable, so that it visits each op once
	kept   []*ir.Value     // indices that the inspector stores, since they are computed from memory
}

// newStencil returns the stencil of a block, without checks yet.
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

// stencilOf returns the stencil of a block; nil if an inspector is not possible or does not pay.
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

// changes reports whether o, or an op in its regions, writes memory that others may read.
func changes(o *ir.Op) bool {
	found := false
	unit.Within(o, func(o *ir.Op) bool {
		found = found || o.Effects().Writes&^(ir.Host|ir.Flow|ir.Counters) != 0
		return !found
	})
	return found
}

// computable reports whether v is defined before b, or can be computed at its start: by pure ops, and by loads before the first
// effect.
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

// movable reports whether b can be moved into a region of an if: only its last op leaves it, and it uses no address of a local array
// from outside, which would keep that array in memory.
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

// gather finds the ops that the inspector needs and the indices that it must store. It reports whether the accesses behind the checks
// use only stored indices.
func (c *stencil) gather() bool {
	if !c.compare() {
		return false
	}
	for _, r := range c.Reaches {
		if c.fromMemory(r.index) && !slices.Contains(c.kept, r.index) {
			c.kept = append(c.kept, r.index)
		}
	}
	ok := len(c.kept) > 0 && len(c.kept) <= MostKept // predication handles checks without such indices
	for _, check := range c.checks {
		ir.Visit(check.Regions[0], func(o *ir.Op) bool {
			switch o.Code {
			case ir.OpLoad, ir.OpStore, ir.OpAtomic:
				ok = ok && !c.fromMemory(o.Args[0])
			case ir.OpLookup:
				ok = ok && !slices.ContainsFunc(o.Args, c.fromMemory)
			default:
				ok = ok && (o.Code.Is(ir.Pure) || o.Code == ir.OpYield || o.Code == ir.OpIf || o.Code == ir.OpTally)
			}
			return ok
		})
	}
	return ok
}

// fromMemory reports whether v is computed from a load that may give another value if repeated, and not only from stored indices.
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
