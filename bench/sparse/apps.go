package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
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
	{"mpm3d", "a substep of %particles% particles", ""},
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
		result, err := a.measure(ctx, o.quick)
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
		errs = append(errs, replaceBlock(filepath.Join(o.docs, "benchmarks.md"), "go run ./bench/sparse -apps", table))
	}
	return errors.Join(append(errs, ctx.Err())...)
}

// measure runs the example's benchmark.
func (a *application) measure(ctx context.Context, quick bool) (benchResult, error) {
	duration := "3s"
	if quick {
		duration = "1x"
	}
	cmd := exec.CommandContext(ctx, "go", "test", "-run", "^$", "-bench", "^BenchmarkSparse$", "-benchtime", duration, "./examples/"+a.example)
	var failure bytes.Buffer
	cmd.Stderr = &failure
	out, err := cmd.Output()
	if err != nil {
		return benchResult{}, fmt.Errorf("%w\n%s", err, suite.LastLines(string(out)+failure.String(), 5))
	}
	return parseBench(string(out))
}

// A benchResult is what go test printed for a benchmark.
type benchResult struct {
	ns      float64
	metrics map[string]float64 // by unit
}

// time formats what an operation takes.
func (r benchResult) time() string {
	if r.ns >= 1e9 {
		return digits(r.ns/1e9) + " s"
	}
	return digits(r.ns/1e6) + " ms"
}

// benchLine is the line of a benchmark: its name, how often it ran, numbers with units.
var benchLine = regexp.MustCompile(`(?m)^Benchmark\S*\s+\d+\s+(.*)$`)

// parseBench reads that line.
func parseBench(out string) (r benchResult, err error) {
	m := benchLine.FindStringSubmatch(out)
	if m == nil {
		return r, fmt.Errorf("go test printed no result of a benchmark but:\n%s", suite.LastLines(out, 5))
	}
	words := strings.Fields(m[1])
	r.metrics = map[string]float64{}
	for i := 0; i+1 < len(words); i += 2 {
		v, err := strconv.ParseFloat(words[i], 64)
		if err != nil {
			return r, fmt.Errorf("go test printed %q: %w", m[0], err)
		}
		if words[i+1] == "ns/op" {
			r.ns = v
		} else {
			r.metrics[words[i+1]] = v
		}
	}
	return r, nil
}
