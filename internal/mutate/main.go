package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

func main() {
	check := func(err error) {
		if err != nil {
			fmt.Fprintln(os.Stderr, "mutate:", err)
			os.Exit(1)
		}
	}
	perUnit := flag.Int("unit", 1, "mutants of each function or rule at most")
	perFile := flag.Int("file", 4, "mutants of each file at most, where a package has no number")
	seed := flag.Uint64("seed", 1, "chooses the mutants")
	out := flag.String("o", "out/_mutate", "directory of the binaries and the report")
	from := flag.Int("from", 1, "number of the first mutant that is tried")
	list := flag.Bool("list", false, "build and list the mutants, try none")
	stages := flag.String("stages", "", "file of the stages of tests, one a line: package, then flags of the test; an empty line parts groups")
	results := flag.String("results", "", "file of results, to which those of this run are added")
	another := flag.Bool("missing", false, "try other mutants of the units of which none has been found")
	untried := flag.Bool("untried", false, "try mutants that have not been tried, also of units of which one has been found")
	again := flag.Bool("again", false, "try the mutants of the file of results again that nothing has noticed")
	covered := flag.Bool("cover", false, "list the units of which the file of results has no mutant that was found, try none")
	only := flag.String("only", "", "regular expression: the units that are tried, such as autodiff/(gather|shift).go")
	each := flag.Bool("each", false, "make a stage of each test of the stages")
	workers := flag.Int("j", 1, "mutants tried at once")
	limit := flag.Duration("limit", 0, "time of the tests that a mutant meets at most; 0 for all")
	flag.Parse()
	pattern, err := regexp.Compile(*only)
	check(err)
	known, err := readResults(*results)
	check(err)
	if *covered {
		check(cover(flag.Args(), known))
		return
	}
	which := filter(func(*site) bool { return true })
	switch {
	case *another:
		which = missing(known)
	case *untried:
		which = fresh(known)
	case *again:
		which = unnoticed(known)
	}
	which = which.in(pattern)
	dir, err := filepath.Abs(*out)
	check(err)
	check(os.MkdirAll(dir, 0o755))
	sites, err := instrument(flag.Args(), choice{*perUnit, *perFile, *seed}, which, dir)
	check(err)
	for _, s := range sites {
		fmt.Printf("%d\t%s\n", s.number, s)
	}
	if *list {
		return
	}
	text, err := os.ReadFile(*stages)
	check(err)
	r := &runner{dir: dir, binaries: map[string]string{}, results: *results, workers: *workers, limit: *limit}
	group := 0
	for line := range strings.Lines(string(text)) {
		switch f := strings.Fields(line); {
		case len(f) == 0:
			group++
		case !strings.HasPrefix(f[0], "#"):
			r.stages = append(r.stages, stage{pkg: f[0], flags: f[1:], group: group})
		}
	}
	check(r.build())
	if *each {
		check(r.divide())
	}
	r.trace()
	check(r.try(sites, *from))
}

// instrument writes the packages with all their mutants below dir, and the overlay
// by which go test takes them instead of the sources. Only mutants of which are taken.
func instrument(pkgs []string, c choice, which filter, dir string) ([]*site, error) {
	var sites []*site
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	for _, path := range pkgs {
		c := c
		if at, n, ok := strings.Cut(path, "="); ok {
			path = at
			c.perFile, _ = strconv.Atoi(n)
		}
		p, err := load(path)
		if err != nil {
			return nil, err
		}
		all := slices.DeleteFunc(p.sites(), func(s *site) bool { return !which(s) })
		var chosen []*site
		for {
			chosen = c.choose(all)
			texts := p.rewrite(chosen, len(sites)+1)
			bad, err := p.recheck(texts)
			if err != nil {
				return nil, err
			}
			if len(bad) > 0 {
				all = without(all, bad)
				continue
			}
			for name, text := range texts {
				to := filepath.Join(dir, strings.ReplaceAll(strings.TrimPrefix(name, "/"), "/", "_"))
				if err := os.WriteFile(to, []byte(text), 0o644); err != nil {
					return nil, err
				}
				overlay.Replace[name] = to
			}
			break
		}
		sites = append(sites, chosen...)
	}
	text, err := json.Marshal(overlay)
	if err != nil {
		return nil, err
	}
	return sites, os.WriteFile(filepath.Join(dir, "overlay.json"), text, 0o644)
}

// without returns the sites but for those that cannot be compiled.
func without(sites []*site, bad map[*site]bool) []*site {
	return slices.DeleteFunc(slices.Clone(sites), func(s *site) bool { return bad[s] })
}

// run is a command with its output in an error that it ends with.
func run(name string, args ...string) ([]byte, error) {
	cmd := exec.Command(name, args...)
	var problem strings.Builder
	cmd.Stderr = &problem
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, problem.String())
	}
	return text, nil
}
