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
	if err := suite.ReplaceBlock(filepath.Join(dir, "benchmarks.md"), "go run ./bench/sparse", markdown(rows)); err != nil {
		return err
	}
	path := filepath.Join(dir, "sparse-activity.svg")
	if err := os.WriteFile(path, []byte(plot(rows)), 0o666); err != nil {
		return fmt.Errorf("cannot write the plot: %w", err)
	}
	return nil
}

// markdown returns a table: our times, and the ratios of the others' to ours.
func markdown(rows []*suite.Row) string {
	head, rule, foot := "| case | active | ms |", "|---|---|---|", "| **geometric mean (cases)** | | |"
	lines := make([]string, len(rows))
	for i, r := range rows {
		name, active := split(r.Name)
		lines[i] = fmt.Sprintf("| %s | %g %% | %s |", name, active, suite.Digits(r.MedianUs/1e3))
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
				cell = suite.Digits(v.Ratio)
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
