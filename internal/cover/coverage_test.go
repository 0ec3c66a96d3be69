package cover_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	ti "github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

// coverSource says at the end of a line how often the last block that begins there
// is executed.
const coverSource = `package p

var X field[i32]
var N i32

func Main(wide bool) i32 { // n=2
	n := 0
	for i := range X { // n=200
		if i%4 == 0 { // n=50
			X[i] = helper(i)
		} else if i%4 == 1 { // n=50 of 150
			continue
		} else { // n=100
			X[i] += 1
		}
		n += 1 // n=150
	}
	if wide { // n=1
		n += 1000
		return n
	}
	for k := range 3 { // n=3
		for j := 0; j < 5; j++ { // n=12
			if j == 3 { // n=3
				break
			}
			n += k * j // n=9
		}
	}
	for s := range static(4) { // n=4
		n += s
	}
	if static(N > 5) { // n=1
		n += 1
	} else { // n=0
		n += 2
	}
	switch n % 3 { // n=1
	case 0, 1, 2: // n=1
		n += 1
	default: // n=0
		n -= 1
	}
	const half = N / 2
	n += half // n=1
	return n
}

func helper(i i32) i32 { // n=50
	if i < 8 { // n=4
		return 1
	}
	return 2 // n=46
}

func Never() { // n=0
	for i := range X { // n=0
		X[i] = unused(i)
	}
}

func unused(i i32) i32 { // n=0
	return i
}
`

type covered struct {
	X    ti.Field[int32]
	N    int32
	Main func(wide bool) int32
}

// coverRun executes the kernel twice and returns the error of Close.
func coverRun(t *testing.T, cfg ti.Config, name string) error {
	t.Helper()
	rt := titest.New(t, cfg)
	h := &covered{N: 8}
	rt.Place(ti.Shape{100}, &h.X)
	if _, err := rt.Compile(ti.Text(name, coverSource), h); err != nil {
		t.Fatal(err)
	}
	h.Main(true)
	h.Main(false)
	return rt.Close()
}

// wantCounts reads from the comments of the source the counts by line.
func wantCounts(times int) map[int]int {
	want := map[int]int{}
	for i, line := range strings.Split(coverSource, "\n") {
		if _, text, ok := strings.Cut(line, "// n="); ok {
			var n int
			fmt.Sscan(text, &n)
			want[i+1] = n * times
		}
	}
	return want
}

func TestCover(t *testing.T) {
	for _, cfg := range []ti.Config{{Threads: 1}, {Threads: 3}, {Arch: ti.Oracle}} {
		dir := t.TempDir()
		source, out := filepath.Join(dir, "p.ti"), filepath.Join(dir, "cover.out")
		if err := os.WriteFile(source, []byte(coverSource), 0o666); err != nil {
			t.Fatal(err)
		}
		cfg.Cover = out
		for times := 1; times <= 2; times++ { // a profile is added to
			if err := coverRun(t, cfg, source); err != nil {
				t.Fatal(err)
			}
			data, err := os.ReadFile(out)
			if err != nil {
				t.Fatal(err)
			}
			checkCounts(t, string(data), source, times)
		}
		if cfg.Arch == ti.Oracle {
			continue
		}
		page := filepath.Join(dir, "cover.html")
		if text, err := exec.Command("go", "tool", "cover", "-html="+out, "-o", page).CombinedOutput(); err != nil {
			t.Fatalf("go tool cover: %v\n%s", err, text)
		}
		html, _ := os.ReadFile(page)
		if !strings.Contains(string(html), `title="300">n += 1 // n=150`) {
			t.Errorf("go tool cover does not show the line with its count:\n%s", html)
		}
	}
}

