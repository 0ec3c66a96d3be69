package variant_test

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

// linkedSources have a kernel each: a runtime compiles all kernels of a source in the background once one is launched.
var linkedSources = map[string]string{
	"Add": `package p

var (
	X field[f32, D1]
	N i32
)

func Add() { for i := range X { X[i] += f32(N + i) } }
`,
	"Copy": `package p

var X, Y field[f32, D1]

func Copy() { for i := range X { Y[i] = X[i] } }
`,
	"Smooth": `package p

var X, Y field[f32, D1]

func Smooth() { for i := range span(1, 7) { Y[i] = X[i-1] + X[i+1] } }
`,
	"Head": `package p

var X field[f32, D1]

func Head(n i32) { for i := range min(n, 6) { X[i] += f32(n) } }
`,
	"Swap": `package p

type pair struct{ A, B f32 }

var P field[pair, D1]

func Swap() { for i := range P { P[i].A, P[i].B = P[i].B, P[i].A + 1 } }
`,
}

// A linkHost is what two programs are bound to, and which of their launches make a batch: as words PROGRAM.KERNEL:ARGUMENT.
type linkHost struct {
	cfg      ti.Config
	n        int
	constant int32
	second   string // what X, Y of the second program are, as in "ab"
	layout   func(rt *ti.Runtime, b *ti.Field[float32])
	launches string
	without  string            // parts of the compiler
	edit     *strings.Replacer // of sources
}

// run makes the launches in a runtime of its own. It returns what fields hold then, and how many sources were parsed, and kernels and links lowered.
func (l linkHost) run(t *testing.T, cache ti.Cache, batch int) (values, work string) {
	t.Helper()
	t.Setenv("TI_WITHOUT", l.without)
	cfg := l.cfg
	cfg.Cache, cfg.Batch = cache, batch
	rt, err := ti.New(cfg)
	titest.Must(t, err)
	defer rt.Close()
	fields := map[byte]*ti.Field[float32]{}
	for _, name := range []byte("abc") {
		fields[name] = new(ti.Field[float32])
		if name == 'b' && l.layout != nil {
			l.layout(rt, fields[name])
		} else {
			rt.Place(ti.Shape{l.n}, fields[name])
		}
	}
	pairs := new(ti.Field[struct{ A, B float32 }])
	rt.Place(ti.Shape{l.n}, pairs)
	fields['A'], fields['B'] = ti.Member[float32](pairs, "A"), ti.Member[float32](pairs, "B")
	all := ti.Bindings{"P": pairs, "N": l.constant}
	programs := map[string]*ti.Program{}
	for word := range strings.FieldsSeq(l.launches) {
		word, arg, has := strings.Cut(word, ":")
		var args []any
		if has {
			n, err := strconv.Atoi(arg)
			titest.Must(t, err)
			args = append(args, int32(n))
		}
		program, kernel, _ := strings.Cut(word, ".")
		if programs[word] == nil {
			xy := map[string]string{"p": "ab", "q": l.second}[program]
			all["X"], all["Y"] = fields[xy[0]], fields[xy[1]]
			text, b := linkedSources[kernel], ti.Bindings{}
			for name, v := range all {
				if strings.Contains(text, name+" ") || strings.Contains(text, name+",") {
					b[name] = v
				}
			}
			if l.edit != nil {
				text = l.edit.Replace(text)
			}
			programs[word], err = rt.Compile(ti.Text(kernel+".ti", text), b)
			titest.Must(t, err)
		}
		_, err := programs[word].Kernel(kernel).Launch(context.Background(), args...)
		titest.Must(t, err)
	}
	titest.Must(t, rt.Sync())
	var out bytes.Buffer
	for _, name := range []byte("abc") {
		for i := range l.n {
			fmt.Fprint(&out, fields[name].At(i), " ")
		}
	}
	for i := range l.n {
		fmt.Fprint(&out, pairs.At(i), " ")
	}
	parsed, lowered := titest.Work(rt)
	return out.String(), fmt.Sprintf("parsed %d, lowered %d", parsed, lowered)
}

