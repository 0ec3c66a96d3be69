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
	CompileUs float64           `json:"compile_us"`         // of all kernels of the case, over all threads
	ThereUs   float64           `json:"there_us,omitempty"` // of a case that is timed there and back, the way there
	Check     float64           `json:"check"`
	Work      Work              `json:"work,omitzero"`
	Beside    map[string]Beside `json:"beside,omitempty"`
	Refused   []string          `json:"refused,omitempty"` // what peers say that have the case and cannot run it
}

// Work is the least that a launch has to do; 0 is not known.
type Work struct {
	Bytes float64 `json:"bytes,omitempty"` // between processor and memory, in both directions
	Flops float64 `json:"flops,omitempty"`
}

// Rates returns gigabytes and billions of operations a second, by the median time; 0 where the work is not known.
func (r *Row) Rates() (gigabytes, gigaflops float64) {
	if r.MedianUs <= 0 {
		return 0, 0
	}
	return r.Work.Bytes / r.MedianUs / 1e3, r.Work.Flops / r.MedianUs / 1e3
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
	fmt.Fprintf(t.W, "%-16s %12s %12s %14s %8s %8s", "case", "median µs", "min µs", "check", "GB/s", "Gflop/s")
	for _, p := range t.Peers {
		fmt.Fprintf(t.W, " %12s %8s", p.Name()+" µs", "ratio")
	}
	fmt.Fprintln(t.W)
}

// Row prints one. Behind a case that is timed there and back stands how long the way there takes, and how many times as
// long the backward pass; below it, which peers cannot run it.
func (t *Table) Row(r *Row) {
	fmt.Fprintf(t.W, "%-16s %12.2f %12.2f %14.9g", r.Name, r.MedianUs, r.MinUs, r.Check)
	gigabytes, gigaflops := r.Rates()
	for _, v := range []float64{gigabytes, gigaflops} {
		if v > 0 {
			fmt.Fprintf(t.W, " %8.1f", v)
		} else {
			fmt.Fprintf(t.W, " %8s", "-")
		}
	}
	for _, p := range t.Peers {
		if b, ok := r.Beside[p.Name()]; ok {
			fmt.Fprintf(t.W, " %12.2f %8.2f", b.MedianUs, b.Ratio)
		} else {
			fmt.Fprintf(t.W, " %12s %8s", "-", "-")
		}
	}
	if r.ThereUs > 0 {
		fmt.Fprintf(t.W, "   there %.2f µs, back %.2f times", r.ThereUs, r.MedianUs/r.ThereUs-1)
	}
	fmt.Fprintln(t.W)
	for _, refusal := range r.Refused {
		fmt.Fprintf(t.W, "    %s\n", refusal)
	}
}

// Means prints the geometric mean of the ratios to each peer.
func (t *Table) Means(rows []*Row) {
	if len(t.Peers) == 0 || len(rows) == 0 {
		return
	}
	fmt.Fprintf(t.W, "%-16s %s", "geometric mean", strings.Repeat(" ", 58))
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
