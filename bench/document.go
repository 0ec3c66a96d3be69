package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gotaichi/ti/bench/internal/suite"
)

// A column is a peer of the table.
type column struct{ peer, title, color string }

// columns are those that a run may have.
var columns = []column{
	{"taichi", "Taichi", "#c8553d"},
	{"quadrants", "Quadrants", "#e3a857"},
	{"numba", "Numba", "#3a5ba0"},
	{"warp", "Warp", "#7a4fa3"},
	{"jax", "JAX", "#3f8f5b"},
	{"limits", "hand-tuned C", "#222222"},
	{"handc", "plain C", "#8a8f98"},
}

// noise is how much slower than a peer a case may be before the peer counts as ahead.
const noise = 1.05

// document writes the table into benchmarks.md of a folder, and the plot beside it.
func document(dir string, rows []*suite.Row) error {
	if err := suite.ReplaceBlock(filepath.Join(dir, "benchmarks.md"), "go run ./bench", markdown(rows)); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "benchmarks.svg"), []byte(plot(rows)), 0o666); err != nil {
		return fmt.Errorf("cannot write the plot: %w", err)
	}
	return nil
}

// markdown returns a table: our times, what they come to beside what the machine can do, and the ratios of the others'
// times to ours, in bold where a peer is ahead.
func markdown(rows []*suite.Row) string {
	most := peaksOf(rows)
	head, rule, foot := "| case | median µs | GB/s | Gflop/s |", "|---|---|---|---|", "| **geometric mean (cases)** | | | |"
	lines := make([]string, len(rows))
	for i, r := range rows {
		gigabytes, gigaflops := r.Rates()
		lines[i] = fmt.Sprintf("| %s | %s | %s | %s |", r.Name, suite.Digits(r.MedianUs), share(gigabytes, most.bytes(r.Work)), share(gigaflops, most.flops))
	}
	for _, c := range columns {
		mean, n := suite.GeometricMean(rows, c.peer)
		if n == 0 {
			continue
		}
		head += " " + c.title + " |"
		rule += "---|"
		foot += fmt.Sprintf(" **%s (%d)** |", suite.Digits(mean), n)
		for i, r := range rows {
			cell := "-"
			if v, ok := r.Beside[c.peer]; ok {
				if cell = suite.Digits(v.Ratio); v.Ratio*noise < 1 {
					cell = "**" + cell + "**"
				}
			}
			lines[i] += " " + cell + " |"
		}
	}
	return strings.Join(append(append([]string{head, rule}, lines...), foot), "\n") + "\n"
}

// peaks are the rates of the cases that measure the machine, 0 without them.
type peaks struct{ memory, cache, flops float64 }

func peaksOf(rows []*suite.Row) (most peaks) {
	for _, r := range rows {
		gigabytes, gigaflops := r.Rates()
		switch r.Name {
		case peakMemoryCase:
			most.memory = gigabytes
		case peakCacheCase:
			most.cache = gigabytes
		case peakFlopsCase:
			most.flops = gigaflops
		}
	}
	return most
}

// inCache is how many bytes a launch moves at most whose arrays a shared cache may hold.
const inCache = 24 << 20

// bytes returns the peak that a case with some work is compared with.
func (p peaks) bytes(w suite.Work) float64 {
	if w.Bytes <= inCache {
		return p.cache
	}
	return p.memory
}

// share formats a rate, and how many per cent of the peak it is. More than all of it comes out of a cache.
func share(rate, peak float64) string {
	switch {
	case rate == 0:
		return "-"
	case peak == 0:
		return suite.Digits(rate)
	}
	return fmt.Sprintf("%s (%.0f %%)", suite.Digits(rate), 100*rate/peak)
}
