package main

import (
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gotaichi/ti/bench/internal/suite"
)

// rowsOf is a run of some cases, of which three measure the machine.
func rowsOf() []*suite.Row {
	return []*suite.Row{
		{Name: peakMemoryCase, MedianUs: 1e4, Work: suite.Work{Bytes: 1e8}},
		{Name: peakCacheCase, MedianUs: 10, Work: suite.Work{Bytes: 1e5 * 2}},
		{Name: peakFlopsCase, MedianUs: 10, Work: suite.Work{Flops: 1e6}},
		{Name: "saxpy", MedianUs: 20, Work: suite.Work{Bytes: 1e5, Flops: 1e4}, Beside: map[string]suite.Beside{
			"taichi": {MedianUs: 40, Ratio: 2}, "limits": {MedianUs: 10, Ratio: 0.5}}},
		{Name: "life", MedianUs: 2e4, Work: suite.Work{Bytes: 1e8}},
	}
}

// TestDocument writes the table and the plot into a folder.
func TestDocument(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "benchmarks.md")
	if err := document(dir, rowsOf()); err == nil {
		t.Error("a folder without benchmarks.md was written to")
	}
	if err := os.WriteFile(path, []byte("before\n<!-- from go run ./bench -->\nold\n<!-- end -->\nafter\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := document(dir, rowsOf()); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const want = `before
<!-- from go run ./bench -->
| case | median µs | GB/s | Gflop/s | Taichi | hand-tuned C |
|---|---|---|---|---|---|
| peak_memory | 10000 | 10.0 (100 %) | - | - | - |
| peak_cache | 10.0 | 20.0 (100 %) | - | - | - |
| peak_flops | 10.0 | - | 100 (100 %) | - | - |
| saxpy | 20.0 | 5.00 (25 %) | 0.500 (0 %) | 2.00 | **0.500** |
| life | 20000 | 5.00 (50 %) | - | - | - |
| **geometric mean (cases)** | | | | **2.00 (1)** | **0.500 (1)** |
<!-- end -->
after
`
	if string(text) != want {
		t.Errorf("the document is\n%s\nwant\n%s", text, want)
	}
	svg, err := os.ReadFile(filepath.Join(dir, "benchmarks.svg"))
	if err != nil {
		t.Fatal(err)
	}
	for d := xml.NewDecoder(strings.NewReader(string(svg))); ; {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("the plot is no XML: %v", err)
		}
	}
	if n := strings.Count(string(svg), `fill-opacity`); n != 2 {
		t.Errorf("the plot has %d dots for 2 ratios", n)
	}
}

// TestScalingTables formats times on several threads.
func TestScalingTables(t *testing.T) {
	threads := threadCounts(6)
	s := []scale{{"saxpy", suite.Work{Bytes: 8e3}, []time.Duration{8e3, 4e3, 2e3, 2e3}}}
	if got, want := strongTable(threads, s), `| case | µs on 1 thread | times as fast on 2 | times as fast on 4 | times as fast on 6 |
|---|---|---|---|---|
| saxpy | 8.00 | 2.00 | 4.00 | 4.00 |
`; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	s[0].times = s[0].times[:2]
	if got, want := weakTable(threads[:2], s), `| y = 2x + y on | µs on 1 thread | GB/s on 1 | GB/s on 2 |
|---|---|---|---|
| saxpy | 8.00 | 1.00 | 2.00 |
`; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestWork: work is that of a case there is.
func TestWork(t *testing.T) {
	found := 0
	for _, c := range withWork(benchmarks) {
		if c.Work != (suite.Work{}) {
			found++
		}
	}
	if found != len(work) {
		t.Errorf("%d of %d rows of work belong to a case", found, len(work))
	}
}
