package driver_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/driver"
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/oracle"
	"github.com/gotaichi/ti/internal/pass/note"
)

// linkSource has kernels that are linked with each other. What its names are bound to differs.
const linkSource = `package p

type pair struct{ A, B f32 }

var x, y, z, short field[f32]
var g, h field[f32, D2]
var p field[pair]
var sum field[f32, D0]
var sp, sq field[f32]
var B node

//ti:noinline
func twice(v f32) f32 { return v*v + 1 }

func Copy(k f32) { for i := range x { y[i] = x[i] + k } }
func Next(k f32) { for i := range y { z[i] = y[i] * k } }
func Increment(k f32) { for i := range x { x[i] += k } }
func Fill(k f32) { for i := range x { x[i] = k } }
func Smooth() { for i := range span(1, 63) { z[i] = (x[i-1] + x[i+1]) / 2 } }
func Short() { for i := range short { short[i] += 1 } }
func Grid(k f32) { for i, j := range g { h[i][j] = g[i][j] + k } }
func GridBack() { for i, j := range h { g[i][j] = h[i][j] * 2 } }
func Member() { for i := range p { p[i].A += p[i].B } }
func Twice() { for i := range x { x[i] = twice(x[i]) } }
func Serial(k f32) { sum += k; x[3] = sum }
func Reduce() { for i := range x { sum += x[i] } }
func Scale() { s := f32(0); for i := range x { s += x[i] }; for i := range x { x[i] = x[i] - s/64 } }
func Locals() { for i := range x { var v [4]f32; for j := range 4 { v[(i+j)%4] = x[i] + f32(j) }; y[i] = v[i%4] + v[0] } }
func If(k f32) { for i := range x { if x[i] > k { y[i] = x[i] } else { y[i] = k } } }
func Continue(k f32) { for i := range x { if x[i] > k { continue }; x[i] = k } }
func Table() { t := [3]f32{1, 2, 4}; for i := range x { x[i] += t[i%3] } }

func Head(n i32) { for i := range min(n, 64) { x[i] += 1 } }
func HeadCopy(n i32) { for i := range min(n, 64) { y[i] = x[i] * 2 } }
func Between(m, n i32) { for i := range span(max(m, 0), min(n, 64)) { x[i] += 2 } }
func Wide(n i64) { for i := range i32(min(n, 64)) { x[i] += 1 } }
func Cube(n i32) { for p := range ndrange(n, n, n) { sum += f32(p.x) } }
func Square(n i32) { for i, j := range ndrange(n, n) { sum += f32(i - j) } }
func Odd(n i32) { for i := range min((((n*3+1)*5+2)*7+3)*11%61+n%7, 64) { x[i] += 1 } }
func ReturnOdd(n i32) { if x[0] > 9 { return }; for i := range min((((n*3+1)*5+2)*7+3)*11%61+n%7, 64) { x[i] += 1 } }

func Grow() { for i := range 20 { sp[3*i] = f32(i) } }
func SparseAxpy(k f32) { for i := range sp { sp[i] = k*sp[i] + 1 } }
func SparseCopy() { for i := range sp { sq[i] = sp[i] } }
func Shrink() { for i := range sp { if sp[i] > 7 { deactivate(B, i/4) } } }

func Bad(k f32) { for i := range x { x[i+3] += k } }
func Worse(k f32) { for i := range x { y[2*i] += k } }
func Assert(k f32) { for i := range x { if i == 9 { assert(x[i] < k, "too large") }; y[i] = k } }

func BadSerial(n f32) { x[i32(n)] = 1 }

func Result() f32 { return x[0] }
func Return(k f32) { if k > 1 { return }; for i := range x { x[i] = k } }
func ReturnMiddle(k f32) { for i := range x { x[i] += k }; if k > 1 { return }; for i := range x { y[i] = x[i] + k } }
func ReturnFor(k f32) { if x[2] > k { return }; v := x[5] + k; for i := range x { x[i] += v }; sum += v }
func ReturnDeep(k f32) { for i := range serial(9) { sum += 1; if x[i] > k { sum += 4; return }; x[i] += 1 }; for i := range x { y[i] = sum } }
func ReturnSerial(k f32) { if sum > k { return }; sum += k; x[3] = sum }
func ReturnSum(k f32) { if sum > k { return }; sum += k }
func ReturnBoth(k f32) { if k > 1 { sum += 1; return } else { sum += 2; return } }
func ReturnTwice(k f32) { if k > 3 { return }; for i := range x { x[i] += k }; if k > 1 { x[1] = 7; return }; sum += x[1]; for i := range x { y[i] += x[i] } }
func ReturnBad(k f32) { if k > 1 { return }; for i := range x { x[i+3] += k } }
func ReturnRandom(k f32) { x[2] = random(); if k > 1 { return }; x[3] = random(); for i := range x { y[i] += random() } }
func ReturnSparse(k f32) { if k > 1 { return }; for i := range sp { sp[i] += k } }
func Print() { for i := range x { if i == 3 { print(x[i]) } } }
func Random() { for i := range x { x[i] = random() } }
func Randoms(k f32) { x[2] = random() + k; for i := range x { y[i] += random() }; for i := range x { x[i] += random() }; x[4] = random() }
func Slice(v []f32) { for i := range x { x[i] = v[0] } }

func Jitter() { for i := range x { if i%2 == 0 { x[i] += x[i+1] } } }
func JitterOdd() { for i := range x { if i%2 == 1 { x[i] += x[i-1] } } }
func Checker() { for i, j := range g { if (i+j)%2 == 0 { if j > 0 { g[i][j] += g[i][j-1] } } } }
func SparseJitter() { for i := range sp { if i%2 == 0 { sp[i] += sp[i+1] } } }
`

