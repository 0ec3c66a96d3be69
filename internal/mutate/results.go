package main

import (
	"cmp"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
)

// A result is a line of the file of results: what was tried and what came of it.
// Its first field is a word for people to change where they know better: found,
// survives, unreached, equivalent.
type result struct {
	verdict, key, change, note string
}

func (r result) String() string {
	return strings.TrimRight(strings.Join([]string{r.verdict, r.key, r.change, r.note}, "\t"), "\t")
}

// readResults returns the results of earlier runs; a file that is not there has none.
func readResults(name string) ([]result, error) {
	if name == "" {
		return nil, nil
	}
	text, err := os.ReadFile(name)
	if os.IsNotExist(err) {
		return nil, nil
	}
	var all []result
	for line := range strings.Lines(string(text)) {
		f := append(strings.Split(strings.TrimSpace(line), "\t"), "", "", "")
		if !strings.HasPrefix(line, "#") && f[0] != "" {
			all = append(all, result{f[0], f[1], f[2], f[3]})
		}
	}
	return all, err
}

// setResult puts a result into the file, instead of an earlier one of the same
// mutant. The results are sorted.
func setResult(name string, r result) error {
	if name == "" {
		return nil
	}
	all, err := readResults(name)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(o result) bool { return o.id() == r.id() })
	all = append(all, r)
	slices.SortFunc(all, func(a, b result) int { return cmp.Compare(a.id(), b.id()) })
	var w strings.Builder
	w.WriteString(resultsHead)
	for _, r := range all {
		fmt.Fprintln(&w, r)
	}
	return os.WriteFile(name, []byte(w.String()), 0o644)
}

const resultsHead = `# What came of each mutant that was tried: found by which test, or equivalent, with the
# reason, or neither. Written by internal/mutate; "equivalent" is written by people.
`

// id identifies a mutant.
func (r result) id() string { return r.key + "\t" + r.change }

// A filter says which mutants are tried, by what is known of them and of their units.
type filter func(*site) bool

// in narrows a filter to the units that match a pattern.
func (f filter) in(pattern *regexp.Regexp) filter {
	return func(s *site) bool { return f(s) && pattern.MatchString(s.key()) }
}

// missing are the mutants not tried yet of units of which none has been found.
func missing(all []result) filter {
	done := map[string]bool{}
	for _, r := range all {
		done[r.id()] = true
		if r.verdict == "found" {
			done[r.key] = true
		}
	}
	return func(s *site) bool { return !done[s.key()] && !done[s.key()+"\t"+s.change()] }
}

// fresh are the mutants not tried yet.
func fresh(all []result) filter {
	done := map[string]bool{}
	for _, r := range all {
		done[r.id()] = true
	}
	return func(s *site) bool { return !done[s.key()+"\t"+s.change()] }
}

// unnoticed are the mutants that no test has noticed.
func unnoticed(all []result) filter {
	m := map[string]bool{}
	for _, r := range all {
		if r.verdict == "survives" || r.verdict == "unreached" {
			m[r.id()] = true
		}
	}
	return func(s *site) bool { return m[s.key()+"\t"+s.change()] }
}

// cover prints which units of packages have no mutant in the results, and of which
// none has been found.
func cover(pkgs []string, results []result) error {
	tried, found, count := map[string]bool{}, map[string]bool{}, map[string]int{}
	for _, r := range results {
		tried[r.key] = true
		count[r.verdict]++
		if r.verdict == "found" {
			found[r.key] = true
		}
	}
	for _, path := range pkgs {
		path, _, _ = strings.Cut(path, "=")
		p, err := load(path)
		if err != nil {
			return err
		}
		possible := map[string]bool{}
		for _, s := range p.sites() {
			possible[s.key()] = true
		}
		units, triedHere, foundHere := p.units(), 0, 0
		for _, u := range units {
			switch key := u.key(); {
			case found[key]:
				triedHere++
				foundHere++
			case tried[key]:
				triedHere++
				fmt.Printf("%s\tnone found\n", key)
			case possible[key]:
				fmt.Printf("%s\tnone tried\n", key)
			default:
				fmt.Printf("%s\thas no mutant\n", key)
			}
		}
		fmt.Printf("# %s: of %d units, %d have a mutant that was tried, %d one that was found\n", path, len(units), triedHere, foundHere)
	}
	for _, v := range []string{"found", "equivalent", "survives", "unreached"} {
		fmt.Printf("# %s: %d\n", v, count[v])
	}
	return nil
}
