package runtest

import (
	"bytes"
	"context"
	"slices"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/randtest"
)

// A run is one case in one variant.
type run struct {
	testing.TB
	variant
	rt    *ti.Runtime
	out   *bytes.Buffer // what kernels print
	trees []*ti.Tree

	asleep []ti.AnyField // sparse ones that have inactive elements

	loaded func(*ti.Program) // called with each program loaded, if not nil
}

// runAll runs f in the variants, each with a runtime that r keeps for the next. Of those that
// go through LLVM and are not in debug mode it takes half, another half for each test.
func runAll(t *testing.T, rts *runtimes, f func(r *run)) {
	all := variants()
	if !testing.Short() && !allVariants() {
		all = slices.DeleteFunc(all, func(v variant) bool {
			return v.arch != ti.Oracle && !v.debug && !randtest.Share(t.Name()+v.name)
		})
	}
	runIn(t, rts, all, f)
}

// runIn runs f in the given variants.
func runIn(t *testing.T, rts *runtimes, variants []variant, f func(r *run)) {
	for _, v := range variants {
		t.Run(v.name, func(t *testing.T) {
			rt, out := rts.of(t, v)
			out.Reset()
			r := &run{TB: t, variant: v, rt: rt, out: out}
			defer r.close()
			f(r)
		})
	}
}

// runtimes keeps a runtime for each variant.
type runtimes struct {
	m   map[string]*ti.Runtime
	out map[string]*bytes.Buffer
}

func (rs *runtimes) of(t testing.TB, v variant) (*ti.Runtime, *bytes.Buffer) {
	if rs.m == nil {
		rs.m, rs.out = map[string]*ti.Runtime{}, map[string]*bytes.Buffer{}
	}
	if rs.m[v.name] == nil {
		rs.m[v.name], rs.out[v.name] = v.newRuntime(t)
	}
	return rs.m[v.name], rs.out[v.name]
}

func (rs *runtimes) close(t testing.TB) {
	for name, rt := range rs.m {
		if err := rt.Close(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func (r *run) close() {
	for _, tree := range r.trees {
		if err := tree.Close(); err != nil {
			r.Error(err)
		}
	}
}

// load binds src to host.
func (r *run) load(src string, host any) *ti.Program {
	r.Helper()
	for _, f := range r.asleep {
		r.wake(f)
	}
	r.asleep = nil
	p, err := r.rt.Compile(ti.Text("case.ti", src), host)
	if err != nil {
		r.Fatalf("%v\n%s", err, src)
	}
	if r.loaded != nil {
		r.loaded(p)
	}
	return p
}

// launch runs a kernel without arguments, by its name.
func (r *run) launch(p *ti.Program, kernel string) {
	r.Helper()
	if _, err := p.Kernel(kernel).Launch(context.Background()); err != nil {
		r.Fatal(err)
	}
}