// plainNames binds the source's names to fields that are apart.
func plainNames(change ...string) map[string]string {
	names := map[string]string{
		"x": "a", "y": "b", "z": "c", "short": "short", "g": "grid", "h": "grid2", "p": "pair", "sum": "sum", "sp": "sp", "sq": "sp2", "B": "sp.node",
	}
	for i := 0; i < len(change); i += 2 {
		names[change[i]] = change[i+1]
	}
	return names
}

// linkCases are launches, as words KERNEL:ARGUMENTS, of which those after # are integers, with 'in front for those of a second program in which x and y are swapped and short is
// the first member of p. Loops is how many parallel loops the linked kernel has if sums of floats keep their order, and loose if they need
// not. All numbers are exact: no order of a sum rounds it.
var linkCases = []struct {
	launches     string
	loops, loose int
}{
	{"Copy:1 Next:4", 1, 1},
	{"Copy:1", 1, 1},
	{"Increment:1 Increment:2 Increment:3 Increment:4 Increment:5 Increment:6 Increment:7 Increment:8 Increment:9 Increment:10", 1, 1},
	{"Fill:1 Fill:2 Fill:3", 1, 1},
	{"Copy:1 Smooth", 2, 2},
	{"Increment:1 Smooth Increment:2", 3, 3},
	{"Short Increment:1 Short", 2, 2},
	{"Copy:1 Increment:2 Smooth Copy:3", 3, 3},
	{"Serial:1 Copy:1 Smooth Increment:2 Smooth Serial:2 Copy:3 Reduce Smooth", 6, 5},
	{"Grid:1 GridBack Grid:3", 1, 1},
	{"Member Increment:1", 1, 1},
	{"Copy:1 'Copy:2 Copy:3", 1, 1},
	{"Increment:1 'Increment:2 'Next:3 Next:2", 1, 1},
	{"Twice 'Twice Twice", 1, 1},
	{"Serial:1 Serial:2 Increment:1 Serial:3", 1, 1},
	{"Increment:1 Reduce Reduce Serial:2", 3, 1},
	{"Scale Increment:2 Scale", 4, 3},
	{"Locals Next:2", 1, 1},
	{"If:20 Next:2 Continue:3 Increment:1", 1, 1},
	{"Table Table", 1, 1},
	{"Jitter Jitter Jitter", 1, 1},
	{"Jitter JitterOdd Jitter", 3, 3},
	{"JitterOdd JitterOdd 'Jitter 'Jitter JitterOdd", 1, 1},
	{"Checker Checker Grid:1 Checker", 1, 1},
	{"Grow SparseJitter SparseJitter SparseAxpy:2 SparseJitter", 4, 4},
	{"Random Random", 2, 2},
	{"Randoms:1 'Randoms:2 Increment:1 Random Copy:1 Randoms:3", 9, 9},
	{"Grow SparseAxpy:2 SparseAxpy:3 SparseCopy", 3, 3},
	{"Grow SparseCopy Shrink SparseCopy SparseAxpy:2 Grow Shrink", 6, 6},
	{"Grow SparseCopy SparseCopy SparseAxpy:2 SparseCopy", 2, 2},
	{"Bad:1 Increment:2 Bad:3", 3, 3},
	{"Increment:2 Increment:2 Worse:3 Bad:1", 3, 3},
	{"Increment:2 'Bad:3 Worse:1", 3, 3},
	{"BadSerial:70 BadSerial:3 BadSerial:99", 0, 0},
	{"Assert:100 'Assert:99 Assert:1 'Assert:1", 4, 4},
	{"Assert:100 'Assert:2 Assert:1", 3, 3},
	{"BadSerial:7 Serial:3 BadSerial:99 Bad:1", 1, 1},
	{"Head:#40 HeadCopy:#40 Head:#40", 1, 1},
	{"Head:#40 HeadCopy:#41 Head:#40", 3, 3},
	{"Head:#40 Head:#41 'Head:#41", 2, 2},
	{"Between:#3,#40 Between:#3,#40 Between:#3,#41", 2, 2},
	{"Between:#3,#40 Head:#40 Between:#40,#3", 3, 3},
	{"Between:#5,#5 Between:#5,#5", 1, 1},
	{"Wide:#40 Head:#40 Wide:#40", 3, 3},
	{"Square:#3 Square:#3", 2, 1},
	{"Cube:#3 Cube:#3", 2, 2},
	{"Copy:9 ReturnOdd:#5 Odd:#5 Next:3", 4, 4},
	{"Fill:10 ReturnOdd:#5 Odd:#5 Next:3", 4, 4},
	{"Return:1 Increment:1", 2, 2},
	{"Return:2 Increment:1", 2, 2},
	{"Increment:1 Return:2 Increment:1", 3, 3},
	{"Fill:3 Return:2 Copy:1", 3, 3},
	{"Fill:3 Return:1 Copy:1", 3, 3},
	{"Increment:3 Return:2 Fill:7", 2, 2},
	{"Increment:1 ReturnMiddle:1 Increment:1", 3, 3},
	{"Increment:1 ReturnMiddle:2 Increment:1", 3, 3},
	{"ReturnMiddle:2 'ReturnMiddle:1 ReturnMiddle:2", 6, 6},
	{"ReturnFor:100 Increment:1 ReturnFor:0 Increment:2", 4, 4},
	{"ReturnDeep:30 Copy:1 ReturnDeep:1 ReturnDeep:99", 3, 3}, // Copy overwrites what the first loop stores
	{"ReturnSerial:2 ReturnSerial:3 ReturnSerial:1 Serial:1", 0, 0},
	{"Increment:1 ReturnSerial:2 Increment:1", 2, 2},
	{"Increment:1 ReturnSum:2 Increment:1", 1, 1},
	{"ReturnBoth:1 Serial:1 ReturnBoth:2 Increment:1", 1, 1},
	{"Increment:1 ReturnMiddle:2 Next:1", 3, 3},
	{"ReturnTwice:1 ReturnTwice:4 ReturnTwice:2 Serial:3", 6, 6},
	{"ReturnBad:2 Bad:1 ReturnBad:1", 3, 3},
	{"ReturnBad:1 ReturnBad:2 Bad:1", 3, 3},
	{"ReturnRandom:2 Random ReturnRandom:1 Random ReturnRandom:3", 5, 5},
	{"Grow ReturnSparse:2 SparseAxpy:2 ReturnSparse:1 SparseAxpy:1", 5, 5},
}

