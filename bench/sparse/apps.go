package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/gotaichi/ti/bench/internal/suite"
)

// An application is an example with a benchmark of its own, BenchmarkSparse: what is measured are its kernels, as
// they are.
type application struct {
	example string
	what    string // that an operation is
	thesis  string // what the thesis that introduced Taichi gives for its own, "" for nothing comparable
}

var sparseApps = []application{
	{"mpm3d", "the 16 substeps of a frame of %particles% particles", ""},
	{"fem", "a product with the stiffness of the bunny, %nodes% nodes", "17.2 ms, another body"},
	{"mgpcg", "a solution on 256³ points to 10⁻⁶, %iterations% iterations", "2.98 s"},
	{"sparseconv", "a layer of 16 channels to 16 on %voxels% voxels", ""},
	{"cloud", "a path for each of %pixels% pixels", ""},
}

// applications measures them all, and prints a table.
func applications(ctx context.Context, o *options, w io.Writer) error {
	var errs []error
	table := "| example | what | time | thesis (4 cores, 4.2 GHz) |\n|---|---|---|---|\n"
	for _, a := range sparseApps {
		if ok, err := regexp.MatchString(o.Run, a.example); err != nil {
			return fmt.Errorf("the argument of -run is no regular expression: %w", err)
		} else if !ok || ctx.Err() != nil {
			continue
		}
		result, err := a.measure(ctx, o)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", a.example, err))
			continue
		}
		what := a.what
		for unit, v := range result.metrics {
			what = strings.ReplaceAll(what, "%"+unit+"%", fmt.Sprintf("%.0f", v))
		}
		fmt.Fprintf(w, "%-12s %12s   %s\n", a.example, result.time(), what)
		thesis := a.thesis
		if thesis == "" {
			thesis = "-"
		}
		table += fmt.Sprintf("| [%s](../examples/%s) | %s | %s | %s |\n", a.example, a.example, what, result.time(), thesis)
	}
	if o.docs != "" && len(errs) == 0 {
		errs = append(errs, suite.ReplaceBlock(filepath.Join(o.docs, "benchmarks.md"), "go run ./bench/sparse -apps", table))
	}
	return errors.Join(append(errs, ctx.Err())...)
}

// measure runs the example's benchmark.
func (a *application) measure(ctx context.Context, o *options) (benchResult, error) {
	e, err := buildExample(ctx, a.example)
	if err != nil {
		return benchResult{}, err
	}
	defer e.remove()
	return e.bench(ctx, "Sparse", duration(o, "3s"), threadsEnv(o.Threads)...)
}

// duration is how long a benchmark runs, as go test has it.
func duration(o *options, full string) string {
	if o.quick {
		return "1x"
	}
	return full
}
