package suite

import (
	"encoding/json"
	"errors"
	_ "github.com/gotaichi/ti/internal/randtest" // each error of the compiler ends a launch
	"io"
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
	_, err = parseTiming("julia              failed: no such op\n", "taichi", "julia")
	if refusal, is := errors.AsType[*Refusal](err); !is || refusal.Error() != "taichi cannot run julia: no such op" {
		t.Errorf("a refusal is %v", err)
	}
	for _, bad := range []string{"", "life 1 us min 1 check 1", "julia 1.2.3 us min 1 check 1"} {
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
	t.Setenv("TI_ARCH", "wasm")
	const script = `#!/bin/sh
test -z "$TI_ARCH" || exit 4
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
	if want := (Timing{Median: 20500 * time.Nanosecond, Min: 10 * time.Microsecond, Check: 7}); err != nil || got != want {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
	if _, err := p.Measure(t.Context(), "life", 2); err == nil || !strings.Contains(err.Error(), "no such case") {
		t.Errorf("a peer that fails: got %v, want what it wrote to standard error", err)
	}
}

// TestRegress compares runs in which a case got slower, one only looked so, and one is new.
func TestRegress(t *testing.T) {
	before := []*Row{{Name: "a", MinUs: 100, CompileUs: 1000}, {Name: "b", MinUs: 100, CompileUs: 1000}, {Name: "c", MinUs: 100, CompileUs: 1000}, {Name: "left out", MinUs: 1}, {Name: "old", MinUs: 10}}
	now := []*Row{{Name: "a", MinUs: 105, CompileUs: 900}, {Name: "b", MinUs: 150, CompileUs: 1000}, {Name: "c", MinUs: 100, CompileUs: 1300}, {Name: "new", MinUs: 1}, {Name: "old", MinUs: 10, CompileUs: 5}}
	measured := map[string]int{}
	again := func(name string) (*Row, error) {
		measured[name]++
		if name == "b" {
			return &Row{MinUs: 101, CompileUs: 1000}, nil
		}
		return &Row{MinUs: 100, CompileUs: 1250}, nil
	}
	var out strings.Builder
	err := Regress(now, before, 1.1, again, &out)
	if err == nil || err.Error() != "c compiles 1.25 times as long as before" {
		t.Errorf("%v", err)
	}
	if measured["a"] != 0 || measured["b"] != 1 || measured["c"] != attempts-1 || measured["old"] != 0 {
		t.Errorf("cases were measured again %v times", measured)
	}
	for _, line := range []string{"a                           1.050    0.900", "b                           1.010    1.000", "c                           1.000    1.250"} {
		if !strings.Contains(out.String(), line) {
			t.Errorf("%q is missing in\n%s", line, &out)
		}
	}
	if err := Regress(now[:1], before, 1, func(string) (*Row, error) { return nil, errors.New("broken") }, io.Discard); err == nil || !strings.Contains(err.Error(), "broken") {
		t.Errorf("a case that fails: %v", err)
	}
}
