package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gotaichi/ti/bench/internal/suite"
)

// titles are the columns of the table, by the names of the peers.
var titles = map[string]string{
	"dense": "dense array", "taichi": "Taichi", "quadrants": "Quadrants", "openvdb": "OpenVDB", "nanovdb": "NanoVDB", "handc": "C by hand",
}

// document writes the table into benchmarks.md of a folder, and the plot beside it.
func document(dir string, rows []*suite.Row, peers []suite.Peer) error {
	if err := replaceBlock(filepath.Join(dir, "benchmarks.md"), "go run ./bench/sparse", markdown(rows, peers)); err != nil {
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
func markdown(rows []*suite.Row, peers []suite.Peer) string {
	var b strings.Builder
	b.WriteString("| case | active | ms |")
	for _, p := range peers {
		fmt.Fprintf(&b, " %s |", titles[p.Name()])
	}
	b.WriteString("\n|---|---|---|" + strings.Repeat("---|", len(peers)) + "\n")
	for _, r := range rows {
		name, active := split(r.Name)
		fmt.Fprintf(&b, "| %s | %g %% | %s |", name, active, digits(r.MedianUs/1e3))
		for _, p := range peers {
			if v, ok := r.Beside[p.Name()]; ok {
				fmt.Fprintf(&b, " %s |", digits(v.Ratio))
			} else {
				b.WriteString(" - |")
			}
		}
		b.WriteByte('\n')
	}
	b.WriteString("| **geometric mean (cases)** | | |")
	for _, p := range peers {
		if mean, n := suite.GeometricMean(rows, p.Name()); n > 0 {
			fmt.Fprintf(&b, " **%s (%d)** |", digits(mean), n)
		} else {
			b.WriteString(" - |")
		}
	}
	b.WriteByte('\n')
	return b.String()
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
