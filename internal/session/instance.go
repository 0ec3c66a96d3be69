package session

import (
	"fmt"
	"go/token"
	"io"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/gotaichi/ti/internal/front"

	"github.com/gotaichi/ti/internal/bind"
	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/hostabi"
	"github.com/gotaichi/ti/internal/job"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/outline"
	"github.com/gotaichi/ti/internal/record"
	"github.com/gotaichi/ti/internal/site"
	"github.com/gotaichi/ti/internal/sparse"
	"github.com/gotaichi/ti/internal/store"
	"github.com/gotaichi/ti/internal/typed"
)

// An instance is a kernel for certain values of the host constants that it uses.
type instance struct {
	k       *kernel
	checked *front.Checking // with all extents known
	consts  []bind.Snapshot
	refs    []bind.Ref               // the host's pointers to its fields and constants
	next    atomic.Pointer[instance] // the one that replaced it when these last changed
	scope   bind.Scope               // of the kernel: all that it may name
	late    map[string]string        // fields whose extents are read at launch
	lower   *front.Checking          // what code is made of: checked, or with the extents of late read at launch
	open    *front.Checking          // checked with the extents read at launch that can be; nil if that is not possible, or was not needed
	other   []map[string]string      // late, as code has it that was compiled ahead of time
	trees   []*store.Tree            // that its fields lie in
	lists   []listTree               // in which it may empty lists
	role    role
	of      *instance                  // whose launches it takes the place of; nil for a plain one
	others  [places]*instance          // of a plain one, those in other roles; guarded by the program's mu
	spare   *instance                  // this one as a spare; guarded by the launch lock
	reduced atomic.Bool                // it is compiled without what can be left out, which the compiler failed in
	flows   atomic.Pointer[[]job.Flow] // between its fields
	old     oldNeed                    // of a plain one, what a tape has to store of its launches
	steps   atomic.Pointer[stepPlan]

	static []staticArg   // of a template
	boxed  hostabi.Boxed // of a template

	signatures sync.Map // of a template: *templateFunc to the *signature that it has with this instance

	making making
	ready  atomic.Bool // it is compiled: the fields below are set

	// What a launch fills and reads, under the launch lock.
	frame    hostabi.Frame
	observed hostabi.Frame // of launches that somebody observes
	exe      executable
}

// current reports whether the constants still have the values of the instance, and its lists the same followers.
func (inst *instance) current() bool {
	for i := range inst.consts {
		if !inst.consts[i].Same() {
			return false
		}
	}
	for i := range inst.refs {
		if !inst.refs[i].Same() {
			return false
		}
	}
	for i := range inst.lists {
		if !inst.lists[i].same() {
			return false
		}
	}
	return true
}

// instance returns the instance for the constants as they are now.
func (k *kernel) instance() (*instance, error) {
	p := k.p
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.alive(k); err != nil {
		return nil, err
	}
	for _, inst := range k.instances {
		if inst.current() {
			k.latest.Store(inst)
			return inst, nil
		}
	}
	checked, err := p.current()
	if err != nil {
		return nil, err
	}
	if checked, err = p.instrumented(checked); err != nil {
		return nil, err
	}
	f := checked.Kernel(k.name)
	if !k.fits(f) {
		return nil, diag.Errorf(diag.ErrArgs, "with the values that the host constants have now, %s has other parameters or results than when it was loaded; load the source again", k.name)
	}
	inst := &instance{k: k, role: plain{}, checked: checked, consts: p.bound.Snapshots(f.Consts), refs: p.bound.Refs(f), scope: p.bound.Scope}
	inst.choose(nil, p.symbolic)
	inst.findTrees(f)
	inst.follow(f)
	if slices.ContainsFunc(inst.trees, func(t *store.Tree) bool { return t.Closed() }) {
		return nil, inst.closed()
	}
	if len(inst.refs) > 0 {
		if err := inst.overlaps(f); err != nil {
			return nil, err
		}
	}
	k.instances = append(k.instances, inst)
	k.latest.Store(inst)
	return inst, nil
}

// instrumented is c with counters in its kernels, if they are to be counted. It needs p.mu.
func (p *program) instrumented(c *front.Checking) (*front.Checking, error) {
	if p.instrument == nil {
		return c, nil
	}
	t, err := c.Tree()
	if err != nil {
		return nil, err
	}
	p.instrument(t)
	return front.Known(c.Question, t), nil
}

