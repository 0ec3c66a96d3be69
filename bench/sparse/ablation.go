package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"github.com/gotaichi/ti/bench/internal/suite"
)

// An ablation is a way to compute the product with the stiffness of examples/fem: without a part of the compiler, on
// one thread, or in another layout.
type ablation struct {
	what    string
	without string  // parts of the compiler, as TI_WITHOUT has them
	threads int     // 0: all
	bench   string  // of the example
	thesis  float64 // milliseconds of the thesis for its kernel without the like, 0 for none
}

// ablations have those of the thesis first, and what they are compared with before all.
var ablations = []ablation{
	{"everything", "", 0, "Sparse", 17.16},
	{"one thread", "", 1, "Sparse", 73.43},
	{"no vectors", "vectors", 0, "Sparse", 83.54},
	{"no simplification before access lowering", "preaccess", 0, "Sparse", 17.01},
	{"no access lowering", "access", 0, "Sparse", 182.19},
	{"no simplification after it", "postaccess", 0, "Sparse", 85.51},
	{"no simplification at all", "preaccess,postaccess", 0, "Sparse", 0},
	{"an array of structures", "", 0, "Structs", 136.03},
	{"of access lowering: no bounds of indices", "ranges", 0, "Sparse", 0},
	{"no local copies of a block and its border", "scratch", 0, "Sparse", 0},
	{"nor separate loops for border cells", "scratch,border", 0, "Sparse", 0},
	{"nor shared look-ups", "scratch,border,lookups,ancestors", 0, "Sparse", 0},
	{"nor facts of the loop about its cell", "scratch,border,lookups,ancestors,proof", 0, "Sparse", 0},
}

// rounds is how often all ablations are measured, in turn, so that a disturbance of the machine meets all of them.
const rounds = 4

// ablate measures them, and prints a table.
func ablate(ctx context.Context, o *options, w io.Writer) error {
	e, err := buildExample(ctx, "fem")
	if err != nil {
		return err
	}
	defer e.remove()
	best := make([]benchResult, len(ablations))
	for round := range rounds {
		for i, a := range ablations {
			threads := o.Threads
			if a.threads > 0 {
				threads = a.threads
			}
			env := append(threadsEnv(threads), "TI_WITHOUT="+a.without)
			r, err := e.bench(ctx, a.bench, duration(o, "500ms"), env...)
			if err != nil {
				return fmt.Errorf("%s: %w", a.what, err)
			}
			if round == 0 || r.ns < best[i].ns {
				best[i] = r
			}
		}
		if o.quick {
			break
		}
	}
	table := ablationTable(best)
	fmt.Fprint(w, table)
	if o.docs == "" {
		return nil
	}
	return suite.ReplaceBlock(filepath.Join(o.docs, "benchmarks.md"), "go run ./bench/sparse -ablation", table)
}

// ablationTable has times, and how many times longer than with everything that is.
func ablationTable(best []benchResult) string {
	table := "| | `TI_WITHOUT` | time | times | thesis | times |\n|---|---|---|---|---|---|\n"
	for i, a := range ablations {
		without, thesis, slower := "", "-", "-"
		if a.without != "" {
			without = "`" + a.without + "`"
		}
		if a.thesis > 0 {
			thesis = fmt.Sprintf("%.1f ms", a.thesis)
			slower = fmt.Sprintf("%.2f", a.thesis/ablations[0].thesis)
		}
		table += fmt.Sprintf("| %s | %s | %s | %.2f | %s | %s |\n", a.what, without, best[i].time(), best[i].ns/best[0].ns, thesis, slower)
	}
	return table
}
