package pass

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/pass/passtest"
)

// deadStoreRows are the loops and serial code of launches, one after the other, as in launchPairs: "over @X: …" is a loop, and anything else
// serial code. Writes is how many stores and atomics to fields are left, and loops how many loops. Each row fails if the condition that
// it names is dropped.
var deadStoreRows = []struct {
	name          string
	launches      []string
	writes, loops int
	deterministic bool
}{
	{name: "the last store stays", launches: []string{"over @X: w @X %i"}, writes: 1, loops: 1},
	{name: "overwritten", launches: []string{"over @X: w @X %i", "over @S: w @S %i", "over @X: w @X %i"}, writes: 2, loops: 2},
	{name: "overwritten by the range", launches: []string{"over @X: w @X %i", "0 8: w @X %i"}, writes: 1, loops: 1},
	{name: "overwritten in part", launches: []string{"over @X: w @X %i", "0 7: w @X %i"}, writes: 2, loops: 2},
	{name: "overwritten at another index", launches: []string{"over @X: w @X %i", "over @X: w @X %7"}, writes: 2, loops: 2},
	{name: "another component", launches: []string{"over @X: w @X %i", "over @X: w @Y %i"}, writes: 2, loops: 2},
	{name: "read between", launches: []string{"over @X: w @X %i", "0 1: r @X %i as %a; w @Y %i of %a", "over @X: w @X %i"}, writes: 3, loops: 3},
	{name: "read by serial code between", launches: []string{"over @X: w @X %i", "r @X %7 as %u; w @T %0 of %u", "over @X: w @X %i"}, writes: 3, loops: 2},
	{name: "read where it is overwritten, before that", launches: []string{"over @X: w @X %i", "over @X: r @X %i as %a; w @Y %i of %a; w @X %i"}, writes: 3, loops: 2},
	{name: "read where it is overwritten, behind that", launches: []string{"over @X: w @X %i", "over @X: w @X %i; r @X %i as %a; w @Y %i of %a"}, writes: 2, loops: 1},
	{name: "a neighbour is read where it is overwritten", launches: []string{"over @X: w @X %i", "over @X: w @X %i; r @X %0 as %a; w @Y %i of %a"}, writes: 3, loops: 2},
	{name: "a read behind the store", launches: []string{"over @X: w @X %i; r @X %i as %a; w @Y %i of %a", "over @X: w @X %i"}, writes: 3, loops: 2},
	{name: "a read before the store", launches: []string{"over @X: r @X %i as %a; w @Y %i of %a; w @X %i", "over @X: w @X %i"}, writes: 2, loops: 2},
	{name: "a neighbour is read before the store", launches: []string{"0 7: add %j %i %1; r @X %j as %a; w @Y %i of %a; w @X %i", "over @X: w @X %i"}, writes: 3, loops: 2},
	{name: "updates", launches: []string{"over @X: r @X %i as %a; w @X %i of %a", "over @X: r @X %i as %a; w @X %i of %a", "over @X: w @X %i"}, writes: 1, loops: 1},
	{name: "sums", launches: []string{"over @X: s @X %0", "over @X: w @X %i"}, writes: 1, loops: 1},
	{name: "sums whose old values are used", launches: []string{"over @X: s @X %0; w @Y %i of %o", "over @X: w @X %i"}, writes: 3, loops: 2},
	{name: "updates whose old values are used", launches: []string{"over @X: s @X %i; w @Y %i of %o", "over @X: w @X %i"}, writes: 3, loops: 2},
	{name: "a store that may fail", launches: []string{"over @X: add %j %i %1; w @X %j", "over @X: w @X %i"}, writes: 2, loops: 2},
	{name: "a loop that may be too long", launches: []string{"over @X: w @X %i", "%n = add %p, %0 : i32; ^9: parfor 9 %0, %p, %0, %p, %0, %p { (%k: i32, %l: i32, %m: i32); w @T %0; continue ^9; }", "over @X: w @X %i"}, writes: 3, loops: 3},
	{name: "a loop over any range", launches: []string{"over @X: w @X %i", "0 p: w @T %0", "over @X: w @X %i"}, writes: 2, loops: 2},
	{name: "a cell that may be activated between", launches: []string{"over @X: w @X %i", "w @P %0", "over @X: w @X %i"}, writes: 3, loops: 2},
	{name: "cells that are listed between", launches: []string{"over @X: w @X %i", "over @P: w @Y %i", "over @X: w @X %i"}, writes: 3, loops: 3},
	{name: "copies that need memory between", launches: []string{"over @X: w @X %i", "over @S: n @I %0", "over @X: w @X %i"}, writes: 3, loops: 3, deterministic: true},
	{name: "sums between", launches: []string{"over @X: w @X %i", "over @S: n @I %0", "over @X: w @X %i"}, writes: 2, loops: 2},
	{name: "sparse fields", launches: []string{"over @P: w @P %i", "over @P: w @P %i"}, writes: 2, loops: 2},
	{name: "a condition around what overwrites", launches: []string{"over @X: w @X %i", "over @X: %b = lt %i, %7 : bool; if %b {; w @X %i; yield; } else {; yield; }"}, writes: 2, loops: 2},
	{name: "an iteration that may end before it overwrites", launches: []string{"over @X: w @X %i", "over @X: %b = lt %i, %7 : bool; if %b {; continue ^2; } else {; yield; }; w @X %i"}, writes: 2, loops: 2},
	{name: "a condition around what is overwritten", launches: []string{"over @X: %b = lt %i, %7 : bool; if %b {; w @X %i; yield; } else {; yield; }", "over @X: w @X %i"}, writes: 1, loops: 1},
	{name: "the only element", launches: []string{"w0 @C", "w0 @C"}, writes: 1},
	{name: "the only element, read between", launches: []string{"w0 @C", "r0 @C _ as %u; w @T %0 of %u", "w0 @C"}, writes: 3},
}

