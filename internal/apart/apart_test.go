package apart_test

import (
	"bytes"
	"context"
	"errors"
	"runtime/debug"
	"slices"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/apart"
	"github.com/gotaichi/ti/internal/config"
	"github.com/gotaichi/ti/internal/engine"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/llvm/llvmtest"
)

// open starts a runtime in memory apart, whose kernels are code of libLLVM.
func open(t *testing.T, cfg ti.Config) *ti.Runtime {
	t.Helper()
	llvmtest.Needs(t)
	cfg.Arch = ti.Arch(config.Apart)
	rt, err := ti.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := rt.Close(); err != nil {
			t.Error(err)
		}
	})
	return rt
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

const source = `
package p

var X, Y field[f32]
var Loss field[f32, D0]
var P field[pair]
var S field[i32]

type pair struct { A, B i32 }

func Double() {
	for i := range X {
		Y[i] = 2 * X[i]
	}
}

func Sum() {
	for i := range X {
		Loss += X[i] * X[i]
	}
}

func Pairs(n i32) {
	for i := range n {
		S[i*i] = i
		P[i*i] = pair{i, 2 * i}
		print(i)
	}
}

func Drop() {
	for i := range S {
		if S[i]%2 == 1 {
			deactivate(S, i)
		}
	}
}

func Outside(i i32) { X[i] = 1 }
`

type pair struct{ A, B int32 }

type host struct {
	X, Y, Loss ti.Field[float32]
	P          ti.Field[pair]
	S          ti.Field[int32]

	Double, Sum, Drop func() error
	Pairs, Outside    func(int32) error

	kernel func(name string) *ti.Kernel
}

func load(t *testing.T, rt *ti.Runtime) *host {
	t.Helper()
	h := &host{}
	rt.Place(ti.Shape{100}, ti.WithGrad(&h.X)...)
	rt.Place(ti.Shape{100}, &h.Y)
	rt.Place(nil, ti.WithGrad(&h.Loss)...)
	// Component a lies with S in sparse cells, b in a dense tree of its own, and becomes zero with its element.
	cells := rt.NewTree().Pointer(ti.I, 10).Bitmasked(ti.I, 10)
	cells.Place(&h.S, ti.Member[int32](&h.P, "A"))
	rt.Place(ti.Shape{100}, ti.Member[int32](&h.P, "B"))
	p, err := rt.Compile(ti.Text("apart.ti", source), h)
	must(t, err)
	h.kernel = p.Kernel
	return h
}

// TestHost reads and writes elements before and after launches, one at a time and all.
func TestHost(t *testing.T) {
	h := load(t, open(t, ti.Config{}))
	for i := range 100 {
		h.X.Set(float32(i), i)
	}
	must(t, h.Double())
	if got := h.Y.At(7); got != 14 {
		t.Errorf("element 7 is %v", got)
	}
	h.X.Fill(3)
	must(t, h.Double())
	all := make([]float32, 100)
	must(t, h.Y.CopyTo(all))
	if slices.Min(all) != 6 || slices.Max(all) != 6 {
		t.Errorf("the elements are %v", all)
	}
	all[5] = 1
	must(t, h.X.CopyFrom(all))
	must(t, h.Double())
	var saved bytes.Buffer
	if _, err := h.Y.WriteTo(&saved); err != nil {
		t.Fatal(err)
	}
	h.Y.Fill(0)
	if _, err := h.Y.ReadFrom(&saved); err != nil || h.Y.At(5) != 2 || h.Y.At(6) != 12 {
		t.Errorf("elements read again are %v and %v, %v", h.Y.At(5), h.Y.At(6), err)
	}
	if _, err := h.Y.Slice(); !errors.Is(err, ti.ErrLayout) {
		t.Errorf("a slice of elements: %v", err)
	}
}

// TestTape differentiates a loss, whose adjoint the host sets and reads.
func TestTape(t *testing.T) {
	rt := open(t, ti.Config{})
	h := load(t, rt)
	h.X.Fill(5)
	for range 2 {
		h.Loss.Set(0)
		must(t, rt.Tape(&h.Loss, func() error { return h.Sum() }))
		if got := h.X.Grad().At(99); got != 10 || h.Loss.At() != 2500 {
			t.Errorf("the derivative is %v, of a loss of %v", got, h.Loss.At())
		}
	}
}

// TestSparse has components follow elements into another tree, lines printed, and an index out of range.
func TestSparse(t *testing.T) {
	var out bytes.Buffer
	h := load(t, open(t, ti.Config{Stdout: &out}))
	must(t, h.Pairs(6))
	if got := h.P.At(9); got != (pair{3, 6}) {
		t.Errorf("an element that is active is %v", got)
	}
	must(t, h.Drop())
	if got := h.P.At(9); got != (pair{}) {
		t.Errorf("an element that is not active any more is %v", got)
	}
	if got := h.P.At(16); got != (pair{4, 8}) {
		t.Errorf("an element that stays active is %v", got)
	}
	if lines := bytes.Count(out.Bytes(), []byte("\n")); lines != 6 {
		t.Errorf("%d lines are printed: %s", lines, &out)
	}
	if err := h.Outside(100); !errors.Is(err, ti.ErrRange) {
		t.Errorf("an index out of range: %v", err)
	}
}

// TestForbidden accesses an area that is not mapped, which faults, and one that is.
func TestForbidden(t *testing.T) {
	e := engine.New(1, &launch.Lock{})
	defer e.Close()
	a, err := apart.New(e).Allocate(4096)
	must(t, err)
	stray := func() (fault any) {
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
		defer func() { fault = recover() }()
		a.Host()[8]++
		return nil
	}
	if stray() == nil {
		t.Error("an access before Map does not fault")
	}
	must(t, a.Map(true))
	must(t, a.Map(false))
	must(t, a.Unmap())
	if fault := stray(); fault != nil {
		t.Errorf("an access to a mapped area: %v", fault)
	}
	must(t, a.Unmap())
	if stray() == nil {
		t.Error("an access after the last Unmap does not fault")
	}
	must(t, a.Retire())
	if fault := stray(); fault != nil {
		t.Errorf("an access to what was given back: %v", fault)
	}
	must(t, a.Free())
}

// TestCancelled ends a launch by its context before it begins.
func TestCancelled(t *testing.T) {
	rt := open(t, ti.Config{})
	h := load(t, rt)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := h.kernel("Double").Launch(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled launch: %v", err)
	}
	h.X.Fill(1)
	must(t, h.Double())
	if got := h.Y.At(0); got != 2 {
		t.Errorf("the launch behind it gives %v", got)
	}
}
