package driver_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/driver"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/oracle"
)

// compareLimited does the same to trees that have little memory and to the oracle. A step
// that finds no memory must leave the trees in order: what was active still is, unless
// the step makes cells inactive, and all ways to ask agree. The oracle goes on from there.
func compareLimited(t *testing.T, rng *rand.Rand, p *plot, src string, steps []plotStep, v plotVariant) {
	t.Helper()
	host, _ := p.bound()
	want := newOracleWorld(p, plotProgram(t, src, &host), driver.Options{Options: option.Options{Verify: true}})
	v.memory = 16 << 10 << rng.IntN(6)
	for _, tree := range p.trees {
		v.memory += tree.Bytes()
	}
	got, err := newAPIWorld(t, p, src, v)
	for ; errors.Is(err, ti.ErrMemory); got, err = newAPIWorld(t, p, src, v) { // not even for tables
		v.memory *= 2
	}
	if err != nil {
		t.Fatal(err)
	}
	l := &limited{p: p, want: want, got: got}
	fits := l.fresh(rng)
	for i, s := range steps {
		if launched, is := strings.CutSuffix(strings.SplitAfter(s.name, "(")[0], "("); is {
			s.keep = !removes(src, launched)
		}
		if plots.Alone() {
			t.Logf("%s", s.name)
		}
		err := l.step(s)
		if errors.Is(err, oracle.ErrSteps) {
			break
		}
		if err != nil {
			t.Fatalf("%+v, step %d, %s: %v\n%s\n%s", v, i, s.name, err, p, src)
		}
	}
	if err := l.again(fits); err != nil {
		t.Fatalf("%+v, at the end: %v\n%s\n%s", v, err, p, src)
	}

}

// removes reports whether a kernel of a source makes cells inactive.
func removes(src, kernel string) bool {
	_, body, _ := strings.Cut(src, "\nfunc "+kernel+"(")
	body, _, _ = strings.Cut(body, "\n}\n")
	return strings.Contains(body, "deactivate(") || strings.Contains(body, "clear(")
}

// limited is a world with little memory, and what must be in it.
type limited struct {
	p    *plot
	want *oracleWorld
	got  *apiWorld
	runs int // steps that found no memory
}

// step does a step, and reports what is wrong then.
func (l *limited) step(s plotStep) error {
	before, err := l.p.snapshot(l.want, false)
	if err != nil {
		return err
	}
	said, failed, err := s.do(l.got)
	if errors.Is(err, ti.ErrMemory) {
		l.runs++
		return l.failed(s, before)
	}
	if err != nil {
		return err
	}
	saidToo, failedToo, err := s.do(l.want)
	if err != nil {
		return err
	}
	err = l.got.check()
	if errors.Is(err, ti.ErrMemory) { // for parts of lists that only who visits them needs
		return l.failed(s, before)
	}
	if err != nil {
		return fmt.Errorf("afterwards: %w", err)
	}
	state, err := l.p.snapshot(l.got, true)
	if err != nil {
		return fmt.Errorf("afterwards: %w", err)
	}
	stateToo, err := l.p.snapshot(l.want, false)
	if err != nil {
		return err
	}
	if diff := (outcome{said + state, failed}).differ(outcome{saidToo + stateToo, failedToo}); diff != "" {
		return errors.New(diff)
	}
	return nil
}

// failed looks at the world after a step that has found no memory.
func (l *limited) failed(s plotStep, before string) error {
	emptied, err := l.adopt()
	if err != nil {
		return fmt.Errorf("after a failure: %w", err)
	}
	if err := l.got.check(); err != nil {
		return fmt.Errorf("after a failure: %w", err)
	}
	after, err := l.p.snapshot(l.got, true)
	if err != nil {
		return fmt.Errorf("after a failure: %w", err)
	}
	if strings.HasPrefix(s.name, "reading") && after != before {
		return fmt.Errorf("a tree could not be read and is another now: %s", differ(after, before))
	}
	if !s.keep {
		return nil
	}
	now := map[string]bool{}
	for line := range strings.Lines(after) {
		now[line] = true
	}
	for line := range strings.Lines(before) {
		if strings.Contains(line, " is active") && !now[line] && !emptied {
			return fmt.Errorf("there is no memory, and of what was there is missing: %s", line)
		}
	}
	return nil
}

// adopt makes the oracle's trees what those with little memory are. Lists that lack parts
// for which there is no memory are emptied.
func (l *limited) adopt() (emptied bool, err error) {
	for tree := range l.p.trees {
		if l.got.gone[tree] {
			continue
		}
		state, err := stateOf(l.got, l.p, tree)
		if errors.Is(err, ti.ErrMemory) {
			emptied = true
			for _, n := range l.p.nodes {
				if n.kind == layout.Dynamic && n.tree == tree {
					l.got.empty(n)
				}
			}
			state, err = stateOf(l.got, l.p, tree)
		}
		if err != nil {
			return emptied, err
		}
		if err := l.want.restore(tree, state); err != nil {
			return emptied, err
		}
	}
	return emptied, nil
}

// fresh writes an element of each field of fresh trees, returns where that worked, and
// empties them.
func (l *limited) fresh(rng *rand.Rand) map[*plotField][]int {
	fits := map[*plotField][]int{}
	for _, f := range l.p.fields {
		idx := f.node.somewhere(rng)
		if caught(func() error { l.got.store(f, idx, 0, 1); return nil }) == nil {
			fits[f] = idx
		}
	}
	l.clear()
	return fits
}

func (l *limited) clear() {
	for i, t := range l.got.trees {
		if !l.got.gone[i] {
			t.Clear()
		}
	}
}

// again does what worked on fresh trees.
func (l *limited) again(fits map[*plotField][]int) error {
	l.clear()
	for _, f := range l.p.fields {
		if idx := fits[f]; idx != nil && !l.got.gone[f.node.tree] {
			if err := caught(func() error { l.got.store(f, idx, 0, 1); return nil }); err != nil {
				return fmt.Errorf("%s%v was written when the trees were fresh: %w", f.name, idx, err)
			}
		}
	}
	return nil
}
