package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/bench/internal/suite"
)

// scaled are the cases whose strong scaling is measured: one for each thing that may bound a kernel.
var scaled = []string{"saxpy", "saxpy_l2", "stencil2d", "stencil3d", "julia", "mpm88", "nbody", "histogram", "svd3", "sparse_stencil", "dynamic_append"}

// sizes are the elements of the loop y = 2x + y, from one that fits a first-level cache to memory.
var sizes = []int{1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18, 1 << 20, 1 << 22, 1 << 24, 1 << 26}

// scaling measures how times fall with threads, and how a loop does by its size.
func scaling(ctx context.Context, o *options, w io.Writer) error {
	threads := threadCounts(runtime.GOMAXPROCS(0))
	if len(threads) == 1 {
		fmt.Fprintln(w, "there is one processor: nothing scales")
	}
	budget := suite.Budget{Least: 7, For: 500 * time.Millisecond}
	strong, err := measureScaling(ctx, threads, strongCases(), budget)
	if err != nil {
		return err
	}
	weak, err := measureScaling(ctx, threads, weakCases(), budget)
	if err != nil {
		return err
	}
	text := strongTable(threads, strong) + "\n" + weakTable(threads, weak)
	fmt.Fprint(w, text)
	if o.docs != "" {
		return suite.ReplaceBlock(filepath.Join(o.docs, "benchmarks.md"), "go run ./bench -scaling", text)
	}
	return nil
}

// threadCounts returns 1, 2, 4, … and all.
func threadCounts(all int) (counts []int) {
	for n := 1; n < all; n *= 2 {
		counts = append(counts, n)
	}
	return append(counts, all)
}

func strongCases() (cases []suite.Case) {
	for _, c := range withWork(benchmarks) {
		if slices.Contains(scaled, c.Name) {
			cases = append(cases, c)
		}
	}
	return cases
}

func weakCases() (cases []suite.Case) {
	for _, n := range sizes {
		cases = append(cases, suite.Case{Name: memoryOf(n), Start: saxpy(n), Work: suite.Work{Bytes: float64(12 * n)}})
	}
	return cases
}

// memoryOf says how much memory two fields of n numbers take.
func memoryOf(n int) string {
	if kib := 8 * n >> 10; kib < 1<<10 {
		return fmt.Sprintf("%d KiB", kib)
	}
	return fmt.Sprintf("%d MiB", 8*n>>20)
}

// A scale is the times of a case on each number of threads.
type scale struct {
	name  string
	work  suite.Work
	times []time.Duration
}

// measureScaling measures cases on each number of threads, one number after the other, so that all meet the
// machine in the same state.
func measureScaling(ctx context.Context, threads []int, cases []suite.Case, budget suite.Budget) ([]scale, error) {
	var all []scale
	for _, c := range cases {
		c.Budget = budget
		s := scale{name: c.Name, work: c.Work}
		for _, n := range threads {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			t, err := c.Measure(ti.Config{Threads: n})
			if err != nil {
				return nil, fmt.Errorf("%s on %d threads: %w", c.Name, n, err)
			}
			s.times = append(s.times, t.Median)
		}
		all = append(all, s)
	}
	return all, nil
}

// strongTable has for each case its time on one thread, and how many times as fast it is on more.
func strongTable(threads []int, all []scale) string {
	var b strings.Builder
	b.WriteString("| case | µs on 1 thread |" + titles(threads[1:], "times as fast on %d") + "\n|---|---|" + strings.Repeat("---|", len(threads)-1) + "\n")
	for _, s := range all {
		fmt.Fprintf(&b, "| %s | %s |", s.name, suite.Digits(suite.Microseconds(s.times[0])))
		for _, t := range s.times[1:] {
			fmt.Fprintf(&b, " %.2f |", float64(s.times[0])/float64(max(t, 1)))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// weakTable has gigabytes a second for each size and number of threads.
func weakTable(threads []int, all []scale) string {
	var b strings.Builder
	b.WriteString("| y = 2x + y on | µs on 1 thread |" + titles(threads, "GB/s on %d") + "\n|---|---|" + strings.Repeat("---|", len(threads)) + "\n")
	for _, s := range all {
		fmt.Fprintf(&b, "| %s | %s |", s.name, suite.Digits(suite.Microseconds(s.times[0])))
		for _, t := range s.times {
			r := suite.Row{MedianUs: suite.Microseconds(t), Work: s.work}
			gigabytes, _ := r.Rates()
			fmt.Fprintf(&b, " %s |", suite.Digits(gigabytes))
		}
		b.WriteString("\n")
	}
	return b.String()
}

func titles(threads []int, format string) string {
	var b strings.Builder
	for _, n := range threads {
		fmt.Fprintf(&b, " "+format+" |", n)
	}
	return b.String()
}