// linkLaunches reads launches.
func linkLaunches(t *testing.T, text string, plain, swapped *linkProgram) (all []linkLaunch) {
	for word := range strings.FieldsSeq(text) {
		l := linkLaunch{in: plain}
		name, other := strings.CutPrefix(word, "'")
		if other {
			l.in = swapped
		}
		name, arg, has := strings.Cut(name, ":")
		if l.kernel = name; has {
			for a := range strings.SplitSeq(arg, ",") {
				a, isInt := strings.CutPrefix(a, "#")
				x := float32(0)
				if _, err := fmt.Sscan(a, &x); err != nil {
					t.Fatal(err)
				}
				bits := ir.FloatBits(ir.F32, float64(x))
				if isInt {
					bits = uint64(x)
				}
				l.args = append(l.args, bits)
			}
		}
		all = append(all, l)
	}
	return all
}

// TestLink runs launches one by one on the oracle, and linked in memory: fields are the same, and so is the first failure.
func TestLink(t *testing.T) {
	for _, c := range linkCases {
		for _, v := range []struct {
			level, threads        int
			strict, deterministic bool
			without               option.Switches
		}{{0, 1, true, false, 0}, {3, 1, true, false, 0}, {3, 3, false, true, 0}, {3, 3, false, false, 0}, {3, 1, true, false, option.Simplify}} {
			name := fmt.Sprintf("%s, %+v", c.launches, v)
			if v.without != 0 && !strings.Contains(name, "Return") {
				continue // control flow is what it matters for
			}
			o := driver.TestOptions(t, v.level)
			o.Strict, o.Deterministic, o.Without = v.strict, v.deterministic, o.Without|v.without
			w := newLinkWorld(t, o, v.threads)
			plain := w.program("p.ti", linkSource, plainNames())
			swapped := w.program("q.ti", linkSource, plainNames("x", "b", "y", "a"))
			all := linkLaunches(t, c.launches, plain, swapped)
			want := w.interpret(all)
			k, got := w.run(all)
			if got != want {
				t.Errorf("%s: fails as %+v, want %+v", name, got, want)
			}
			w.compare(name)
			loops := c.loops
			if !v.strict && !v.deterministic {
				loops = c.loose
			}
			if n := loopsOf(k); v.level == 3 && v.without == 0 && n != loops {
				t.Errorf("%s: %d loops, want %d: %+v", name, n, loops, k.Names)
			}
		}
	}
}

