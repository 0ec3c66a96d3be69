package main

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"path/filepath"
	"slices"
)

// A choice is a number of mutants of each unit and file, at most. Those that are hard
// to notice come first, the others in an order that looks random and depends on nothing
// but the seed and the code.
type choice struct {
	perUnit, perFile int
	seed             uint64
}

func (c choice) choose(all []*site) []*site {
	order := func(s *site) uint64 {
		h := fnv.New64a()
		fmt.Fprint(h, c.seed, filepath.Base(s.file), s.unit, s.from, s.new)
		return h.Sum64()
	}
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b *site) int { return cmp.Or(a.rank-b.rank, cmp.Compare(order(a), order(b))) })
	inUnit, inFile := map[string]int{}, map[string]int{}
	var chosen []*site
	for _, s := range all {
		overlap := slices.ContainsFunc(chosen, func(o *site) bool { return o.file == s.file && o.from < s.to && s.from < o.to })
		if overlap || inUnit[s.key()] >= c.perUnit || inFile[s.file] >= c.perFile {
			continue
		}
		inUnit[s.key()]++
		inFile[s.file]++
		chosen = append(chosen, s)
	}
	slices.SortFunc(chosen, func(a, b *site) int { return cmp.Or(cmp.Compare(a.file, b.file), a.from-b.from) })
	return chosen
}