// TestDeadStores counts what is left of launches.
func TestDeadStores(t *testing.T) {
	for _, c := range deadStoreRows {
		var body, parts strings.Builder
		for i, l := range c.launches {
			fmt.Fprintf(&parts, "part A args %d key -1 loops %d\n", min(i, 1), i)
			if i > 0 {
				fmt.Fprintf(&body, "part %d\n", i)
			}
			if head, ops, loop := strings.Cut(l, ": "); loop && !strings.HasPrefix(l, "%") {
				body.WriteString(pairLoop(i+1, head, ops))
			} else {
				body.WriteString(pairOps(l, fmt.Sprint("k", i)))
			}
		}
		text := pairHeader + "field @C [f32] []\n" + parts.String() + pairBody + body.String() + "\t\treturn\n\t}\n}\n"
		k, err := ir.Parse(text)
		if err != nil {
			t.Fatalf("%s: %v\n%s", c.name, err, text)
		}
		o := Options{Layout: passtest.Layout{}, Options: option.Options{Level: 3, Verify: true, Deterministic: c.deterministic}}
		fields := interpreted(t, text)
		for _, stage := range []string{"states", "deadstores"} {
			if err := RunStage(k, o, stage); err != nil {
				t.Fatalf("%s: %v\n%s", c.name, err, text)
			}
		}
		writes, loops := 0, 0
		ir.Visit(k.Body, func(o *ir.Op) bool {
			if o.IsParallel() {
				loops++
			}
			if o.Code == ir.OpStore || o.Code == ir.OpAtomic {
				writes++
			}
			return true
		})
		if writes != c.writes || loops != c.loops {
			t.Errorf("%s: %d stores in %d loops, want %d in %d\n%s\n%s", c.name, writes, loops, c.writes, c.loops, text, k)
		}
		if got := interpreted(t, k.String()); !reflect.DeepEqual(got, fields) {
			t.Errorf("%s: the fields are %v, want %v\n%s", c.name, got, fields, k)
		}
		checkStates(t, c.name, k, o)
	}
}
