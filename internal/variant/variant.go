package variant

import (
	"go/token"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/gotaichi/ti/internal/bind"
	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/front"
	"github.com/gotaichi/ti/internal/hostabi"
	"github.com/gotaichi/ti/internal/job"
	"github.com/gotaichi/ti/internal/outline"
	"github.com/gotaichi/ti/internal/store"
	"github.com/gotaichi/ti/internal/typed"
)

// A Variant is a kernel for certain values of the host constants that it uses.
type Variant struct {
	Kernel *Kernel
	reading
	consts   []bind.Snapshot
	refs     []bind.Ref              // the host's pointers to its fields and constants
	next     atomic.Pointer[Variant] // the one that replaced it when these last changed
	Scope    bind.Scope              // of the kernel: all that it may name
	trees    []*store.Tree           // that its fields lie in
	lists    []listTree              // in which it may empty lists
	Role     role
	Of       *Variant                   // whose launches it takes the place of; nil for a plain one
	others   [places]*Variant           // of a plain one, those in other roles; guarded by the program's mu
	fallback *Variant                   // this one without separate sums; guarded by the launch lock
	reduced  atomic.Bool                // it is compiled without what can be left out, which the compiler failed in
	Flows    atomic.Pointer[[]job.Flow] // between its fields
	Old      oldNeed                    // of a plain one, what a tape has to store of its launches
	steps    atomic.Pointer[stepPlan]

	Static []Arg         // of a template
	Boxed  hostabi.Boxed // of a template

	Signatures sync.Map // of a template: the codecs of each kernel function, which package flow finds

	making making
	Ready  atomic.Bool // it is compiled: the fields below are set

	// What a launch fills and reads, under the launch lock.
	Frame    hostabi.Frame
	Observed hostabi.Frame // of launches that somebody observes
	Deferred hostabi.Frame // of those that are queued as well
	queued   Queued
	Exe      executable
}

// current reports whether the constants still have the values of the variant, and its lists the same followers.
func (v *Variant) current() bool {
	for i := range v.consts {
		if !v.consts[i].Same() {
			return false
		}
	}
	for i := range v.refs {
		if !v.refs[i].Same() {
			return false
		}
	}
	for i := range v.lists {
		if !v.lists[i].same() {
			return false
		}
	}
	return true
}

// Find returns the variant for the constants as they are now.
func (k *Kernel) Find() (*Variant, error) {
	p := k.Program
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.alive(k); err != nil {
		return nil, err
	}
	for _, v := range k.variants {
		if v.current() {
			k.latest.Store(v)
			return v, nil
		}
	}
	checked, err := p.current()
	if err != nil {
		return nil, err
	}
	if checked, err = p.instrumented(checked); err != nil {
		return nil, err
	}
	f := checked.Kernel(k.Name)
	if !k.fits(f) {
		return nil, diag.Errorf(diag.ErrArgs, "with the values that the host constants have now, %s has other parameters or results than when it was loaded; load the source again", k.Name)
	}
	v := &Variant{Kernel: k, Role: plain{}, reading: reading{Checked: checked}, consts: p.Bound.Snapshots(f.Consts), refs: p.Bound.Refs(f), Scope: p.Bound.Scope}
	v.choose(nil, p.symbolic)
	v.findTrees(f)
	v.follow(f)
	if slices.ContainsFunc(v.trees, func(t *store.Tree) bool { return t.Closed() }) {
		return nil, v.closed()
	}
	if len(v.refs) > 0 {
		if err := v.overlaps(f); err != nil {
			return nil, err
		}
	}
	k.variants = append(k.variants, v)
	k.latest.Store(v)
	return v, nil
}

// instrumented is c with counters in its kernels, if they are to be counted. It needs p.mu.
func (p *Program) instrumented(c *front.Checking) (*front.Checking, error) {
	if p.Instrument == nil {
		return c, nil
	}
	t, err := c.Tree()
	if err != nil {
		return nil, err
	}
	p.Instrument(t)
	return front.Known(c.Question, t), nil
}

// another returns the variant for what the host holds now, where v, which may be nil,
// is for something else. It first tries the variant that replaced v the last time:
// fields that are swapped at each launch alternate between two.
func (k *Kernel) another(v *Variant) (*Variant, error) {
	if v != nil {
		if next := v.next.Load(); next != nil && next.current() {
			k.latest.Store(next)
			return next, nil
		}
	}
	found, err := k.Find()
	if err == nil && v != nil {
		v.next.Store(found)
	}
	return found, err
}

// fits reports whether the types of f are those that the kernel functions have.
func (k *Kernel) fits(f *outline.Kernel) bool {
	same := func(vars []*typed.Var, codecs []hostabi.Codec) bool {
		if len(vars) != len(codecs) {
			return false
		}
		for i, v := range vars {
			now, ok := hostabi.NewCodec(codecs[i].Type, v.Type, k.Program.Maker.Opt.Widths())
			if !ok || !now.Same(&codecs[i]) {
				return false
			}
		}
		return true
	}
	return same(f.Params, k.Boxed.Sig.In) && same(f.Results, k.Boxed.Sig.Out)
}

// findTrees notes the trees that the fields of the kernel lie in.
func (v *Variant) findTrees(f *outline.Kernel) {
	for _, field := range f.Fields {
		if c := v.Scope.Named(field.Name); c != nil {
			v.depends(c)
		}
	}
}

// in returns a variant of the same kernel, for the same constants, in a role. The extents of fields are constants in
// its code.
func (v *Variant) in(r role) *Variant {
	return &Variant{
		Kernel: v.Kernel, Role: r, Of: v, reading: reading{Checked: v.Checked, lower: v.Checked, open: v.open}, consts: v.consts, Boxed: v.Boxed,
		Scope: v.Scope.Clone(), trees: slices.Clone(v.trees),
	}
}

// add gives a field a name that the kernel knows it by. The scope is one that nobody else has.
func (v *Variant) add(path string, c *store.Field) {
	v.Scope.Add(path, c)
	v.depends(c)
}

// depends notes that launches need the trees of a field.
func (v *Variant) depends(c *store.Field) {
	for _, t := range c.Trees() {
		if !slices.Contains(v.trees, t) {
			v.trees = append(v.trees, t)
		}
	}
}

// Uses reports whether the kernel names a field, or a part of it.
func (v *Variant) Uses(c *store.Field) bool {
	return slices.ContainsFunc(v.Checked.Kernel(v.Kernel.Name).Fields, func(f *typed.Field) bool {
		used := v.Scope.Named(f.Name)
		return used != nil && (used == c || used.Root() == c.Root())
	})
}

// noteFlows remembers, while the kernel is lowered, between which fields numbers flow.
func (v *Variant) noteFlows(all []job.Flow) { v.Flows.Store(&all) }

// endedByClose is the error of a launch that was under way when its runtime was closed.
func (v *Variant) endedByClose() error {
	return diag.Errorf(diag.ErrClosed, "launch of %s ended early: its runtime was closed", v.Kernel.Name)
}

// tooMany is the failure of a kernel whose parallel loop has too many iterations.
func (v *Variant) tooMany(e error, pos token.Position) error {
	return &RuntimeError{Kernel: v.Kernel.Name, Pos: pos, Err: diag.ErrOverflow, Count: 1, Msg: e.Error() + "; take shorter ranges, or one that is serial"}
}

// SliceBytes is the memory of a slice argument.
func SliceBytes(data, length uint64, size int) []byte {
	if length == 0 || length > math.MaxInt/uint64(size) {
		return nil
	}
	p := uintptr(data)
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&p)), int(length)*size)
}