// TestLinkIndex: launches that were linked once, or found to stay apart, are neither lowered nor linked again by another runtime. If anything is
// different that code depends on, they are linked once more, also where the cache has each of their kernels.
func TestLinkIndex(t *testing.T) {
	t.Setenv("TI_LINK_ALWAYS", "1")
	on := ti.Cache{Dir: filepath.Join(t.TempDir(), "cache"), Policy: ti.CacheNever}
	first := linkHost{n: 8, constant: 3, second: "ab", launches: "p.Add p.Copy q.Add q.Add"}
	for _, test := range []struct {
		name   string
		change func(l *linkHost)
	}{
		{"first", func(*linkHost) {}},
		{"another order", func(l *linkHost) { l.launches = "p.Copy p.Add q.Add q.Add" }},
		{"fewer launches", func(l *linkHost) { l.launches = "p.Add p.Copy q.Add" }},
		{"a launch of another program", func(l *linkHost) { l.launches, l.second = "p.Add q.Copy p.Add p.Add", "ba" }},
		{"fields swapped", func(l *linkHost) { l.second = "ba" }},
		{"another first field", func(l *linkHost) { l.second = "cb" }},
		{"another second field", func(l *linkHost) { l.second, l.launches = "ac", "p.Add p.Copy q.Add q.Copy" }},
		{"another pattern of the same", func(l *linkHost) { l.launches = "p.Add p.Copy q.Add q.Copy" }},
		{"members", func(l *linkHost) { l.second, l.launches = "AB", "q.Add q.Copy q.Add" }},
		{"members swapped", func(l *linkHost) { l.second, l.launches = "BA", "q.Add q.Copy q.Add" }},
		{"another source", func(l *linkHost) { l.edit = strings.NewReplacer("N + i", "i + N") }},
		{"other lines", func(l *linkHost) { l.edit = strings.NewReplacer("var (", "\n\nvar (") }},
		{"another size", func(l *linkHost) { l.n = 9 }},
		{"another constant", func(l *linkHost) { l.constant = 4 }},
		{"no checks", func(l *linkHost) { l.cfg.Unchecked = true }},
		{"strict", func(l *linkHost) { l.cfg.StrictMath = true }},
		{"deterministic", func(l *linkHost) { l.cfg.Deterministic = true }},
		{"threads", func(l *linkHost) { l.cfg.Threads = 7 }},
		{"a part of the compiler left out", func(l *linkHost) { l.without = "forward" }},
		{"another layout", func(l *linkHost) {
			l.layout = func(rt *ti.Runtime, b *ti.Field[float32]) { rt.NewTree().Dense(ti.I, 4).Dense(ti.I, 2).Place(b) }
		}},
		{"a sparse tree", func(l *linkHost) {
			l.layout = func(rt *ti.Runtime, b *ti.Field[float32]) { rt.NewTree().Pointer(ti.I, 8).Place(b) }
		}},
		{"arguments", func(l *linkHost) { l.launches = "p.Head:3 p.Head:3 q.Head:4 q.Head:4" }},
		{"another pattern of equal arguments", func(l *linkHost) { l.launches = "p.Head:3 p.Head:3 q.Head:4 q.Head:3" }},
		{"no task saved", func(l *linkHost) { l.launches = "p.Add p.Smooth" }},
		{"apart", func(l *linkHost) { l.second, l.launches = "AB", "q.Add p.Swap" }},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := first
			test.change(&l)
			alone, _ := l.run(t, on, 1)
			linked := "lowered 1"
			if test.name == "a sparse tree" {
				linked = "lowered 2" // once more for cells that are active
			}
			for i, work := range []string{linked, "parsed 0, lowered 0"} {
				if got, did := l.run(t, on, 64); got != alone || !strings.HasSuffix(did, work) {
					t.Errorf("run %d: %s, want %s\n%s\nwant\n%s", i, did, work, got, alone)
				}
			}
		})
	}
}
