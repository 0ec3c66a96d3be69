package suite

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestParseTiming(t *testing.T) {
	const out = "[Taichi] Starting on arch=x64\njulia                  25092.9 us  min      24968.3  check 1700457.27\n"
	got, err := parseTiming(out, "taichi", "julia")
	want := Timing{Median: 25092900 * time.Nanosecond, Min: 24968300 * time.Nanosecond, Check: 1700457.27}
	if err != nil || got != want {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
	for _, bad := range []string{"", "julia failed: no such op", "life 1 us min 1 check 1", "julia 1.2.3 us min 1 check 1"} {
		if _, err := parseTiming(bad, "taichi", "julia"); err == nil {
			t.Errorf("%q gave no error", bad)
		}
	}
}

func TestDisagree(t *testing.T) {
	for _, c := range []struct {
		got, want, tol float64
		ok             bool
	}{
		{1, 1, 0, true},
		{1.0001, 1, 1e-3, true},
		{1.01, 1, 1e-3, false},
		{0, 0, 0, true},
		{math.NaN(), 1, 1, false},
		{math.Inf(1), 1, 1, false},
	} {
		if err := Disagree(c.got, c.want, c.tol); (err == nil) != c.ok {
			t.Errorf("Disagree(%v, %v, %v) = %v", c.got, c.want, c.tol, err)
		}
	}
}

func TestReport(t *testing.T) {
	rows := []*Row{
		{Name: "a", MedianUs: 1, Beside: map[string]Beside{"taichi": {MedianUs: 2, Ratio: 2}}},
		{Name: "b", MedianUs: 1, Beside: map[string]Beside{"taichi": {MedianUs: 8, Ratio: 8}}},
		{Name: "c", MedianUs: 1},
	}
	if mean, n := GeometricMean(rows, "taichi"); math.Abs(mean-4) > 1e-12 || n != 2 {
		t.Errorf("geometric mean %v of %d; want 4 of 2", mean, n)
	}
	var out strings.Builder
	tab := &Table{W: &out, Peers: []Peer{&Variant{Label: "taichi"}}}
	tab.Header()
	for _, r := range rows {
		tab.Row(r)
	}
	tab.Means(rows)
	if want := "of 2     4.00"; !strings.Contains(out.String(), want) {
		t.Errorf("the table lacks %q:\n%s", want, out.String())
	}

	path := filepath.Join(t.TempDir(), "results.json")
	if err := WriteJSON(path, rows); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var got []map[string]any
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"name", "median_us", "min_us", "check", "beside"} {
		if _, ok := got[0][key]; !ok {
			t.Errorf("the JSON lacks %q: %s", key, text)
		}
	}
	if err := WriteJSON(filepath.Join(path, "below"), rows); err == nil {
		t.Error("writing below a file gave no error")
	}
}

var known = []Known{{Label: "taichi", Script: "taichi_bench.py"}, {Label: "limits"}}

func TestMissingPeer(t *testing.T) {
	for names, want := range map[string]string{
		"limits":  "install limits",
		"taichi":  "install taichi",
		"fortran": "there is no peer",
	} {
		_, err := FindPrograms(t.Context(), t.TempDir(), names, known)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want an error with %q", names, err, want)
		}
	}
}

// TestPeer runs a peer that is a script.
func TestPeer(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // which has no sh to run the script
	}
	dir := t.TempDir()
	const script = `#!/bin/sh
case "$*" in
--list) echo saxpy; echo life;;
"--only saxpy --threads 2") echo "saxpy  20.5 us  min  10.0  check 7";;
*) echo "no such case" >&2; exit 3;;
esac
`
	if err := os.WriteFile(filepath.Join(dir, "limits"), []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	peers, err := FindPrograms(t.Context(), dir, "limits", known)
	if err != nil {
		t.Fatal(err)
	}
	p := peers[0]
	if !p.Has("saxpy") || !p.Has("life") || p.Has("pi") {
		t.Errorf("the peer has the cases %v; want saxpy and life", p.cases)
	}
	got, err := p.Measure(t.Context(), "saxpy", 2)
	if want := (Timing{20500 * time.Nanosecond, 10 * time.Microsecond, 7}); err != nil || got != want {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
	if _, err := p.Measure(t.Context(), "life", 2); err == nil || !strings.Contains(err.Error(), "no such case") {
		t.Errorf("a peer that fails: got %v, want what it wrote to standard error", err)
	}
}
