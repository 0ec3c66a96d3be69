package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/bench/internal/suite"
)

// A startupCase is something measured before kernels run, against a limit.
type startupCase struct {
	name  string
	what  string
	unit  string
	limit float64 // what it should stay under
	peer  string  // the case of taichi_bench.py to run with --first, if any
}

var startupCases = []startupCase{
	{"trivial", "source of one loop to its first result", "ms", 40, "launch_small"},
	{"mpm88", "source of mpm88 to its first result", "ms", 150, "mpm88"},
	{"launch", "launch of an empty kernel", "ns", 50, ""},
	{"allocs", "allocations of that launch", "", 0, ""},
	{"at", "reading an element by At", "ns", 3, ""},
	{"atallocs", "allocations of that", "", 0, ""},
	{"julia", "resident memory of examples/julia", "MB", 120, ""},
	{"size", "docs/your-project, linked with -s -w", "MB", 16, ""},
	{"process", "that program from start to end", "ms", 400, ""},
}

// startup measures all of them, each several times in fresh processes, and prints a table of medians.
func startup(ctx context.Context, o *options, w io.Writer) error {
	peers, err := suite.FindPrograms(ctx, o.Dir, o.Beside, known)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%-42s %10s %10s", "what", "median", "limit")
	for _, p := range peers {
		fmt.Fprintf(w, " %10s", p.Name())
	}
	fmt.Fprintln(w)
	var errs []error
	for _, c := range startupCases {
		v, err := c.measure(ctx, o)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		fmt.Fprintf(w, "%-42s %7.2f %-2s %7.4g %-2s", c.what, v, c.unit, c.limit, c.unit)
		if v > c.limit {
			errs = append(errs, fmt.Errorf("%s: %.4g %s is more than %.4g", c.what, v, c.unit, c.limit))
		}
		for _, p := range peers {
			if c.peer == "" || !p.FirstCost {
				fmt.Fprintf(w, " %10s", "-")
				continue
			}
			first, err := p.First(ctx, c.peer)
			if err != nil {
				errs = append(errs, err)
				continue
			}
			fmt.Fprintf(w, " %10.2f", first)
		}
		fmt.Fprintln(w)
	}
	return errors.Join(errs...)
}

// measure returns the median over several processes.
func (c *startupCase) measure(ctx context.Context, o *options) (float64, error) {
	const processes = 7
	var samples []float64
	for range processes {
		v, err := c.sample(ctx, o)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", c.name, err)
		}
		samples = append(samples, v)
		if c.name == "julia" || c.name == "size" { // takes seconds, and varies little
			break
		}
	}
	slices.Sort(samples)
	return samples[len(samples)/2], nil
}

// sample measures once, in a process of its own.
func (c *startupCase) sample(ctx context.Context, o *options) (float64, error) {
	switch c.name {
	case "julia":
		return juliaMemory(ctx)
	case "size", "process":
		return project(ctx, c.name == "size")
	}
	self, err := os.Executable()
	if err != nil {
		return 0, fmt.Errorf("cannot find this program to start it again: %w", err)
	}
	out, err := output(exec.CommandContext(ctx, self, "-startup-child", c.name, "-threads", fmt.Sprint(o.Threads)))
	if err != nil {
		return 0, err
	}
	var v float64
	if err := json.Unmarshal(out, &v); err != nil {
		return 0, fmt.Errorf("the process printed no number but %q", out)
	}
	return v, nil
}

// output runs a command; its error holds what the command wrote to standard error.
func output(cmd *exec.Cmd) ([]byte, error) {
	var failure bytes.Buffer
	cmd.Stderr = &failure
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, suite.LastLines(failure.String(), 5))
	}
	return out, nil
}

// juliaMemory returns the peak resident megabytes of the example.
func juliaMemory(ctx context.Context) (float64, error) {
	dir, err := os.MkdirTemp("", "ti-bench-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	out, err := output(exec.CommandContext(ctx, "go", "run", "./examples/julia", "-json", "-out", dir))
	if err != nil {
		return 0, err
	}
	var result struct {
		PeakBytes int64 `json:"peak_bytes"`
	}
	if err := json.Unmarshal(out, &result); err != nil {
		return 0, fmt.Errorf("the example printed no result but %q: %w", out, err)
	}
	return float64(result.PeakBytes) / 1e6, nil
}

// project builds the program of docs/your-project.md as a user would, and returns its megabytes,
// or the milliseconds that it runs.
func project(ctx context.Context, size bool) (float64, error) {
	dir, err := os.MkdirTemp("", "ti-bench-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "heat")
	if _, err := output(exec.CommandContext(ctx, "go", "build", "-ldflags=-s -w", "-o", program, "./docs/your-project")); err != nil {
		return 0, err
	}
	if size {
		info, err := os.Stat(program)
		if err != nil {
			return 0, err
		}
		return float64(info.Size()) / 1e6, nil
	}
	start := time.Now()
	if _, err := output(exec.CommandContext(ctx, program)); err != nil {
		return 0, err
	}
	return float64(time.Since(start).Nanoseconds()) / 1e6, nil
}

// startupChild measures in this process and prints one number.
func startupChild(name string, threads int, w io.Writer) error {
	rt, err := ti.New(ti.Config{Threads: threads, Cache: ti.Cache{Policy: ti.CacheOff}})
	if err != nil {
		return err
	}
	defer rt.Close()
	var v float64
	switch name {
	case "trivial":
		v, err = firstTrivial(rt)
	case "mpm88":
		v, err = firstFluid(rt)
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
	_, err = fmt.Fprintln(w, v)
	return err
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
