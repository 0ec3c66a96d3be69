package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gotaichi/ti/bench/internal/suite"
)

// columns are those of the table that a run may have, by the names of the peers.
var columns = []struct{ peer, title string }{
	{"dense", "dense array"},
	{"taichi", "Taichi"},
	{"quadrants", "Quadrants"},
	{"openvdb", "OpenVDB"},
	{"nanovdb", "NanoVDB"},
	{"handc", "C by hand"},
}

// document writes the table into benchmarks.md of a folder, and the plot beside it.
func document(dir string, rows []*suite.Row) error {
	if err := replaceBlock(filepath.Join(dir, "benchmarks.md"), "go run ./bench/sparse", markdown(rows)); err != nil {
		return err
	}
	path := filepath.Join(dir, "sparse-activity.svg")
	if err := os.WriteFile(path, []byte(plot(rows)), 0o666); err != nil {
		return fmt.Errorf("cannot write the plot: %w", err)
	}
	return nil
}

// replaceBlock replaces what stands in a file between the marks of a generated block.
func replaceBlock(path, generator, text string) error {
	old, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("cannot read the documentation: %w", err)
	}
	first, last := fmt.Sprintf("<!-- from %s -->\n", generator), "<!-- end -->\n"
	head, rest, found := strings.Cut(string(old), first)
	_, tail, closed := strings.Cut(rest, last)
	if !found || !closed {
		return fmt.Errorf("%s has no block between %q and %q", path, first, last)
	}
	if err := os.WriteFile(path, []byte(head+first+text+last+tail), 0o666); err != nil {
		return fmt.Errorf("cannot write the documentation: %w", err)
	}
	return nil
}

// markdown returns a table: our times, and the ratios of the others' to ours.
func markdown(rows []*suite.Row) string {
	head, rule, foot := "| case | active | ms |", "|---|---|---|", "| **geometric mean (cases)** | | |"
	lines := make([]string, len(rows))
	for i, r := range rows {
		name, active := split(r.Name)
		lines[i] = fmt.Sprintf("| %s | %g %% | %s |", name, active, digits(r.MedianUs/1e3))
	}
	for _, c := range columns {
		mean, n := suite.GeometricMean(rows, c.peer)
		if n == 0 {
			continue
		}
		head += " " + c.title + " |"
		rule += "---|"
		foot += fmt.Sprintf(" **%s (%d)** |", digits(mean), n)
		for i, r := range rows {
			cell := "-"
			if v, ok := r.Beside[c.peer]; ok {
				cell = digits(v.Ratio)
			}
			lines[i] += " " + cell + " |"
		}
	}
	return strings.Join(append(append([]string{head, rule}, lines...), foot), "\n") + "\n"
}

// split returns what a case does, and how many per cent are active.
func split(name string) (kind string, percent float64) {
	kind, permille, _ := strings.Cut(name, "_")
	fmt.Sscan(permille, &percent)
	return kind, percent / 10
}

// digits formats a number with three of them, but never with an exponent.
func digits(v float64) string {
	switch {
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	case v >= 1:
		return fmt.Sprintf("%.2f", v)
	}
	return fmt.Sprintf("%.3f", v)
}