// another returns the instance for what the host holds now, where inst, which may be nil,
// is for something else. It first tries the instance that replaced inst the last time:
// fields that are swapped at each launch alternate between two.
func (k *kernel) another(inst *instance) (*instance, error) {
	if inst != nil {
		if next := inst.next.Load(); next != nil && next.current() {
			k.latest.Store(next)
			return next, nil
		}
	}
	found, err := k.instance()
	if err == nil && inst != nil {
		inst.next.Store(found)
	}
	return found, err
}

// fits reports whether the types of f are those that the kernel functions have.
func (k *kernel) fits(f *outline.Kernel) bool {
	same := func(vars []*typed.Var, codecs []hostabi.Codec) bool {
		if len(vars) != len(codecs) {
			return false
		}
		for i, v := range vars {
			now, ok := hostabi.NewCodec(codecs[i].Type, v.Type, k.p.maker.Opt.Widths())
			if !ok || !now.Same(&codecs[i]) {
				return false
			}
		}
		return true
	}
	return same(f.Params, k.boxed.Sig.In) && same(f.Results, k.boxed.Sig.Out)
}

// findTrees notes the trees that the fields of the kernel lie in.
func (inst *instance) findTrees(f *outline.Kernel) {
	for _, field := range f.Fields {
		if c := inst.scope.Named(field.Name); c != nil {
			inst.depends(c)
		}
	}
}

// in returns an instance of the same kernel, for the same constants, in a role. The extents of fields are constants in its code.
func (inst *instance) in(r role) *instance {
	return &instance{
		k: inst.k, role: r, of: inst, checked: inst.checked, lower: inst.checked, open: inst.open, consts: inst.consts, boxed: inst.boxed,
		scope: inst.scope.Clone(), trees: slices.Clone(inst.trees),
	}
}

// add gives a field a name that the kernel knows it by. The scope is one that nobody else has.
func (inst *instance) add(path string, c *store.Field) {
	inst.scope.Add(path, c)
	inst.depends(c)
}

// depends notes that launches need the trees of a field.
func (inst *instance) depends(c *store.Field) {
	for _, t := range c.Trees() {
		if !slices.Contains(inst.trees, t) {
			inst.trees = append(inst.trees, t)
		}
	}
}

// uses reports whether the kernel names a field, or a part of it.
func (inst *instance) uses(c *store.Field) bool {
	return slices.ContainsFunc(inst.checked.Kernel(inst.k.name).Fields, func(f *typed.Field) bool {
		used := inst.scope.Named(f.Name)
		return used != nil && (used == c || used.Root() == c.Root())
	})
}

// noteFlows remembers, while the kernel is lowered, between which fields numbers flow.
func (inst *instance) noteFlows(all []job.Flow) { inst.flows.Store(&all) }

// newOutput makes what takes the records of launches.
func (inst *instance) newOutput(sites []launch.Site) *record.Output {
	m := inst.k.p.maker
	printers := m.Opt.Threads
	if m.Opt.Debug {
		printers = 1
	}
	out := record.NewOutput(inst.k.name, m.Opt.Stdout, sites, record.Limits{Room: m.recordRoom, Buffer: m.Opt.PrintBuffer, Printers: printers})
	if w, is := inst.role.(*watching); is {
		out.Watch = func(n int, slots []uint64) { w.touch(inst, sites[n].What, n, slots) }
		w.sites = sites
	}
	return out
}

// topology returns what k needs of its sparse trees, nil if it has none.
func (inst *instance) topology(k *launch.Kernel) *record.Topology {
	var trees []*sparse.Tree
	for _, t := range inst.trees {
		if s := t.Sparse(); s != nil && !slices.Contains(trees, s) {
			trees = append(trees, s)
		}
	}
	if len(trees) == 0 {
		return nil
	}
	return record.NewTopology(trees, k, func(f *launch.Field) (*layout.Node, *layout.Field) {
		at := inst.scope.Layout[f.Name]
		if f.Memory || at.Field == nil {
			return nil, nil
		}
		return inst.scope.Layout.Node(f.Name), at.Field
	})
}

// options are those for code that reads extents at launch as late says.
func (inst *instance) options(late map[string]string) *front.Options {
	o := inst.optionsAsked(late)
	if inst.reduced.Load() {
		o.Without = option.All
	}
	return o
}

// optionsAsked are the same as the program has them, whatever the compiler can do.
func (inst *instance) optionsAsked(late map[string]string) *front.Options {
	m := inst.k.p.maker
	o := &front.Options{Options: m.Opt.Compiler(), Compiler: m.exec.compiler(), Slots: m.slots, Time: m.Opt.Time, Late: late, Flows: inst.noteFlows, Followers: inst.followers()}
	o.Strict = o.Strict || inst.isComparedAgain()
	o.Gradient = inst.k.p.maker.judge != nil
	inst.role.compile(o)
	return o
}

