package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"strings"
	"time"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/bench/internal/suite"
)

// startupChild measures in this process and prints one number.
func startupChild(name string, threads int, w io.Writer) error {
	rt, err := ti.New(ti.Config{Threads: threads, Cache: ti.Cache{Policy: ti.CacheOff}})
	if err != nil {
		return err
	}
	defer rt.Close()
	rt.Device() // waits for libLLVM, as the peers are imported and initialised before their clocks start
	var v float64
	switch name {
	case "trivial":
		v, err = firstTrivial(rt)
	case "mpm88":
		v, err = firstFluid(rt)
	case "ten":
		v, err = firstOf(rt, tenBodies)
	case "loops", "equal":
		v, err = firstOf(rt, func() string { return manyLoops(name == "equal") })
	case "fresh":
		v, err = firstFresh(rt)
	case "launch", "allocs":
		v, err = emptyLaunch(rt, name == "allocs")
	case "at", "atallocs":
		v, err = readAt(rt, name == "atallocs")
	default:
		err = fmt.Errorf("there is no startup case %q", name)
	}
	if err != nil {
		return err
	}
	out, err := json.Marshal(sampled{v, processorTime()})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(w, string(out))
	return err
}

// firstOf returns the milliseconds from a source to the result of its kernel Step, on the fields of the fluid.
func firstOf(rt *ti.Runtime, source func() string) (float64, error) {
	s := new(fluid)
	s.place(rt)
	text, h := source(), ti.Bindings{"X": &s.X, "V": &s.V, "C": &s.C, "J": &s.J, "GridV": &s.GridV, "GridM": &s.GridM, "N": int32(s.N), "Dt": s.Dt}
	start := time.Now()
	p, err := rt.Compile(ti.Text("many.ti", text), h)
	if err != nil {
		return 0, err
	}
	if _, err := p.Kernel("Step").Launch(context.Background()); err != nil {
		return 0, err
	}
	return float64(time.Since(start)) / float64(time.Millisecond), nil
}

// tenBodies is mpm88 with the loops of a substep ten times in one kernel.
func tenBodies() string {
	file, _ := kernels.ReadFile("kernels/mpm88.ti") // a test runs it
	text := string(file)
	_, body, _ := strings.Cut(text, "func Substep() {\n")
	body, _, _ = strings.Cut(body, "\n}\n")
	return text + "\nfunc Step() {\n" + strings.Repeat(body+"\n", 10) + "}\n"
}

// manyLoops is a kernel of 400 loops, equal ones or each with a number of its own.
func manyLoops(equal bool) string {
	var b strings.Builder
	b.WriteString("package many\n\nvar (\n\tX, V, GridV field[vec2]\n\tC field[mat2]\n\tJ, GridM field[f32]\n\tN i32\n\tDt f32\n)\n\nfunc Step() {\n")
	for i := range 400 {
		if equal {
			i = 0
		}
		fmt.Fprintf(&b, "\tfor p := range J {\n\t\tJ[p] = J[p]*Dt + %d\n\t}\n", i+2)
	}
	b.WriteString("}\n")
	return b.String()
}

// firstFresh returns the milliseconds of the first launch of a kernel that is compiled, on memory that nothing has
// touched.
func firstFresh(rt *ti.Runtime) (float64, error) {
	var s struct {
		X         ti.Field[float32]
		Increment func() error
	}
	rt.Place(ti.Shape{1 << 20}, &s.X)
	if err := errors.Join(rt.Load(trivialSource, &s), rt.Prepare(context.Background())); err != nil {
		return 0, err
	}
	start := time.Now()
	err := s.Increment()
	return float64(time.Since(start)) / float64(time.Millisecond), err
}

const trivialSource = `
package trivial

var X field[f32]

func Increment() {
	for i := range X {
		X[i] += 1
	}
}
`

// firstTrivial returns the milliseconds from the text of one loop to its first result.
func firstTrivial(rt *ti.Runtime) (float64, error) {
	var s struct {
		X         ti.Field[float32]
		Increment func() error
	}
	rt.Place(ti.Shape{1024}, &s.X)
	start := time.Now()
	if err := rt.Load(trivialSource, &s); err != nil {
		return 0, err
	}
	if err := suite.InOrder(s.Increment, rt.Sync); err != nil {
		return 0, err
	}
	return float64(time.Since(start)) / float64(time.Millisecond), nil
}

// firstFluid returns the milliseconds from mpm88's text to the result of its first substep.
func firstFluid(rt *ti.Runtime) (float64, error) {
	s := new(fluid)
	s.place(rt)
	start := time.Now()
	if err := load(rt, "mpm88.ti", s); err != nil {
		return 0, err
	}
	if err := suite.InOrder(s.Init, s.Substep, rt.Sync); err != nil {
		return 0, err
	}
	return float64(time.Since(start)) / float64(time.Millisecond), nil
}

// emptyLaunch returns the nanoseconds of a launch of an empty kernel through its Go function, or how often it
// allocates.
func emptyLaunch(rt *ti.Runtime, allocs bool) (float64, error) {
	t, err := launchEmpty(rt)
	if err != nil {
		return 0, err
	}
	return perCall(t.Launch, t.Per, allocs)
}

// readAt returns the nanoseconds of reading an element of a field on the host, or how often it allocates.
func readAt(rt *ti.Runtime, allocs bool) (float64, error) {
	const n = 64
	var x ti.Field[float32]
	rt.Place(ti.Shape{n, n}, &x)
	return perCall(func() error {
		var last float32
		for i := range n {
			for j := range n {
				last = x.At(i, j)
			}
		}
		if last != 0 {
			return fmt.Errorf("a field that nobody wrote to holds %g", last)
		}
		return nil
	}, n*n, allocs)
}

// perCall returns the nanoseconds of one of the calls that f makes, per of them at a time: the least of many batches,
// since what else the machine does can only add to that. Or it returns how often one allocates.
func perCall(f func() error, per int, allocs bool) (float64, error) {
	const batches, rounds = 50, 20
	if err := f(); err != nil { // compiles
		return 0, err
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	least := time.Duration(math.MaxInt64)
	for range batches {
		start := time.Now()
		for range rounds {
			if err := f(); err != nil {
				return 0, err
			}
		}
		least = min(least, time.Since(start))
	}
	runtime.ReadMemStats(&after)
	if allocs { // what the runtime of Go allocates beside is rare
		return math.Floor(float64(after.Mallocs-before.Mallocs)/float64(batches*rounds*per) + 0.5), nil
	}
	return float64(least.Nanoseconds()) / float64(rounds*per), nil
}
