package program

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/runtest"
)

// A program is a source and what happens when it runs.
type program struct {
	name string
	src  string
	run  func(r *runtest.Run, src string)
}

func TestPrograms(t *testing.T) {
	rts := &runtest.Runtimes{}
	defer rts.Close(t)
	for i, p := range programs() {
		t.Run(p.name, func(t *testing.T) {
			runtest.RunIn(t, rts, runtest.TakeTurns(runtest.Variants(), i), func(r *runtest.Run) {
				if why := failsInDebug[p.name]; r.Debug && why != "" {
					t.Log("not in debug mode: " + why)
					return
				}
				if why := dependsOnOrder[p.name]; r.Layout.Sparse() && why != "" {
					t.Log("not in sparse trees: " + why)
					return
				}
				p.run(r, "package p\n"+p.src)
			})
		})
	}
}

// TestDeterminism compiles programs twice.
func TestDeterminism(t *testing.T) {
	var cases []func(r *runtest.Run)
	for _, p := range programs() {
		cases = append(cases, func(r *runtest.Run) { p.run(r, "package p\n"+p.src) })
	}
	runtest.SameObjects(t, cases)
}

// failsInDebug names the programs that debug mode is right to complain of.
var failsInDebug = map[string]string{
	"serial and nested loops":                 "sums wrap",
	"parameters and results of all types":     "the largest i8 is incremented",
	"fields of structs":                       "a whole element is read beside atomic updates of its parts",
	"structs as parameters and results":       "a whole element is read beside atomic updates of its parts",
	"indices made of floats that are limited": "one of them is no number",
}

// storesOdd names the programs that store numbers which quantised forms do not keep.
var storesOdd = map[string]string{
	"indices made of floats that are limited": "NaN",
	"reciprocal roots in packets":             "NaN, infinities and subnormal numbers",
}

// dependsOnOrder names the programs that do not give the same results on sparse layouts.
var dependsOnOrder = map[string]string{
	"serial and nested loops": "a serial loop over a sparse field follows the memory",
}

// programs returns all tables.
func programs() []program {
	return slices.Concat(statements, loops, longRanges, realRanges, reductions, parameters, randoms, failures, layouts, composed, queries, packets, packetGathers, packetLimits, streams,
		halfPrograms, halfSums, boolPrograms, componentPrograms, metaprogramming, outOfLine, structs, references, borders, printed, debugged, races, privates, constantTables, fusedOnes, sections)
}

// scalarCase makes a program of a function of the arguments that a kernel F(a, b)
// has, launched for each pair.
func scalarCase[A, B, R any](name, src string, as []A, bs []B, want func(A, B) R) program {
	return program{name, src, func(r *runtest.Run, src string) {
		var h struct{ F func(A, B) (R, error) }
		r.Load(src, &h)
		for _, a := range as {
			for _, b := range bs {
				got, err := h.F(a, b)
				runtest.OK(r, err)
				runtest.Eq(r, fmt.Sprintf("F(%v, %v)", a, b), got, want(a, b))
			}
		}
	}}
}

// wantRange checks that err is an index out of range of field.
func wantRange(r *runtest.Run, err error, field string, count int, index []int, line int) {
	r.Helper()
	var e *ti.RuntimeError
	switch {
	case !errors.As(err, &e) || !errors.Is(err, ti.ErrRange):
		r.Errorf("the error is %v, not an index out of range", err)
	case e.Field != field || count > 0 && e.Count != count || line > 0 && e.Pos.Line != line:
		r.Errorf("the error is of field %s, line %d, %d times, not of %s, line %d, %d times: %v", e.Field, e.Pos.Line, e.Count, field, line, count, err)
	case index != nil && !slices.Equal(e.Index, index):
		r.Errorf("the error is of index %v, want %v", e.Index, index)
	}
}
