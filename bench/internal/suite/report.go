package suite

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
)

// A Row is the result of one case, as -json writes it.
type Row struct {
	Name      string            `json:"name"`
	MedianUs  float64           `json:"median_us"`
	MinUs     float64           `json:"min_us"`
	CompileUs float64           `json:"compile_us"` // of all kernels of the case, over all threads
	Check     float64           `json:"check"`
	Beside    map[string]Beside `json:"beside,omitempty"`
}

// Beside is what a peer needed for the case; Ratio is its time over ours.
type Beside struct {
	MedianUs float64 `json:"median_us"`
	Ratio    float64 `json:"ratio"`
}

// A Table prints rows as they come.
type Table struct {
	W     io.Writer
	Peers []Peer
}

// Header prints the names of the columns.
func (t *Table) Header() {
	fmt.Fprintf(t.W, "%-16s %12s %12s %14s", "case", "median µs", "min µs", "check")
	for _, p := range t.Peers {
		fmt.Fprintf(t.W, " %12s %8s", p.Name()+" µs", "ratio")
	}
	fmt.Fprintln(t.W)
}

// Row prints one.
func (t *Table) Row(r *Row) {
	fmt.Fprintf(t.W, "%-16s %12.2f %12.2f %14.9g", r.Name, r.MedianUs, r.MinUs, r.Check)
	for _, p := range t.Peers {
		if b, ok := r.Beside[p.Name()]; ok {
			fmt.Fprintf(t.W, " %12.2f %8.2f", b.MedianUs, b.Ratio)
		} else {
			fmt.Fprintf(t.W, " %12s %8s", "-", "-")
		}
	}
	fmt.Fprintln(t.W)
}

// Means prints the geometric mean of the ratios to each peer.
func (t *Table) Means(rows []*Row) {
	if len(t.Peers) == 0 || len(rows) == 0 {
		return
	}
	fmt.Fprintf(t.W, "%-16s %s", "geometric mean", strings.Repeat(" ", 40))
	for _, p := range t.Peers {
		if mean, n := GeometricMean(rows, p.Name()); n > 0 {
			fmt.Fprintf(t.W, " %12s %8.2f", fmt.Sprintf("of %d", n), mean)
		} else {
			fmt.Fprintf(t.W, " %12s %8s", "-", "-")
		}
	}
	fmt.Fprintln(t.W)
}

// GeometricMean returns the mean of the ratios to a peer, and of how many cases it is.
func GeometricMean(rows []*Row, peer string) (mean float64, n int) {
	logs := 0.0
	for _, r := range rows {
		if b, ok := r.Beside[peer]; ok && b.Ratio > 0 {
			logs += math.Log(b.Ratio)
			n++
		}
	}
	return math.Exp(logs / float64(max(n, 1))), n
}

// WriteJSON writes the rows to a file.
func WriteJSON(path string, rows []*Row) error {
	text, err := json.MarshalIndent(rows, "", "  ")
	if err != nil {
		return fmt.Errorf("cannot write the results as JSON: %w", err)
	}
	if err := os.WriteFile(path, append(text, '\n'), 0o666); err != nil {
		return fmt.Errorf("cannot write the results: %w", err)
	}
	return nil
}

// ReadJSON reads rows that WriteJSON wrote.
func ReadJSON(path string) (rows []*Row, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the results: %w", err)
	}
	if err := json.Unmarshal(text, &rows); err != nil {
		return nil, fmt.Errorf("%s holds no results of benchmarks: %w", path, err)
	}
	return rows, nil
}