// loopsOf counts the parallel loops of a kernel.
func loopsOf(k *launch.Kernel) int {
	loops := map[int64]bool{}
	for _, t := range k.Tasks {
		if t.Loop > 0 {
			loops[t.Loop] = true
		}
	}
	return len(loops)
}

// TestLinkedBody runs the linked kernel on the oracle as well, as it is before the passes.
func TestLinkedBody(t *testing.T) {
	for _, c := range linkCases {
		if strings.Contains(c.launches, "Random") {
			continue // the oracle has one key for all, and knows no parts
		}
		o := driver.TestOptions(t, 3)
		o.Strict = true
		w := newLinkWorld(t, o, 1)
		plain := w.program("p.ti", linkSource, plainNames())
		swapped := w.program("q.ti", linkSource, plainNames("x", "b", "y", "a"))
		all := linkLaunches(t, c.launches, plain, swapped)
		u, linked, err := w.link(all)
		if err != nil {
			t.Fatal(err)
		}
		text := u.Lowered().String()
		k, err := ir.Parse(text)
		if err != nil || k.String() != text {
			t.Fatalf("%s: the text is read as another kernel, %v", c.launches, err)
		}
		if _, err := u.Describe(); err != nil || u.Lowered().String() != text {
			t.Fatalf("%s: the passes have changed the kernel as it was lowered, %v", c.launches, err)
		}
		tasks, err := u.Split()
		if err != nil {
			t.Fatal(err)
		}
		if again, err := ir.Parse(tasks.String()); err != nil || again.String() != tasks.String() {
			t.Fatalf("%s: the text of its tasks is read as another kernel, %v\n%s", c.launches, err, tasks)
		}
		var args []uint64
		for i := range all {
			args = append(args[:linked.Parts[i].Args], all[i].args...)
		}
		if _, err := oracle.Run(t.Context(), k, w.env(k, driver.Layout(linked.Layout), args)); err != nil {
			t.Fatal(err)
		}
		got := map[string]oracle.Cells{}
		for name, f := range w.fields {
			got[name] = f.want
		}
		w = newLinkWorld(t, o, 1)
		plain.lay, swapped.lay = w.program("p.ti", linkSource, plainNames()).lay, w.program("q.ti", linkSource, plainNames("x", "b", "y", "a")).lay
		w.interpret(all)
		for name, f := range w.fields {
			for key, bits := range f.want {
				if got[name][key] != bits {
					t.Fatalf("%s: %s%v is %x, want %x", c.launches, name, key, got[name][key], bits)
				}
			}
		}
	}
}

