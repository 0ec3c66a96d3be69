package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"time"
)

// A row is the result of one case, as -json writes it.
type row struct {
	Name     string            `json:"name"`
	MedianUs float64           `json:"median_us"`
	MinUs    float64           `json:"min_us"`
	Check    float64           `json:"check"`
	Beside   map[string]beside `json:"beside,omitempty"`
}

// beside is what a peer needed for the case; Ratio is its time over ours.
type beside struct {
	MedianUs float64 `json:"median_us"`
	Ratio    float64 `json:"ratio"`
}

func microseconds(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// A table prints rows as they come.
type table struct {
	w     io.Writer
	peers []*peer
}

func (t *table) header() {
	fmt.Fprintf(t.w, "%-16s %12s %12s %14s", "case", "median µs", "min µs", "check")
	for _, p := range t.peers {
		fmt.Fprintf(t.w, " %12s %8s", p.name+" µs", "ratio")
	}
	fmt.Fprintln(t.w)
}

func (t *table) row(r *row) {
	fmt.Fprintf(t.w, "%-16s %12.2f %12.2f %14.9g", r.Name, r.MedianUs, r.MinUs, r.Check)
	for _, p := range t.peers {
		if b, ok := r.Beside[p.name]; ok {
			fmt.Fprintf(t.w, " %12.2f %8.2f", b.MedianUs, b.Ratio)
		} else {
			fmt.Fprintf(t.w, " %12s %8s", "-", "-")
		}
	}
	fmt.Fprintln(t.w)
}

// means prints the geometric mean of the ratios to each peer.
func (t *table) means(rows []*row) {
	if len(t.peers) == 0 || len(rows) == 0 {
		return
	}
	fmt.Fprintf(t.w, "%-16s %s", "geometric mean", strings.Repeat(" ", 40))
	for _, p := range t.peers {
		if mean, n := geometricMean(rows, p.name); n > 0 {
			fmt.Fprintf(t.w, " %12s %8.2f", fmt.Sprintf("of %d", n), mean)
		} else {
			fmt.Fprintf(t.w, " %12s %8s", "-", "-")
		}
	}
	fmt.Fprintln(t.w)
}

// geometricMean returns the mean of the ratios to a peer, and of how many cases it is.
func geometricMean(rows []*row, peer string) (mean float64, n int) {
	logs := 0.0
	for _, r := range rows {
		if b, ok := r.Beside[peer]; ok && b.Ratio > 0 {
			logs += math.Log(b.Ratio)
			n++
		}
	}
	return math.Exp(logs / float64(max(n, 1))), n
}

// writeJSON writes the rows to a file.
func writeJSON(path string, rows []*row) error {
	text, err := json.MarshalIndent(rows, "", "  ")
	if err != nil {
		return fmt.Errorf("cannot write the results as JSON: %w", err)
	}
	if err := os.WriteFile(path, append(text, '\n'), 0o666); err != nil {
		return fmt.Errorf("cannot write the results: %w", err)
	}
	return nil
}