// checkCounts compares a profile with the comments of the source: a block counts
// for the line that it begins in, or where that has none, for the next ones up to
// its end.
func checkCounts(t *testing.T, profile, source string, times int) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(profile), "\n")
	if lines[0] != "mode: count" {
		t.Errorf("the first line is %q", lines[0])
	}
	want := wantCounts(times)
	blocks := map[int][]int{} // counts by first line
	for _, line := range lines[1:] {
		var from, col, to, endCol, stmts, count int
		if _, err := fmt.Sscanf(strings.TrimPrefix(line, source+":"), "%d.%d,%d.%d %d %d", &from, &col, &to, &endCol, &stmts, &count); err != nil {
			t.Fatalf("line %q: %v", line, err)
		}
		blocks[from] = append(blocks[from], count)
	}
	for line, n := range want {
		counts := blocks[line]
		if len(counts) == 0 || counts[len(counts)-1] != n {
			t.Errorf("after %d runs, line %d has counts %v, want %d at last:\n%s", times, line, counts, n, strings.Split(coverSource, "\n")[line-1])
		}
		delete(blocks, line)
	}
}

func TestCoverWithoutFile(t *testing.T) {
	out := filepath.Join(t.TempDir(), "cover.out")
	err := coverRun(t, ti.Config{Cover: out}, "nowhere.ti")
	if err == nil || !strings.Contains(err.Error(), "nowhere.ti is no file that can be found") {
		t.Errorf("a source in no file: %v", err)
	}
	if err := os.WriteFile(out, []byte("mine\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := coverRun(t, ti.Config{Cover: out}, ""); err == nil || !strings.Contains(err.Error(), "is no coverage profile") {
		t.Errorf("a file that is something else: %v", err)
	}
	if data, _ := os.ReadFile(out); string(data) != "mine\n" {
		t.Errorf("it is overwritten: %q", data)
	}
}

// TestCoverRawString finds a raw string in this file.
func TestCoverRawString(t *testing.T) {
	out := filepath.Join(t.TempDir(), "cover.out")
	if err := coverRun(t, ti.Config{Cover: out}, ""); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(out)
	host, _ := os.ReadFile("coverage_test.go")
	before, _, _ := strings.Cut(string(host), "func Main(wide")
	want := fmt.Sprintf("coverage_test.go:%d.27,", strings.Count(before, "\n")+1)
	if err != nil || !strings.Contains(string(data), want) {
		t.Errorf("%v, no %s in\n%s", err, want, data)
	}
}

// A kernel is counted as one, whatever it is instantiated for; so are
// generic functions.
func TestCoverInstances(t *testing.T) {
	dir := t.TempDir()
	source, out := filepath.Join(dir, "p.ti"), filepath.Join(dir, "cover.out")
	const text = `package p

type Pair struct{ A, B f32 }

func add(p Pair, a f32) f32 {
	if p.A > 0 {
		p.B += a
	}
	return p.B
}

func Fill(dst template) {
	for i := range dst {
		var p Pair
		p.A = f32(i)
		dst[i] = twice(add(p, 1))
	}
}

func twice[T any](a T) T {
	return a + a
}
`
	if err := os.WriteFile(source, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	rt := titest.New(t, ti.Config{Cover: out})
	var x, y ti.Field[float32]
	rt.Place(ti.Shape{10}, &x)
	rt.Place(ti.Shape{20}, &y)
	h := struct {
		Fill func(dst ti.AnyField)
	}{}
	if _, err := rt.Compile(ti.Text(source, text), &h); err != nil {
		t.Fatal(err)
	}
	h.Fill(&x)
	h.Fill(&x)
	h.Fill(&y)
	if err := rt.Close(); err != nil {
		t.Fatal(err)
	}
	data, _ := os.ReadFile(out)
	for _, want := range []string{"5.30,6.13 1 40", "6.14,8.2 1 37", "9.2,9.12 1 40", "12.26,13.21 1 3", "13.22,17.2 3 40", "20.27,21.14 1 40"} {
		if !strings.Contains(string(data), want+"\n") {
			t.Errorf("no %s in\n%s", want, data)
		}
	}
}