// TestApart has what cannot be linked, with the reasons.
func TestApart(t *testing.T) {
	o := driver.TestOptions(t, 3)
	w := newLinkWorld(t, o, 1)
	plain := w.program("p.ti", linkSource, plainNames())
	member := w.program("q.ti", linkSource, plainNames("x", "pair.A", "y", "pair.B"))
	both := w.program("q.ti", linkSource, plainNames("x", "pair.B"))
	for _, c := range []struct{ launches, reason string }{
		{"Increment:1 Result", "Result is not linked with other launches: it has results"},
		{"Print", "it prints"},
		{"Increment:1 Slice", "its parameter v is memory of the caller"},
		{"Member 'Increment:1", "its field x and p of a launch before it have components in common"},
		{"'Increment:1 Member", "its field p and x of a launch before it have components in common"},
	} {
		_, _, err := w.link(linkLaunches(t, c.launches, plain, member))
		var apart *driver.Apart
		if !errors.As(err, &apart) || !strings.Contains(err.Error(), c.reason) {
			t.Errorf("%s: %v, want %s", c.launches, err, c.reason)
		}
	}
	// Members that are apart are different fields.
	all := linkLaunches(t, "'Increment:1 Increment:2", both, member)
	if failed := w.interpret(all); failed.count != 0 {
		t.Error(failed)
	}
	w.run(all)
	w.compare("members")
	for _, change := range []struct {
		reason string
		change func(o *driver.Options)
	}{
		{"debug mode", func(o *driver.Options) { o.Debug = true }},
		{"accesses are recorded", func(o *driver.Options) { o.Accesses = true }},
		{"is counted", func(o *driver.Options) { o.Measure = map[string][]bool{"x": {true}} }},
		{"a tape", func(o *driver.Options) { o.Gradient = true }},
	} {
		o := o
		change.change(&o)
		part := driver.LinkPart{Program: &plain.prog.Program, Kernel: "Fill", Layout: plain.lay, Options: o}
		if _, _, err := driver.Link([]driver.LinkPart{part}); err == nil || !strings.Contains(err.Error(), change.reason) {
			t.Errorf("%v, want %s", err, change.reason)
		}
	}
	strict := o
	strict.Strict = true
	parts := []driver.LinkPart{{Program: &plain.prog.Program, Kernel: "Fill", Layout: plain.lay, Options: o}, {Program: &plain.prog.Program, Kernel: "Copy", Layout: plain.lay, Options: strict}}
	if _, _, err := driver.Link(parts); err == nil || !strings.Contains(err.Error(), "other options than Fill") {
		t.Error(err)
	}
}

// TestLinkKey: keys tell what memory is the same.
func TestLinkKey(t *testing.T) {
	w := newLinkWorld(t, driver.TestOptions(t, 3), 1)
	keys := map[string]string{}
	for _, names := range [][]string{{}, {"x", "b", "y", "a"}, {"x", "c", "y", "a"}, {"x", "c", "y", "b"}} {
		plain := w.program("p.ti", linkSource, plainNames())
		other := w.program("p.ti", linkSource, plainNames(names...))
		for range 2 {
			u, _, err := w.link(linkLaunches(t, "Copy:1 'Copy:2", plain, other))
			if err != nil {
				t.Fatal(err)
			}
			key := fmt.Sprint(u.Key)
			if of, ok := keys[key]; ok && of != fmt.Sprint(names) {
				t.Errorf("%v and %v have one key", names, of)
			}
			keys[key] = fmt.Sprint(names)
		}
	}
	if len(keys) != 4 {
		t.Errorf("%d keys", len(keys))
	}
}

