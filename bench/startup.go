package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"

	"github.com/gotaichi/ti/bench/internal/suite"
)

// A startupCase is something measured before kernels run, against a limit.
type startupCase struct {
	name  string
	what  string
	unit  string
	limit float64 // what it should stay under; 0 with a unit for what has none
	peer  string  // the case of taichi_bench.py to run with --first, if any

	// sample measures once, in processes of its own; nil for [inChild].
	sample func(ctx context.Context, p *programs) (sampled, error)
}

// A sampled is a measurement, and the milliseconds of processor that it took; 0 for those that do not report it.
type sampled struct{ Value, CPU float64 }

var startupCases = []startupCase{
	{name: "trivial", what: "source of one loop to its first result", unit: "ms", limit: 40, peer: "launch_small"},
	{name: "mpm88", what: "source of mpm88 to its first result", unit: "ms", limit: 150, peer: "mpm88"},
	{name: "ten", what: "the same with the body ten times in a kernel", unit: "ms", limit: 1500, peer: "ten"},
	{name: "loops", what: "source of 400 loops to their first result", unit: "ms", limit: 4000, peer: "loops"},
	{name: "equal", what: "source of 400 equal loops to their first result", unit: "ms", limit: 1000},
	{name: "fresh", what: "first launch of a kernel on fresh memory, 2^20", unit: "ms", limit: 60},
	{name: "mpm3d", what: "compiling examples/mpm3d, all threads", unit: "ms", limit: 1500, sample: compiling("mpm3d")},
	{name: "cloud", what: "compiling examples/cloud, all threads", unit: "ms", limit: 2500, sample: compiling("cloud")},
	{name: "fem", what: "compiling examples/fem, all threads", unit: "ms", limit: 3000, sample: compiling("fem")},
	{name: "mgpcg", what: "compiling examples/mgpcg, all threads", unit: "ms", limit: 6000, sample: compiling("mgpcg")},
	{name: "cold", what: "two small kernels, start to end: compiled", unit: "ms", limit: 150, sample: starting(compiledAnew, native, false)},
	{name: "cached", what: "… from the cache", unit: "ms", limit: 40, sample: starting(fromCache, native, false)},
	{name: "ahead", what: "… compiled ahead of time", unit: "ms", limit: 30, sample: starting(aheadOfTime, native, false)},
	{name: "wasmcold", what: "… as WebAssembly: compiled", unit: "ms", limit: 60, sample: starting(compiledAnew, modules, false)},
	{name: "wasmcached", what: "… as WebAssembly, from the cache", unit: "ms", limit: 50, sample: starting(fromCache, modules, false)},
	{name: "wasmahead", what: "… as modules made ahead of time", unit: "ms", limit: 40, sample: starting(aheadOfTime, modules, false)},
	{name: "coldmemory", what: "their resident memory: compiled", unit: "MB", limit: 120, sample: starting(compiledAnew, native, true)},
	{name: "cachedmemory", what: "… from the cache", unit: "MB", limit: 25, sample: starting(fromCache, native, true)},
	{name: "aheadmemory", what: "… compiled ahead of time", unit: "MB", limit: 25, sample: starting(aheadOfTime, native, true)},
	{name: "solver", what: "examples/mgpcg -short from the cache, to end", unit: "ms", limit: 400, sample: solverFromCache},
	{name: "launch", what: "launch of an empty kernel", unit: "ns", limit: 50},
	{name: "allocs", what: "allocations of that launch"},
	{name: "at", what: "reading an element by At", unit: "ns", limit: 3},
	{name: "atallocs", what: "allocations of that"},
}

// startup measures all of them, each several times in fresh processes, and prints a table of medians.
func startup(ctx context.Context, o *options, w io.Writer) error {
	peers, err := suite.FindPrograms(ctx, o.Dir, o.Beside, known)
	if err != nil {
		return err
	}
	p, err := newPrograms(ctx, o.Threads)
	if err != nil {
		return err
	}
	defer p.close()
	fmt.Fprintf(w, "%-48s %10s %10s %10s", "what", "median", "processor", "limit")
	for _, p := range peers {
		fmt.Fprintf(w, " %10s", p.Name())
	}
	fmt.Fprintln(w)
	var errs []error
	for _, c := range startupCases {
		v, err := c.measure(ctx, p)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		cpu := "-"
		if v.CPU > 0 {
			cpu = fmt.Sprintf("%.1f ms", v.CPU)
		}
		fmt.Fprintf(w, "%-48s %7.2f %-2s %10s %7.4g %-2s", c.what, v.Value, c.unit, cpu, c.limit, c.unit)
		if v.Value > c.limit {
			errs = append(errs, fmt.Errorf("%s: %.4g %s is more than %.4g", c.what, v.Value, c.unit, c.limit))
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
	return errors.Join(append(errs, room(ctx, p, w))...)
}

// measure returns the medians over several processes.
func (c *startupCase) measure(ctx context.Context, p *programs) (median sampled, err error) {
	const processes = 7
	sample := c.sample
	if sample == nil {
		sample = inChild(c.name)
	}
	var values, cpu []float64
	for range processes {
		v, err := sample(ctx, p)
		if err != nil {
			return v, fmt.Errorf("%s: %w", c.name, err)
		}
		values, cpu = append(values, v.Value), append(cpu, v.CPU)
	}
	slices.Sort(values)
	slices.Sort(cpu)
	return sampled{values[len(values)/2], cpu[len(cpu)/2]}, nil
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
