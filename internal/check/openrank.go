package check

import (
	"regexp"
	"slices"
	"strconv"

	"github.com/gotaichi/ti/internal/syntax"
)

// This file checks fields whose rank, the number of axes, is decided by the host. While
// it is unknown, the type of p in `for p := range X` is unknown too, and mistakes such as
// X[p].foo go unnoticed. To find mistakes that are wrong with every rank, the source is
// checked with each rank in turn.

// maxOpenChecks limits how often a source is checked to find such mistakes.
const maxOpenChecks = 200

// ranks are assumed numbers of axes, by the names of fields and of parameters (see
// openRank).
type ranks map[string]int

// openRank returns the rank that is assumed for a field without a declared one, -1 for
// none. The name is the path of a field, or function.parameter.
func (c *checker) openRank(name string) int {
	if !slices.Contains(c.open, name) {
		c.open = append(c.open, name)
	}
	if r, ok := c.ranks[name]; ok {
		return r
	}
	return -1
}

// Mistakes returns the errors of a package, given by its files, that can be found without
// a host. They are sorted by position.
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
	c := newChecker(p, nil, p.widths)
	c.ranks = assumed
	c.check()
	return c.errs.Sort(), c.open
}

// openErrors returns the errors that remain with every rank of some open field, while the
// ranks of the other fields stay open. Known has the errors that do not depend on ranks.
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

// indexCount matches the message of IndexCount: the field, and the number of indices.
var indexCount = regexp.MustCompile(`^(\S+) has \d+ ax[ei]s, and this gives (\d)$`)

// fitTogether looks for ranks of all open fields that leave no error. If it finds some, no
// field needs a check of its own. It starts with 1 and then takes the number of indices
// that the errors name.
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

// aboutRank reports whether an error may be caused by a wrong rank alone.
func aboutRank(e *syntax.Error) bool {
	switch e.Code {
	case syntax.IndexCount, syntax.IndexType, syntax.RangeVarCount, syntax.FieldAsValue, syntax.NotIndexable:
		return true
	}
	return false
}

// unfitness ranks lists of errors: the rank with the least was most likely meant. Errors
// about the rank itself count twice.
func unfitness(list syntax.ErrorList) (n int) {
	for _, e := range list {
		n++
		if aboutRank(e) {
			n++
		}
	}
	return n
}

// commonErrors returns the errors of a field that has errors with every rank, given the
// lists for each rank. These are the errors at positions where every rank from 1 on has
// one. If there are none, it returns the list of the rank that was most likely meant.
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
