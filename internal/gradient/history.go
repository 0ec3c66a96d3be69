package gradient

import (
	"context"
	"errors"
	"slices"

	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/job"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/record"
	"github.com/gotaichi/ti/internal/site"
	"github.com/gotaichi/ti/internal/store"
	"github.com/gotaichi/ti/internal/typed"
	"github.com/gotaichi/ti/internal/variant"
)

// In debug mode the launches under a tape are watched: they are made with other variants of the kernels, which record
// all accesses to fields, and a history of these finds what breaks the rules of data access.

// watches reports whether launches under t are watched.
func (t *tape) watches() bool {
	return t.history != nil && t.paused.Load() == 0
}

// watched returns the variant that takes the place of v in launches that are watched. It compiles the adjoint, which
// tells what is read again.
func (t *tape) watched(ctx context.Context, v *variant.Variant) (*variant.Variant, error) {
	back, err := v.Derived(job.Reverse)
	if err != nil {
		return nil, err
	}
	if back != nil {
		if err := v.NoDerivative(back.Compile(ctx)); err != nil && !errors.Is(err, diag.ErrGradient) && !errors.Is(err, diag.ErrAccess) {
			return nil, err // else the backward pass has this error, if it comes here
		}
	}
	return v.Watched(t.g.touch)
}

// watchedKernel describes the kernel to a history. Reads of a kernel whose backward pass has nothing to do count for
// nothing.
func (g *Gradients) watchedKernel(v *variant.Variant, sites []launch.Site) (*record.Watched, error) {
	back, err := v.Of.Derived(job.Reverse)
	if err != nil {
		return nil, err
	}
	var loads map[job.FieldAccess]bool
	if back != nil {
		loads = back.Role.AsDerivative().LoadsAgain
	}
	w := &record.Watched{Kernel: v.Kernel.Name, Sites: sites, Reads: back != nil, Needed: make([]bool, len(sites))}
	fields := v.Checked.Kernel(v.Kernel.Name).Fields
	for i := range sites {
		s := &sites[i]
		w.Needed[i] = loads[job.FieldAccess{Field: s.What, Place: s.Place}]
		f := record.WatchedField{Unknown: true}
		n := slices.IndexFunc(fields, func(f *typed.Field) bool { return f.Name == s.What })
		if c := v.Scope.Named(s.What); n >= 0 && c != nil && s.Kind != site.Print {
			f = record.WatchedField{Number: g.numberOf(c.Root()), First: int64(c.Lo()), Adjoints: v.Scope.Named(s.What+store.Grad.Suffix()) != nil}
			for _, comp := range fields[n].Comps {
				f.Comps = append(f.Comps, int64(comp))
			}
		}
		w.Fields = append(w.Fields, f)
	}
	return w, nil
}

// numberOf gives a field a number.
func (g *Gradients) numberOf(c *store.Field) int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.fieldNumbers == nil {
		g.fieldNumbers = map[*store.Field]int64{}
	}
	n, ok := g.fieldNumbers[c]
	if !ok {
		n = int64(len(g.fieldNumbers)) + 1
		g.fieldNumbers[c] = n
	}
	return n
}

// watch prepares the history, and the inputs that checkpoints compare, for a launch of v. The caller holds the launch
// lock.
func (t *tape) watch(v *variant.Variant, as *variant.Watching) error {
	if as.Described == nil {
		d, err := t.g.watchedKernel(v, as.Sites)
		if err != nil {
			return err
		}
		as.Described = d
	}
	t.history.Begin(as.Described, t.count+1)
	if err := t.copySparse(v); err != nil {
		return err
	}
	t.mu.Lock()
	t.touched = t.inputs
	t.mu.Unlock()
	if len(t.touched) == 0 {
		return nil
	}
	for _, in := range t.touched {
		in.Begin(as.Described)
	}
	return t.keep(v)
}

// touch takes an access of a launch of v, which is watched, to the field that it knows by a name.
func (g *Gradients) touch(v *variant.Variant, field string, n int, slots []uint64) {
	t := g.tape()
	if t == nil || t.history == nil {
		return
	}
	switch {
	case t.paused.Load() == 0:
		t.history.Touch(n, slots)
	case t.customs.Load() == 0: // the backward pass of CustomGrad may restore what its launches overwrite
		t.history.TouchAgain(n, slots)
	}
	t.touchInputs(v, field, n, slots)
}
