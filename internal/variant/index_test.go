package variant_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

const indexedSource = `package p

var (
	X field[f32, D1]
	Y field[vec2]
	N i32
)

func Fill(v f32) {
	staticPrint("N", N)
	for i := range X {
		X[i] = v * i + N
	}
}

func Scale(f template, by f32) {
	for i := range f {
		f[i] = f[i] * by
	}
}

func At(i i32) f32 {
	return X[i] + Y[i].x
}
`

// An indexed is what all runs of TestIndex see.
type indexed struct{ text, work string }

// runIndexed runs a program that uses most of the facts that a session needs of a source.
func runIndexed(t *testing.T, cfg ti.Config, source string, n int, constant int32, host func(*ti.Runtime, ti.Bindings)) indexed {
	t.Helper()
	var out, all bytes.Buffer
	cfg.Stdout = &out
	rt, err := ti.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close()
	x, y := new(ti.Field[float32]), new(ti.Field[ti.Vec2])
	rt.Place(ti.Shape{n}, append(ti.WithGrad(y), x)...)
	b := ti.Bindings{"X": x, "Y": y, "N": constant}
	if host != nil {
		host(rt, b)
	}
	p, err := rt.Compile(ti.Text("p.ti", source), b)
	if err != nil {
		t.Fatal(err)
	}
	launch := func(kernel string, args ...any) {
		got, err := p.Kernel(kernel).Launch(t.Context(), args...)
		fmt.Fprintln(&all, kernel, got, err)
	}
	launch("Fill", float32(2))
	launch("Scale", x, float32(3))
	launch("Scale", y, float32(3))
	launch("At", int32(1))
	launch("At", int32(n)) // out of range, at a place in the source
	launch("At", "text")
	for _, k := range p.Kernels() {
		fmt.Fprintln(&all, k)
	}
	parsed, lowered := titest.Work(rt)
	return indexed{all.String() + out.String(), fmt.Sprintf("parsed %d, lowered %d", parsed, lowered)}
}

// TestIndex: a program whose kernels are all in the cache neither parses nor checks nor lowers, and shows what it
// showed. Whatever else is different is compiled for itself.
func TestIndex(t *testing.T) {
	on := ti.Cache{Dir: filepath.Join(t.TempDir(), "cache"), Policy: ti.CacheFIFO}
	nothing := "parsed 0, lowered 0"
	cold := runIndexed(t, ti.Config{Cache: on}, indexedSource, 10, 1, nil)
	if cold.work != "parsed 1, lowered 4" || !strings.Contains(cold.text, "p.ti:") || !strings.Contains(cold.text, "N 1") {
		t.Fatalf("%+v", cold)
	}
	for _, test := range []struct {
		name     string
		cfg      ti.Config
		source   string
		n        int
		constant int32
		host     func(*ti.Runtime, ti.Bindings)
	}{
		{name: "another source", source: strings.Replace(indexedSource, "v * i", "i * v", 1)},
		{name: "other lines", source: strings.Replace(indexedSource, "var (", "\n\nvar (", 1)},
		{name: "another size", n: 11},
		{name: "another constant", constant: 2},
		{name: "no checks", cfg: ti.Config{Unchecked: true}},
		{name: "strict", cfg: ti.Config{StrictMath: true}},
		{name: "debug", cfg: ti.Config{Debug: true}},
		{name: "deterministic", cfg: ti.Config{Deterministic: true}},
		{name: "check for NaN", cfg: ti.Config{CheckNaN: true}},
		{name: "threads", cfg: ti.Config{Threads: 7}},
		{name: "another layout", host: func(rt *ti.Runtime, b ti.Bindings) {
			y := new(ti.Field[ti.Vec2])
			rt.NewTree().Dense(ti.I, 5).Dense(ti.I, 2).Place(y)
			b["Y"] = y
		}},
		{name: "an origin", host: func(rt *ti.Runtime, b ti.Bindings) {
			y, tree := new(ti.Field[ti.Vec2]), rt.NewTree()
			tree.Origin(ti.I, -1)
			tree.Dense(ti.I, 12).Place(y)
			b["Y"] = y
		}},
		{name: "a sparse tree", host: func(rt *ti.Runtime, b ti.Bindings) {
			y := new(ti.Field[ti.Vec2])
			rt.NewTree().Pointer(ti.I, 10).Place(y)
			b["Y"] = y
		}},
	} {
		if test.source == "" {
			test.source = indexedSource
		}
		if test.n == 0 {
			test.n = 10
		}
		if test.constant == 0 {
			test.constant = 1
		}
		t.Run(test.name, func(t *testing.T) {
			run := func(cache ti.Cache) indexed {
				cfg := test.cfg
				cfg.Cache = cache
				return runIndexed(t, cfg, test.source, test.n, test.constant, test.host)
			}
			want := run(ti.Cache{Policy: ti.CacheOff})
			first, second := run(on), run(on)
			if first.work == nothing || second.work != nothing {
				t.Errorf("%s, and then %s", first.work, second.work)
			}
			if first.text != want.text || second.text != want.text {
				t.Errorf("without a cache:\n%s\nfirst:\n%s\nfrom the cache:\n%s", want.text, first.text, second.text)
			}
		})
	}
	if again := runIndexed(t, ti.Config{Cache: on}, indexedSource, 10, 1, nil); again.text != cold.text || again.work != nothing {
		t.Errorf("%s\n%s\nwant\n%s", again.work, again.text, cold.text)
	}
}

// TestIndexErrors: mistakes are reported in the same way with the cache and without.
func TestIndexErrors(t *testing.T) {
	on := ti.Cache{Dir: filepath.Join(t.TempDir(), "cache"), Policy: ti.CacheFIFO}
	runIndexed(t, ti.Config{Cache: on}, indexedSource, 10, 1, nil)
	for _, test := range []struct {
		name string
		host func(*ti.Runtime) ti.Bindings
	}{
		{"nothing bound", func(*ti.Runtime) ti.Bindings { return ti.Bindings{} }},
		{"another type", func(rt *ti.Runtime) ti.Bindings {
			x, y := new(ti.Field[float64]), new(ti.Field[ti.Vec2])
			rt.Place(ti.Shape{10}, x, y)
			return ti.Bindings{"X": x, "Y": y, "N": 1}
		}},
		{"not placed", func(*ti.Runtime) ti.Bindings {
			return ti.Bindings{"X": new(ti.Field[float32]), "Y": new(ti.Field[ti.Vec2]), "N": 1.5}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var texts []string
			for _, cache := range []ti.Cache{{Policy: ti.CacheOff}, on, on} {
				rt, err := ti.New(ti.Config{Cache: cache})
				if err != nil {
					t.Fatal(err)
				}
				_, err = rt.Compile(ti.Text("p.ti", indexedSource), test.host(rt))
				texts = append(texts, fmt.Sprint(err))
				rt.Close()
			}
			if texts[0] != texts[1] || texts[1] != texts[2] || texts[0] == "<nil>" {
				t.Errorf("%q", texts)
			}
		})
	}
}