// endedByClose is the error of a launch that was under way when its runtime was closed.
func (inst *instance) endedByClose() error {
	return diag.Errorf(diag.ErrClosed, "launch of %s ended early: its runtime was closed", inst.k.name)
}

// tooMany is the failure of a kernel whose parallel loop has too many iterations.
func (inst *instance) tooMany(e error, pos token.Position) error {
	return &RuntimeError{Kernel: inst.k.name, Pos: pos, Err: diag.ErrOverflow, Count: 1, Msg: e.Error() + "; take shorter ranges, or one that is serial"}
}

// outside reports whether an index is not within a shape whose indices begin at low,
// or at 0 without one.
func outside(index, shape, low []int64) bool {
	for a, i := range index {
		l := int64(0)
		if a < len(low) {
			l = low[a]
		}
		if i < l || i >= l+shape[a] {
			return true
		}
	}
	return false
}

// siteErrors are what errors.Is finds in failures of sites.
var siteErrors = map[site.Kind]error{
	site.Assert: diag.ErrAssert, site.Overflow: diag.ErrOverflow, site.Divide: diag.ErrDivide, site.NaN: diag.ErrNaN, site.Full: diag.ErrFull, site.Length: diag.ErrRange, site.Section: diag.ErrRange,
}

// explain says what failed at a site other than an index.
func (e *RuntimeError) explain(s *site.Site, values []uint64) {
	e.Err, e.Msg = siteErrors[s.Kind], string(s.AppendText(nil, values))
	if n := len(s.Shape); s.Kind == site.Section && n > 0 { // an index that is none of the section
		e.Field, e.Index, e.Shape = s.What, signed(values[:n]), signed(values[n:2*n])
	}
}

// signed returns numbers that site values are.
func signed(values []uint64) (all []int) {
	for _, v := range values {
		all = append(all, int(v))
	}
	return all
}

// describe says which index of what is out of range.
func (e *RuntimeError) describe(what string, index, shape, low []int64) {
	e.Field, e.Index, e.Shape = what, store.Ints(index), store.Ints(shape)
	if what == "" {
		what = "a value" // computed, or a constant
	}
	e.Msg = fmt.Sprintf("index %v of %s is out of range: its shape is %v", e.Index, what, e.Shape)
	if slices.ContainsFunc(low, func(l int64) bool { return l != 0 }) {
		e.Msg += fmt.Sprintf(", its lowest index %v", low)
	}
}

// signature is how the kernel is called.
func (inst *instance) signature() *hostabi.Signature {
	if inst.k.template != nil {
		return &inst.boxed.Sig
	}
	return &inst.k.boxed.Sig
}

func (inst *instance) explain(w io.Writer) error {
	t, err := inst.lower.Tree()
	if err != nil {
		return inst.dumpError(err)
	}
	err, written := t.Explain(w, inst.k.name, inst.scope.Layout, inst.options(inst.late))
	if err != nil {
		return inst.dumpError(err)
	}
	return written
}

// dumped returns the instance that a stage is of, and the stage: with "grad/" before it, that of the adjoint, with "dual/" that of
// the kernel with tangents, and with "grad/dual/" that of the adjoint with tangents, which products with Hessians run.
func (inst *instance) dumped(stage string) (*instance, string, error) {
	for _, of := range []struct {
		prefix string
		mode   job.Mode
	}{{"grad/dual/", job.ReverseTangent}, {"grad/", job.Reverse}, {"dual/", job.Tangent}} {
		rest, is := strings.CutPrefix(stage, of.prefix)
		if !is {
			continue
		}
		d, err := inst.derived(of.mode)
		if err == nil && d == nil {
			err = diag.Errorf(diag.ErrGradient, "no field of %s has one placed for %s", inst.k.name, of.prefix)
		}
		return d, rest, err
	}
	return inst, stage, nil
}

// dumpError is the error of a kernel that cannot be compiled, or differentiated, up to a stage.
func (inst *instance) dumpError(err error) error {
	if e := inst.noDerivative(err); e != err {
		return e
	}
	return fmt.Errorf("ti: %w", err)
}

func (inst *instance) dump(stage string) (string, error) {
	t, err := inst.lower.Tree()
	if err != nil {
		return "", err
	}
	return t.Dump(inst.k.name, inst.scope.Layout, inst.options(inst.late), stage)
}

// sliceBytes is the memory of a slice argument.
func sliceBytes(data, length uint64, size int) []byte {
	if length == 0 || length > math.MaxInt/uint64(size) {
		return nil
	}
	p := uintptr(data)
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&p)), int(length)*size)
}
