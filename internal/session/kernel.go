package session

import (
	"context"
	"fmt"
	"io"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/hostabi"
	"github.com/gotaichi/ti/internal/job"
	"github.com/gotaichi/ti/internal/outline"
)

// A Kernel is an exported function of a program.
type Kernel struct {
	_ noCopy

	p        *Program
	name     string
	boxed    hostabi.Boxed // of Launch
	template *template     // of a kernel with compile-time parameters, whose instances have the forms

	told      sync.Once // that the compiler failed in the kernel
	latest    atomic.Pointer[instance]
	instances []*instance // guarded by p.mu
}

// newKernel makes a kernel out of a declaration and a checked function, nil for a
// template.
func newKernel(p *Program, d *outline.KernelDecl, f *outline.Kernel) *Kernel {
	k := &Kernel{p: p, name: d.Name}
	if f == nil {
		k.template = newTemplate(k, d)
		return k
	}
	k.boxed = hostabi.NewBoxed(f, nil, p.rt.maker.rules())
	return k
}

// Name returns the function's name.
func (k *Kernel) Name() string {
	if k == nil {
		return ""
	}
	return k.name
}

// String returns the function's declaration as the source has it, on one line.
func (k *Kernel) String() string {
	if err := k.usable("String"); err != nil {
		return "a nil Kernel"
	}
	return k.p.declarationOf(k.name)
}

// usable returns an error for a nil or zero kernel; what names the call.
func (k *Kernel) usable(what string) error {
	if k == nil || k.p == nil {
		return diag.Errorf(diag.ErrArgs, "%s of a nil kernel; Program.Kernel returns nil for a name that the source does not have", what)
	}
	return nil
}

func (p *Program) declarationOf(name string) string {
	if d := p.pkg.Kernel(name); d != nil {
		return d.Text
	}
	return name
}

// Launch runs the kernel with arguments whose types are those of the corresponding kernel
// function, and returns its results, nil if it has none.
func (k *Kernel) Launch(ctx context.Context, args ...any) (results []any, err error) {
	if err := k.usable("Launch"); err != nil {
		return nil, err
	}
	if results, err = k.launchBoxed(ctx, args); err != nil {
		return nil, k.p.rt.failed(err)
	}
	return results, nil
}

func (k *Kernel) launchBoxed(ctx context.Context, args []any) ([]any, error) {
	if ctx == nil {
		return nil, k.nilContext()
	}
	if k.template != nil {
		return k.template.launch(ctx, args)
	}
	if len(args) != len(k.boxed.Sig.In) {
		return nil, k.wrongCount(args)
	}
	if wrong := k.boxed.Check(k, args, k.p.rt.maker.Opt.Widths()); wrong != "" {
		return nil, diag.Errorf(diag.ErrArgs, "%s", wrong)
	}
	inst, err := k.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer k.p.rt.maker.eng.Unlock()
	return inst.launch(ctx, &k.boxed, args)
}

// launch runs the instance with boxed arguments, whose types are right. The caller
// holds the launch lock.
func (inst *instance) launch(ctx context.Context, f *hostabi.Boxed, args []any) ([]any, error) {
	k := inst.k
	slots := inst.frame.Args
	for i := range args {
		c, data := f.CodecFor(i, reflect.TypeOf(args[i]), k.p.rt.maker.Opt.Widths()), (*[2]unsafe.Pointer)(unsafe.Pointer(&args[i]))[1]
		if !c.Put(slots, data) {
			return nil, k.Misfit(f.Position(i), c.Misfit(data))
		}
		slots = slots[c.Slots():]
	}
	err := inst.run(ctx)
	runtime.KeepAlive(args)
	if err != nil {
		return nil, err
	}
	return f.Results(inst.frame.Results), nil
}

func (k *Kernel) nilContext() error {
	return diag.Errorf(diag.ErrArgs, "launch of %s with a nil context; use context.Background()", k.name)
}

func (k *Kernel) wrongCount(args []any) error {
	return diag.Errorf(diag.ErrArgs, "%d arguments for %s", len(args), k)
}

// misfit reports an argument that a codec has refused; n counts arguments from 1.
func (k *Kernel) Misfit(n int, why string) error {
	return k.p.rt.failed(diag.Errorf(diag.ErrArgs, "argument %d of %s %s", n, k, why))
}

// enter finds the instance for the constants and pointers as they are now, waits until it
// is compiled, and takes the launch lock. It fails when ctx is done before. Without an
// error the caller gives the lock back.
func (k *Kernel) enter(ctx context.Context) (*instance, error) {
	if inst := k.p.rt.expected(k, nil); inst != nil {
		return inst.held(ctx)
	}
	inst := k.latest.Load()
	if inst == nil || !inst.current() {
		var err error
		if inst, err = k.another(inst); err != nil {
			return nil, err
		}
	}
	return inst.held(ctx)
}

