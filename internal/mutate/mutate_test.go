package main

import "testing"

// Every mutant that is chosen can be compiled, and two choices with one seed agree.
func TestRewrite(t *testing.T) {
	p, err := load("github.com/gotaichi/ti/internal/half")
	if err != nil {
		t.Fatal(err)
	}
	c := choice{perUnit: 3, perFile: 100, seed: 1}
	all := p.sites()
	var chosen []*site
	for {
		chosen = c.choose(all)
		bad, err := p.recheck(p.rewrite(chosen, 1))
		if err != nil {
			t.Fatal(err)
		}
		if len(bad) == 0 {
			break
		}
		all = without(all, bad)
	}
	if len(chosen) < 5 {
		t.Errorf("%d mutants", len(chosen))
	}
	again := c.choose(p.sites())
	for i, s := range c.choose(p.sites()) {
		if s.String() != again[i].String() || s.old == s.new {
			t.Errorf("%v, then %v", s, again[i])
		}
	}
}
