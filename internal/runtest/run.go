//go:build !ti_ahead

package runtest

import (
	"bytes"
	"context"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/randtest"
)

// A Run is one case in one variant.
type Run struct {
	testing.TB
	Variant
	RT    *ti.Runtime
	Out   *bytes.Buffer // what kernels print
	Trees []*ti.Tree    // closed with the run

	// Asleep are sparse fields whose elements are inactive. Load makes them active.
	Asleep []ti.AnyField

	loaded func(*ti.Program) // called with each program loaded, if not nil
}

// RunAll runs f in the variants whose turn it is for the test's name (see [TakeTurns]), each with a
// runtime that rts keeps for the next.
func RunAll(t *testing.T, rts *Runtimes, f func(r *Run)) {
	RunIn(t, rts, TakeTurns(Variants(), randtest.Turn(t.Name())), f)
}

// RunIn runs f in the given variants.
func RunIn(t *testing.T, rts *Runtimes, variants []Variant, f func(r *Run)) {
	for _, v := range variants {
		t.Run(v.Subtest(), func(t *testing.T) {
			rt, out := rts.of(t, v)
			out.Reset()
			r := &Run{TB: t, Variant: v, RT: rt, Out: out}
			defer r.Close()
			f(r)
		})
	}
}

// Runtimes keeps a runtime for each variant. The zero value is ready for use.
type Runtimes struct {
	m   map[string]*ti.Runtime
	out map[string]*bytes.Buffer
}

// of returns the runtime of a variant, and what its kernels print.
func (rs *Runtimes) of(t testing.TB, v Variant) (*ti.Runtime, *bytes.Buffer) {
	if rs.m == nil {
		rs.m, rs.out = map[string]*ti.Runtime{}, map[string]*bytes.Buffer{}
	}
	name := v.Subtest()
	if rs.m[name] == nil {
		rs.m[name], rs.out[name] = v.NewRuntime(t)
	}
	return rs.m[name], rs.out[name]
}

// Close closes all runtimes.
func (rs *Runtimes) Close(t testing.TB) {
	for name, rt := range rs.m {
		if err := rt.Close(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Close closes the trees that the run has placed.
func (r *Run) Close() {
	for _, tree := range r.Trees {
		if err := tree.Close(); err != nil {
			r.Error(err)
		}
	}
}

// Load compiles src and binds it to host.
func (r *Run) Load(src string, host any) *ti.Program {
	r.Helper()
	for _, f := range r.Asleep {
		r.wake(f)
	}
	r.Asleep = nil
	p, err := r.RT.Compile(ti.Text("case.ti", src), host)
	if err != nil {
		r.Fatalf("%v\n%s", err, src)
	}
	if r.loaded != nil {
		r.loaded(p)
	}
	return p
}

// Launch runs a kernel without arguments, by its name.
func (r *Run) Launch(p *ti.Program, kernel string) {
	r.Helper()
	if _, err := p.Kernel(kernel).Launch(context.Background()); err != nil {
		r.Fatal(err)
	}
}