// held is hold for the instance that launches of inst are made with: inst, or what carries tangents too.
func (inst *instance) held(ctx context.Context) (*instance, error) {
	if r := inst.k.p.rt.ranges.Load(); r != nil && inst.k.p.rt.tape.Load() == nil && !inst.k.p.rt.tangent.Load() {
		return inst.heldCounting(ctx, r)
	}
	t := inst.k.p.rt.tape.Load()
	var r *instance
	if t.keepsOld() {
		var err error
		if r, err = inst.recording(); err != nil {
			return nil, err
		}
	}
	if inst.k.p.rt.tangent.Load() {
		ends := inst.k.p.rt.tangentEnds.Load()
		mode := job.Tangent
		if r != nil {
			mode = job.RecordTangent
		}
		d, err := inst.derived(mode)
		if err != nil {
			return nil, err
		}
		if d != nil {
			if err := d.noDerivative(d.hold(ctx)); err != nil {
				return nil, err
			}
			ends.launch(d)
			return d, nil
		}
	} else if t != nil && (t.watches() || t.notesInputs()) {
		w, err := inst.watched(ctx)
		if err != nil {
			return nil, err
		}
		return w, w.hold(ctx)
	}
	if r != nil {
		return r, r.hold(ctx)
	}
	if err := inst.hold(ctx); err != nil {
		return nil, err
	}
	inst.k.p.rt.tangentEnds.Load().launch(inst)
	return inst, nil
}

// begin is enter for a kernel function.
func (k *Kernel) Begin(ctx context.Context) (*hostabi.Frame, error) {
	if ctx == nil {
		return nil, k.p.rt.failed(k.nilContext())
	}
	inst, err := k.enter(ctx)
	if err != nil {
		return nil, k.p.rt.failed(err)
	}
	return inst.launchFrame(), nil
}

// launchFrame is where a launch finds what it needs, which a tape notes if there is one.
func (inst *instance) launchFrame() *hostabi.Frame {
	if t := inst.k.p.rt.tape.Load(); t != nil {
		l := &inst.taped
		if l.code.tape != t {
			l.code = recorded{inst, t}
			l.frame = hostabi.Frame{Args: inst.frame.Args, Results: inst.frame.Results, Code: &l.code}
		}
		return &l.frame
	}
	return &inst.frame
}

// run makes a launch with the arguments in the frame, under a tape if there is one.
func (inst *instance) run(ctx context.Context) error {
	if t := inst.k.p.rt.tape.Load(); t != nil {
		return (&recorded{inst, t}).Run(ctx)
	}
	return inst.exe.Run(ctx)
}

// signature is how the kernel is called.
func (inst *instance) signature() *hostabi.Signature {
	if inst.k.template != nil {
		return &inst.boxed.Sig
	}
	return &inst.k.boxed.Sig
}

// end gives the launch lock back.
func (k *Kernel) End() { k.p.rt.maker.eng.Unlock() }

// hold waits until the instance is compiled and takes the launch lock. It fails, without
// the lock, when ctx is done before.
func (inst *instance) hold(ctx context.Context) error {
	if !inst.ready.Load() {
		if err := inst.compile(ctx); err != nil {
			return err
		}
	}
	k := inst.k
	rt := k.p.rt
	if !rt.maker.eng.TryLock() { // the usual case, without a call
		if err := rt.maker.eng.LockUntil(ctx); err != nil {
			return fmt.Errorf("ti: launch of %s ended while it waited for other launches: %w", k.name, err)
		}
	}
	if rt.maker.closed.Load() {
		rt.maker.eng.Unlock()
		return inst.closed()
	}
	for _, t := range inst.trees {
		if t.Closed() {
			rt.maker.eng.Unlock()
			return inst.closed()
		}
	}
	return nil
}

// Explain writes the source of the kernel with what the compiler has made of it in words
// beside the lines: which loops run in parallel and in vectors, and what is in the way of
// that; which atomics and index checks remain and why; the size of the code; and what would
// make it faster.
func (k *Kernel) Explain(w io.Writer) error {
	inst, err := k.toDump("Explain")
	if err != nil {
		return err
	}
	if w == nil {
		return diag.Errorf(diag.ErrArgs, "Explain of %s to a nil writer", k.name)
	}
	return inst.explain(w)
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

// Dump writes the kernel as it stands after a stage of compilation, for people to read.
func (k *Kernel) Dump(w io.Writer, stage string) error {
	inst, err := k.toDump("Dump")
	if err != nil {
		return err
	}
	if inst, stage, err = inst.dumped(stage); err != nil {
		return err
	}
	if stage == "explain" && w != nil {
		return inst.explain(w)
	}
	text, err := inst.dump(stage)
	if err != nil {
		return inst.dumpError(err)
	}
	if w == nil {
		return diag.Errorf(diag.ErrArgs, "Dump of %s to a nil writer", k.name)
	}
	_, err = io.WriteString(w, text)
	return err
}

// toDump returns the instance that Dump and Explain write: of a template, the one that was
// launched last. what names the call.
func (k *Kernel) toDump(what string) (*instance, error) {
	if err := k.usable(what); err != nil {
		return nil, err
	}
	if err := k.p.rt.usable(what + " of " + k.name); err != nil {
		return nil, err
	}
	if k.template == nil {
		return k.instance()
	}
	if inst := k.latest.Load(); inst != nil {
		return inst, nil
	}
	return nil, diag.Errorf(diag.ErrArgs, "%s has compile-time parameters, so there is no code of it before it is launched", k)
}