// TestLinkedTraffic counts the accesses to memory of what launches are fused into.
func TestLinkedTraffic(t *testing.T) {
	for _, c := range []struct {
		launches      string
		loads, stores int // in the bodies of loops
	}{
		{"Copy:1 Next:4", 1, 2},
		{"Increment:1 Increment:2 Increment:3 Increment:4 Increment:5 Increment:6 Increment:7 Increment:8 Increment:9 Increment:10", 1, 1},
		{"Fill:1 Fill:2 Fill:3 Fill:4 Fill:5 Fill:6 Fill:7 Fill:8 Fill:9 Fill:10", 0, 1},
		{"Grow SparseAxpy:2 SparseAxpy:3", 1, 1},
		{"Increment:1 Reduce", 1, 1},
		{"Copy:1 Increment:2 Smooth Copy:3", 4, 3}, // the first y is overwritten
		{strings.Repeat("Copy:1 Next:2 'Copy:3 Increment:4 ", 40), 1, 3},
		{"Copy:1 'Copy:2 Copy:3", 1, 2},
		{"Twice Twice", 1, 1},
	} {
		u := linkedUnit(t, c.launches, driver.TestOptions(t, 3))
		k, err := u.Passed("blend")
		if err != nil {
			t.Fatal(err)
		}
		loads, stores := 0, 0
		for _, task := range k.Tasks {
			if len(task.Dims) == 0 || task.Name == "Grow: for i := range …" {
				continue
			}
			ir.Visit(task.Body, func(o *ir.Op) bool {
				switch o.Code {
				case ir.OpLoad:
					loads++
				case ir.OpStore:
					stores++
				}
				return true
			})
		}
		if loads != c.loads || stores != c.stores {
			t.Errorf("%s: %d loads and %d stores, want %d and %d\n%s", c.launches, loads, stores, c.loads, c.stores, k)
		}
	}
}

// linkedUnit links launches of linkSource.
func linkedUnit(t *testing.T, launches string, o driver.Options) *driver.Unit {
	t.Helper()
	w := newLinkWorld(t, o, 1)
	plain := w.program("p.ti", linkSource, plainNames())
	swapped := w.program("q.ti", linkSource, plainNames("x", "b", "y", "a"))
	u, _, err := w.link(linkLaunches(t, launches, plain, swapped))
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// TestExplainLinked: notes and names are those of the sources.
func TestExplainLinked(t *testing.T) {
	r, err := linkedUnit(t, "Copy:1 Increment:2 Smooth 'Next:2 Copy:3", driver.TestOptions(t, 3)).Explain()
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, n := range r.Notes {
		if n.Is(note.LaunchesFused) || n.Is(note.StoresDead) {
			fmt.Fprintf(&text, "%s:%d: %s\n", r.Files[n.Pos.File], n.Pos.Line, n.Text)
		}
	}
	for _, task := range r.Tasks {
		fmt.Fprintln(&text, "task", task.Name)
	}
	want := `p.ti:19: left out: launches are optimised together, and a later one overwrites all that this stores
p.ti:15: left out: launches are optimised together, and a later one overwrites all that this stores
q.ti:16: fused: launches are optimised together, and this is one loop: Increment: for i := range x + Next: for i := range y
p.ti:15: fused: launches are optimised together, and this is one loop: Increment: for i := range x + Next: for i := range y + Copy: for i := range x
task Increment: for i := range x + Next: for i := range y + Copy: for i := range x
`
	if got := text.String(); got != want {
		t.Errorf("it says\n%s", got)
	}
}

// TestWhyApart: loops of launches that are not fused have the first condition that they break, and the places of both.
func TestWhyApart(t *testing.T) {
	for _, c := range []struct{ launches, says string }{
		{"Increment:1 Smooth", "p.ti:19:17: not fused with the loop of the launch before, at 17:25: their ranges differ"},
		{"Increment:1 Short", "their ranges differ"},
		{"Twice Bad:1", "the second does more than compute, load and store"},
		{"Bad:1 Twice", "the first does more than compute, load and store"},
		{"Copy:1 Next:1", ""},
		{"Increment:1 Return:1", "a return before the second may skip it"},
		{"Return:1 Increment:1", "a return before the first may skip it"},
		{"Jitter Jitter", ""},
		{"SparseCopy SparseAxpy:2", ""},
		{"SparseAxpy:2 SparseCopy", "p.ti:44:21: not fused with the loop of the launch before, at 43:26: the second may activate cells of sq that the same iteration of the first does not activate in any case (44:41)"},
		{"Jitter JitterOdd", "p.ti:71:20: not fused with the loop of the launch before, at 70:17: an iteration of the second needs elements of x that another iteration of the first accesses (70:58 and 71:53)"},
	} {
		all, err := linkedUnit(t, c.launches, driver.TestOptions(t, 3)).WhyApart()
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(all, "\n"); c.says == "" && got != "" || !strings.Contains(got, c.says) {
			t.Errorf("%s: %q, want %q", c.launches, got, c.says)
		}
	}
}
