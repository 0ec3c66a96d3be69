package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
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
	perFunc := flag.Int("func", 1, "mutants of each function at most")
	perFile := flag.Int("file", 4, "mutants of each file at most, where a package has no number")
	seed := flag.Uint64("seed", 1, "chooses the mutants")
	out := flag.String("o", "out/mutate", "directory of the binaries and the report")
	from := flag.Int("from", 1, "number of the first mutant that is tried")
	list := flag.Bool("list", false, "build and list the mutants, try none")
	stages := flag.String("stages", "", "file of the stages of tests, one a line: package, then flags of the test")
	flag.Parse()
	dir, err := filepath.Abs(*out)
	check(err)
	check(os.MkdirAll(dir, 0o755))
	sites, err := instrument(flag.Args(), choice{*perFunc, *perFile, *seed}, dir)
	check(err)
	for _, s := range sites {
		fmt.Printf("%d\t%s\n", s.number, s)
	}
	if *list {
		return
	}
	text, err := os.ReadFile(*stages)
	check(err)
	r := &runner{dir: dir, binaries: map[string]string{}}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) > 0 && !strings.HasPrefix(f[0], "#") {
			r.stages = append(r.stages, stage{pkg: f[0], flags: f[1:]})
		}
	}
	check(r.build())
	check(r.trace())
	r.try(sites, *from)
}

// instrument writes the packages with all their mutants below dir, and the overlay
// by which go test takes them instead of the sources.
func instrument(pkgs []string, c choice, dir string) ([]*site, error) {
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
		chosen := c.choose(p.sites())
		for {
			texts := p.rewrite(chosen, len(sites)+1)
			bad, err := p.recheck(texts)
			if err != nil {
				return nil, err
			}
			if len(bad) > 0 {
				chosen = without(chosen, bad)
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

func without(sites []*site, bad map[int]bool) []*site {
	var kept []*site
	for _, s := range sites {
		if !bad[s.number] {
			kept = append(kept, s)
		}
	}
	return kept
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
