package check

import (
	"regexp"
	"slices"
	"strconv"

	"github.com/gotaichi/ti/internal/syntax"
)

// This file checks fields whose number of axes is left to the host. As long as it is
// not known, nothing is said of p in `for p := range X`, and so of X[p].foo. What no
// number of axes allows is an error all the same: the source is checked with each of
// them in turn.

// maxOpenChecks limits how often a source is checked for its open ranks.
const maxOpenChecks = 200

// ranks are assumed numbers of axes, by the names of fields and of parameters (see
// openRank).
type ranks map[string]int

// openRank returns the number of axes of a field of declared rank -1: what is assumed
// for it, if anything. The name is a path, or that of a parameter behind its function's.
func (c *checker) openRank(name string) int {
	if !slices.Contains(c.open, name) {
		c.open = append(c.open, name)
	}
	if r, ok := c.ranks[name]; ok {
		return r
	}
	return -1
}

// Mistakes returns the errors of a source that can be found without binding it.
func Mistakes(files []*syntax.File) syntax.ErrorList {
	if len(files) == 0 {
		return nil
	}
	p, errs := Declare(files)
	more, open := p.withRanks(nil)
	errs = append(errs, more...).Sort()
	return append(errs, p.openErrors(errs, open)...).Sort()
}

// withRanks checks the package without a host, and returns the fields whose rank is
// open.
func (p *Package) withRanks(assumed ranks) (syntax.ErrorList, []string) {
	c := newChecker(p, nil)
	c.ranks = assumed
	c.check()
	return c.errs.Sort(), c.open
}

// openErrors returns the errors that each field of open rank has with every number of
// axes, while the others stay open.
func (p *Package) openErrors(known syntax.ErrorList, open []string) syntax.ErrorList {
	if len(open) == 0 || p.fitTogether(known, open) {
		return nil
	}
	var out syntax.ErrorList
	checks := 0
	for _, name := range open {
		var all []syntax.ErrorList
		for _, rank := range []int{1, 2, 3, 4, 5, 6, 7, 8, 0} {
			if checks++; checks > maxOpenChecks {
				return out
			}
			list, _ := p.withRanks(ranks{name: rank})
			if list = without(list, known); len(list) == 0 {
				all = nil
				break
			}
			all = append(all, list)
		}
		out = append(out, commonErrors(name, all)...)
	}
	return out
}

// indexCount matches the text of the error about the number of indices.
var indexCount = regexp.MustCompile(`^(\S+) has \d+ ax[ei]s, and this gives (\d)$`)

// fitTogether tries a few ranks for all open fields at once. Where these leave no error,
// none needs to be tried for itself.
func (p *Package) fitTogether(known syntax.ErrorList, open []string) bool {
	assumed := ranks{}
	for _, name := range open {
		assumed[name] = 1
	}
	for range 3 {
		list, _ := p.withRanks(assumed)
		if list = without(list, known); len(list) == 0 {
			return true
		}
		for _, e := range list {
			m := indexCount.FindStringSubmatch(e.Msg)
			if e.Code != syntax.IndexCount || m == nil {
				continue
			}
			if _, ok := assumed[m[1]]; ok {
				assumed[m[1]], _ = strconv.Atoi(m[2])
			}
		}
	}
	return false
}

// without returns the errors of a list that are not known.
func without(list, known syntax.ErrorList) syntax.ErrorList {
	var out syntax.ErrorList
	for _, e := range list {
		if !slices.ContainsFunc(known, func(k *syntax.Error) bool { return k.Pos == e.Pos && k.Code == e.Code }) {
			out = append(out, e)
		}
	}
	return out
}

// aboutRank reports whether an error is one of the number of axes itself.
func aboutRank(e *syntax.Error) bool {
	switch e.Code {
	case syntax.IndexCount, syntax.IndexType, syntax.RangeVarCount, syntax.FieldAsValue, syntax.NotIndexable:
		return true
	}
	return false
}

// unfitness tells the ranks apart that were hardly meant.
func unfitness(list syntax.ErrorList) (n int) {
	for _, e := range list {
		n++
		if aboutRank(e) {
			n++
		}
	}
	return n
}

// commonErrors returns the errors that a field has whatever its rank, given those with
// each rank: those at a place that all ranks from 1 have, or else those with the rank that
// was meant, to all appearance.
func commonErrors(name string, all []syntax.ErrorList) (out syntax.ErrorList) {
	if len(all) == 0 {
		return nil
	}
	last := len(all) - 1 // rank 0, of a single cell, mostly has errors of its own
	for _, e := range all[0] {
		everywhere := !slices.ContainsFunc(all[:last], func(l syntax.ErrorList) bool {
			return !slices.ContainsFunc(l, func(o *syntax.Error) bool { return o.Pos == e.Pos })
		})
		if everywhere && !aboutRank(e) {
			out = append(out, e)
		}
	}
	if len(out) > 0 {
		return out
	}
	fewest := slices.MinFunc(all, func(a, b syntax.ErrorList) int { return unfitness(a) - unfitness(b) })
	for _, e := range fewest {
		e.Msg += "; the number of axes of " + name + " is open, and none fits all its uses"
	}
	return fewest
}
