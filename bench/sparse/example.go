package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/gotaichi/ti/bench/internal/suite"
)

// An exampleTest is the test program of an example, built once for several runs.
type exampleTest struct {
	name, dir string // of the example, and the folder of the program
}

// buildExample builds it.
func buildExample(ctx context.Context, name string) (*exampleTest, error) {
	dir, err := os.MkdirTemp("", "bench-"+name)
	if err != nil {
		return nil, fmt.Errorf("cannot make a folder for a program: %w", err)
	}
	e := &exampleTest{name, dir}
	out, err := exec.CommandContext(ctx, "go", "test", "-c", "-o", e.program(), "./examples/"+name).CombinedOutput()
	if err != nil {
		e.remove()
		return nil, fmt.Errorf("cannot build ./examples/%s: %w\n%s", name, err, suite.LastLines(string(out), 5))
	}
	return e, nil
}

func (e *exampleTest) program() string { return filepath.Join(e.dir, e.name+".test") }

func (e *exampleTest) remove() { os.RemoveAll(e.dir) }

// bench runs one benchmark with additional variables of the environment.
func (e *exampleTest) bench(ctx context.Context, name, duration string, env ...string) (benchResult, error) {
	cmd := exec.CommandContext(ctx, e.program(), "-test.run", "^$", "-test.bench", "^Benchmark"+name+"$", "-test.benchtime", duration)
	cmd.Env = append(os.Environ(), env...)
	var failure bytes.Buffer
	cmd.Stderr = &failure
	out, err := cmd.Output()
	if err != nil {
		return benchResult{}, fmt.Errorf("%w\n%s", err, suite.LastLines(string(out)+failure.String(), 5))
	}
	return parseBench(string(out))
}

// threadsEnv makes programs run on so many threads; 0 leaves it to them.
func threadsEnv(threads int) []string {
	if threads == 0 {
		return nil
	}
	return []string{"TI_THREADS=" + strconv.Itoa(threads)}
}

// A benchResult is what go test printed for a benchmark.
type benchResult struct {
	ns      float64            // the least that an operation took
	metrics map[string]float64 // by unit
}

// time formats what an operation takes.
func (r benchResult) time() string {
	if r.ns >= 1e9 {
		return suite.Digits(r.ns/1e9) + " s"
	}
	return suite.Digits(r.ns/1e6) + " ms"
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
		r.metrics[words[i+1]] = v
	}
	if r.ns = r.metrics["least-ns"]; r.ns == 0 {
		return r, fmt.Errorf("the benchmark reports no least-ns in %q", m[0])
	}
	return r, nil
}
