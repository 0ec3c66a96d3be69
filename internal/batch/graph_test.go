package batch_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

const graphSource = `
package graphed

var X, Y, Z field[f32]

func Fill(c f32) {
	for i := range X {
		X[i] = c
	}
}

func Copy() {
	for i := range X {
		Y[i] = X[i] + 1
	}
}

func Next() {
	for i := range Y {
		Z[i] = Y[i] + 4
	}
}

func Shift() {
	for i := range span(1, 64) {
		Z[i] = Y[i-1]
	}
}

func Far(k i32) {
	X[k] = 1
}
`

type graphed struct {
	X, Y, Z    ti.Field[float32]
	Fill       func(c float32)
	Copy, Next func()
	Shift      func()
	Far        func(k int32) error
}

func newGraphed(t *testing.T, cfg ti.Config) (*ti.Runtime, *graphed) {
	rt, g := titest.New(t, cfg), new(graphed)
	rt.Place(ti.Shape{64}, &g.X, &g.Y, &g.Z)
	_, err := rt.Compile(ti.Text("graphed.ti", graphSource), g)
	titest.Must(t, err)
	return rt, g
}

// TestWriteGraph: the graph says what is removed and what runs as one, whatever Batch is; what waits ends a batch; and values are those of
// launches by themselves.
func TestWriteGraph(t *testing.T) {
	for _, most := range []int{0, 1, 2, 64} {
		rt, g := newGraphed(t, ti.Config{Batch: most})
		var dot strings.Builder
		titest.Must(t, rt.WriteGraph(&dot, func() error {
			g.Fill(1)
			g.Fill(2)
			g.Copy()
			g.Next()
			if z := g.Z.At(3); z != 7 {
				t.Errorf("Batch %d: Z is %v, want 7", most, z)
			}
			g.Copy()
			g.Shift()
			return nil
		}))
		for _, want := range []string{
			`label="batch 1"`, `label="batch 2"`, `label="linked: 1 tasks instead of 3"`, `(launch 5)`,
			`graphed.ti:25:2: not fused with the loop of the launch before, at 13:2: their ranges differ; loop over the same field`,
			`removed: X is overwritten by for i := range X of Fill (launch 2) at graphed.ti:7:2 before anything reads it`,
		} {
			if !strings.Contains(dot.String(), want) {
				t.Errorf("Batch %d: no %s in\n%s", most, want, &dot)
			}
		}
		g.Fill(3)
		g.Copy()
		if y := g.Y.At(5); y != 4 {
			t.Errorf("Batch %d: Y is %v behind the graph, want 4", most, y)
		}
		if s := rt.Stats(); s.Launches != 8 || s.Removed < 3 {
			t.Errorf("Batch %d: %+v", most, s)
		}
	}
}

// TestWriteGraphErrors: each misuse has its error, and so have f and launches in it; what has been queued runs in any case.
func TestWriteGraphErrors(t *testing.T) {
	rt, g := newGraphed(t, ti.Config{})
	mine := errors.New("mine")
	for _, c := range []struct {
		what string
		err  error
		want error
	}{
		{"a nil writer", rt.WriteGraph(nil, func() error { return nil }), ti.ErrArgs},
		{"a nil function", rt.WriteGraph(io.Discard, nil), ti.ErrArgs},
		{"one inside another", rt.WriteGraph(io.Discard, func() error { return rt.WriteGraph(io.Discard, func() error { return nil }) }), ti.ErrBusy},
		{"an error of the function", rt.WriteGraph(io.Discard, func() error { g.Fill(5); return mine }), mine},
		{"a launch that fails", rt.WriteGraph(io.Discard, func() error { return g.Far(64) }), ti.ErrRange},
		{"a panic", titest.Safely(func() error { return rt.WriteGraph(io.Discard, func() error { g.Copy(); panic(mine) }) }), mine},
	} {
		if !errors.Is(c.err, c.want) {
			t.Errorf("%s: %v, want %v", c.what, c.err, c.want)
		}
	}
	if y := g.Y.At(0); y != 6 {
		t.Errorf("Y is %v behind a panic, want 6", y)
	}
	oracle, _ := newGraphed(t, ti.Config{Arch: ti.Oracle})
	if err := oracle.WriteGraph(io.Discard, func() error { return nil }); !errors.Is(err, ti.ErrArch) {
		t.Errorf("on the oracle: %v", err)
	}
	debug, _ := newGraphed(t, ti.Config{Debug: true})
	if err := debug.WriteGraph(io.Discard, func() error { return nil }); !errors.Is(err, ti.ErrArgs) {
		t.Errorf("in debug mode: %v", err)
	}
}
