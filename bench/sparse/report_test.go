package main

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gotaichi/ti/bench/internal/suite"
	"github.com/gotaichi/ti/internal/option"
)

// measured are rows as a run of the suite gives them.
func measured() (rows []*suite.Row) {
	for i, name := range []string{"iterate_1", "iterate_100", "iterate_1000", "stencil_1", "stencil_1000"} {
		rows = append(rows, &suite.Row{Name: name, MedianUs: 1500 * float64(i+1), Beside: map[string]suite.Beside{
			"dense": {MedianUs: 3000 * float64(i+1), Ratio: 2},
		}})
	}
	return rows
}

func TestDocument(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "benchmarks.md")
	const text = "before\n<!-- from go run ./bench/sparse -->\nold\n<!-- end -->\nafter\n"
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	rows := measured()
	rows[1].Beside["taichi"] = suite.Beside{MedianUs: 12000, Ratio: 4}
	file := filepath.Join(dir, "results.json")
	if err := suite.WriteJSON(file, rows); err != nil {
		t.Fatal(err)
	}
	rows, err := suite.ReadJSON(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := document(dir, rows); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const want = `before
<!-- from go run ./bench/sparse -->
| case | active | ms | dense array | Taichi |
|---|---|---|---|---|
| iterate | 0.1 % | 1.50 | 2.00 | - |
| iterate | 10 % | 3.00 | 2.00 | 4.00 |
| iterate | 100 % | 4.50 | 2.00 | - |
| stencil | 0.1 % | 6.00 | 2.00 | - |
| stencil | 100 % | 7.50 | 2.00 | - |
| **geometric mean (cases)** | | | **2.00 (5)** | **4.00 (1)** |
<!-- end -->
after
`
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if err := suite.ReplaceBlock(path, "go run ./nothing", ""); err == nil {
		t.Error("a block that is not there: no error")
	}
}

// TestPlot checks that the plot is XML with a line for each series and the points of those that have any.
func TestPlot(t *testing.T) {
	text := plot(measured())
	decoder := xml.NewDecoder(strings.NewReader(text))
	for {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
	}
	if n := strings.Count(text, "<circle"); n != 10 {
		t.Errorf("the plot has %d points; want 10", n)
	}
	if !strings.Contains(text, "1 ms") || !strings.Contains(text, "100 ms") || strings.Contains(text, "NaN") {
		t.Errorf("the plot's axis is wrong:\n%s", text)
	}
}

func TestParseBench(t *testing.T) {
	const out = "goos: linux\nBenchmarkSparse-2   \t      3\t2234500000 ns/op\t         9.000 iterations\t1234500000 least-ns\nPASS\n"
	r, err := parseBench(out)
	if err != nil || r.time() != "1.23 s" || r.metrics["iterations"] != 9 {
		t.Errorf("got %v, %v", r, err)
	}
	for _, out := range []string{"PASS\n", "BenchmarkSparse-2\t3\t2234500000 ns/op\n", "BenchmarkSparse-2\t3\tmany ns/op\n"} {
		if r, err := parseBench(out); err == nil {
			t.Errorf("%q: %v and no error", out, r)
		}
	}
}

// TestAblationTable has the times of the thesis as ours.
func TestAblationTable(t *testing.T) {
	best := make([]benchResult, len(ablations))
	for i, a := range ablations {
		best[i].ns = 1e6 * a.thesis
	}
	table := ablationTable(best)
	for _, line := range []string{
		"| everything |  | 17.2 ms | 1.00 | 17.2 ms | 1.00 |\n",
		"| no access lowering | `access` | 182 ms | 10.62 | 182.2 ms | 10.62 |\n",
	} {
		if !strings.Contains(table, line) {
			t.Errorf("%s\nlacks %s", table, line)
		}
	}
	for _, a := range ablations {
		if _, err := option.ParseSwitches(a.without); err != nil {
			t.Errorf("%s: %v", a.what, err)
		}
	}
}
