package runtest

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

// TestTurns: each case has the oracle in two layouts, debug mode once on it and once compiled, and
// optimised code for one thread and for several, checked and unchecked; two that follow each other have each layout of dense trees, and forty have all variants.
func TestTurns(t *testing.T) {
	all := Variants()
	labels := map[string]bool{}
	for i := range 40 {
		has := map[any]bool{}
		for _, v := range slices.Concat(TakeTurns(all, i), TakeTurns(all, i+1)) {
			labels[v.Label] = true
			if v.Arch == ti.LLVM && !v.Layout.Sparse() && !v.Debug {
				has[v.Layout] = true
			}
		}
		turns := map[string]int{}
		for _, v := range TakeTurns(all, i) {
			if !v.Layout.Sparse() && (v.Debug || v.Arch == ti.Oracle) {
				turns[fmt.Sprintf("%v, debug %t", v.Arch, v.Debug)]++
			}
			if v.Opt == "3" && !v.Layout.Sparse() && !v.Debug {
				has[v.Threads], has[v.Unchecked] = true, true
			}
		}
		for _, c := range []any{Flat, Blocked, AtLaunch, 1, 3, true, false} {
			if !has[c] && !testing.Short() {
				t.Errorf("case %d has no variant with %v", i, c)
			}
		}
		if want := map[string]int{"oracle, debug false": 2, "oracle, debug true": 1, "llvm, debug true": 1}; !maps.Equal(turns, want) && !testing.Short() && !AllVariants() {
			t.Errorf("case %d has %v, want %v", i, turns, want)
		}
		if !has[SOA] && !has[BlockedAtLaunch] && !testing.Short() {
			t.Errorf("case %d and the next have neither components apart nor blocks with extents at launch", i)
		}
	}
	for _, v := range all {
		if !labels[v.Label] {
			t.Errorf("no case has the variant %s", v.Label)
		}
	}
	if len(labels) != len(all) {
		t.Errorf("%d variants have %d labels", len(all), len(labels))
	}
}

// TestSame compares values.
func TestSame(t *testing.T) {
	type pair struct {
		A int32
		B float32
	}
	type other pair
	next := math.Nextafter32(1, 2)
	for _, c := range []struct {
		got, want any
		ulps      int
		same      bool
	}{
		{int32(3), int32(3), 0, true},
		{int32(3), int32(4), 9, false},
		{float32(1), next, 0, false},
		{float32(1), next, 1, true},
		{math.NaN(), math.NaN(), 0, true},
		{math.NaN(), 1.0, 9, false},
		{math.Inf(1), math.MaxFloat64, 9, false},
		{0.0, math.Copysign(0, -1), 0, true},
		{[]float32{1, 2}, []float32{1, 2}, 0, true},
		{[]float32{1, 2}, []float32{1}, 0, false},
		{pair{1, 2}, other{1, 2}, 0, true},
		{pair{1, 2}, other{1, 3}, 0, false},
		{Half(1), Half(1 + 0x1p-10), 0, false},
		{Half(1), Half(1 + 0x1p-10), 1, true},
	} {
		if got := Same(reflect.ValueOf(c.got), reflect.ValueOf(c.want), c.ulps); got != c.same {
			t.Errorf("%v and %v, within %d: %t", c.got, c.want, c.ulps, got)
		}
	}
}

// TestJudgedTrees: launches of the oracle variant are compared with those on typed trees.
func TestJudgedTrees(t *testing.T) {
	RunIn(t, &Runtimes{}, []Variant{OracleVariant}, func(r *Run) {
		p := r.Load("package p\nfunc F(n i32) i32 { return n + 1 }", nil)
		if _, err := p.Kernel("F").Launch(r.Context(), int32(3)); err != nil {
			r.Error(err)
		}
		if j := titest.JudgeTrees(r.RT); j.Judged != 1 || len(j.Uncovered) > 0 {
			r.Errorf("the judge has %+v", *j)
		}
	})
}
