package driver

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"time"

	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/job"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/lower"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/pass"
	"github.com/gotaichi/ti/internal/pass/note"
	"github.com/gotaichi/ti/internal/target"
	"github.com/gotaichi/ti/internal/typed"
)

// Options say how kernels are compiled.
type Options struct {
	option.Options
	Compiler target.Compiler // may be nil for lowering
	Slots    target.Slots    // shared by kernels that are compiled at once; may be nil
	Stop     <-chan struct{} // closed when nobody wants the outcome any more; may be nil
	Timing   *Timing         // takes how long the steps took; may be nil

	// Launch names the fields whose extents are read at launch, as far as the
	// kernel needs no constants, each with the first of them of the same shape. They have a plain layout.
	Launch map[string]string

	// Layout is where the fields lie, for how their components are stored.
	Layout Layout

	// Followers name places of the layout that the source does not name: components that become zero with elements of
	// lists that it does name, and lie elsewhere.
	Followers []string

	// Accesses asks for a record of each access to a field, in debug mode.
	Accesses bool

	// Gradient asks for the kernel as it is lowered for differentiation. The oracle's tape is of that.
	Gradient bool

	// Derivative asks for a derivative of the kernel in its place; nil for the kernel itself.
	Derivative *Derivative

	// Flows takes between which fields of the kernel numbers flow, whether it is differentiated or not; it may be nil. Lowering calls it.
	Flows func([]job.Flow)

	// Measure has the fields of which is counted what the kernel stores, with the components that are
	// meant, as the layout counts them; nil for none.
	Measure map[string][]bool

	notes *note.Notes // of differentiation and the passes; may be nil
}

// Lower returns a kernel as it leaves lowering: what the oracle runs.
func Lower(p *typed.Program, name string, o Options) (k *ir.Kernel, err error) {
	defer guard(name, &err)
	f := p.Kernel(name)
	if f == nil {
		return nil, fmt.Errorf("there is no kernel %s", name)
	}
	defer func() {
		if r := recover(); r != nil {
			large, ok := r.(lower.TooLarge)
			if !ok {
				panic(r)
			}
			k, err = nil, tooLarge(p, large.Kernel, fmt.Sprintf("%d operations", maxOps))
		}
	}()
	began := time.Now()
	k = lower.Kernel(p, f, lower.Options{Options: o.Options, Launch: o.Launch, MaxOps: maxOps, Gradient: o.Gradient || o.Derivative != nil, Whole: o.Derivative != nil, Stops: o.Flows != nil,
		Accesses: o.Accesses, Groups: o.sharing(), Packed: o.Layout.packs})
	o.findFlows(k)
	o.Timing.step("lower", time.Since(began), k)
	if o.Verify {
		if err := ir.Verify(k); err != nil {
			return nil, fmt.Errorf("lowering leaves kernel %s broken: %w\n%s", name, err, k)
		}
	}
	if o.Derivative == nil {
		o.Layout.store(k)
		if err := requireBits(p, k, &o); err != nil {
			return nil, err
		}
		if o.Measure != nil {
			measure(k, &o)
		}
		if o.Debug {
			checkStores(k)
		}
		return k, nil
	}
	if k, err = derivativeOf(k, &o); err != nil {
		return nil, err
	}
	o.Layout.store(k)
	if err := ir.Verify(k); err != nil {
		return nil, &job.Fault{Err: fmt.Errorf("differentiation leaves kernel %s broken: %w\n%s", name, err, k)}
	}
	return k, nil
}

// WriteTiming writes how long the steps of compiling u took, if its options ask for that.
func (u *Unit) WriteTiming(w io.Writer) error {
	if u.o.Timing == nil {
		return nil
	}
	return u.o.Timing.Write(w, u.k.Name)
}

// A Unit is a kernel ready to be compiled, and what identifies it.
type Unit struct {
	// Key is equal for units whose code is: it covers the lowered kernel, the layout
	// of its fields and the options.
	Key target.Key
	// Areas are what the entries of the Bases of the descriptor number.
	Areas []Area
	// Regions say where the areas are, whatever the host.
	Regions []Region

	p     *typed.Program
	k     *ir.Kernel // as lowered; builds work on copies
	at    *arrangement
	o     Options
	notes *note.Notes // of the passes; may be nil

	maxText int // bytes that the kernel may come to in the target's language
}

// Prepare lowers a kernel and finds its areas and key.
func Prepare(p *typed.Program, name string, lay Layout, o Options) (u *Unit, err error) {
	defer guard(name, &err)
	o.Layout = lay
	k, err := Lower(p, name, o)
	if err != nil {
		return nil, err
	}
	o.follow(k)
	return newUnit(p, k, lay, o), nil
}

// newUnit finds the areas and the key of a lowered kernel.
func newUnit(p *typed.Program, k *ir.Kernel, lay Layout, o Options) *Unit {
	lay.store(k)
	at := arrange(k, lay)
	h := sha256.New()
	fmt.Fprintln(h, k, o.Level, o.Unchecked, o.Strict, o.Deterministic, o.Ranks, o.Threads, o.Without, o.ForceVectors, o.StreamFrom, o.FailIn, o.Settled)
	if k.Measure != nil {
		for _, s := range k.Measure.Sites {
			fmt.Fprintln(h, "measure", s.Field.Name, s.Kind, s.Pos, o.Measure[s.Field.Name])
		}
	}
	at.describe(h, k)
	return &Unit{Key: target.Key(h.Sum(nil)), Areas: at.areas, Regions: at.regions, p: p, k: k, at: at, o: o, maxText: maxText}
}

// FieldNames lists the fields of the kernel, but for views of the caller's memory.
func (u *Unit) FieldNames() (names []string) {
	for _, f := range u.k.Fields {
		if f.View == nil && f.Word == nil {
			names = append(names, f.Name)
		}
	}
	return names
}

// A build is the compilation of a unit: the passes change its copy of the kernel.
type build struct {
	*Unit
	k *ir.Kernel
}

func (u *Unit) begin() *build { return &build{u, u.k.Clone()} }

// Split returns the kernel's tasks as they are before they are optimised: accesses name
// fields, and each loop is a task of its own. It is what passes across launches start from.
func (u *Unit) Split() (*ir.Kernel, error) {
	b := u.begin()
	return b.k, b.passes(nil, "split")
}

// Describe returns the descriptor of the kernel that Compile makes code of, without the code.
func (u *Unit) Describe() (d *launch.Kernel, err error) {
	defer guard(u.k.Name, &err)
	b := u.begin()
	if err := b.passes(nil, ""); err != nil {
		return nil, u.fault(err)
	}
	return b.describe()
}

// Compile makes code.
func (unit *Unit) Compile() (c *Compiled, err error) {
	name := unit.k.Name
	defer guard(name, &err)
	u := unit.begin()
	t, err := u.translate()
	if err != nil {
		return nil, err
	}
	c = &Compiled{}
	if c.Launch, err = u.describe(); err != nil {
		return nil, err
	}
	if c.Pieces, err = t.Pieces(); err != nil {
		return nil, fmt.Errorf("kernel %s: %w", name, u.refused(err))
	}
	c.Keys = t.Keys()
	if u.o.FailIn == "llvm" && u.o.Without != option.All {
		return nil, u.fault(fmt.Errorf("kernel %s: a fault was asked for", name))
	}
	u.o.Timing.pieces(u.k, c.Pieces)
	return c, nil
}

// translate takes a kernel as far as the target needs it.
func (u *build) translate() (target.Translation, error) {
	if err := u.passes(nil, ""); err != nil {
		return nil, u.fault(err)
	}
	if err := u.checkSize(); err != nil {
		return nil, err
	}
	o := target.Options{Options: u.o.Options, MaxText: u.maxText, Slots: u.o.Slots, Stop: u.o.Stop}
	if u.o.Timing != nil {
		o.Made = u.o.Timing.made
	}
	t, err := u.o.Compiler.Translate(u.k, o)
	if e, is := errors.AsType[*target.TooLarge](err); is {
		return nil, tooLarge(u.p, u.k, e.Error())
	}
	if e, is := errors.AsType[*target.Unsupported](err); is {
		return nil, diag.Errorf(diag.ErrArch, "%v: kernel %s cannot be compiled: %w", place(u.k, e.Pos), u.k.Name, e)
	}
	return t, u.fault(err)
}

// refused is the error of a target that makes no code: the kernel's, if a task needs too much stack, else the compiler's.
func (u *build) refused(err error) error {
	if _, own := errors.AsType[*target.StackError](err); own {
		return u.stackTooLarge(err)
	}
	return u.fault(err)
}

// fault says that an error is one of the compiler, unless the compilation was cancelled.
func (u *Unit) fault(err error) error {
	select {
	case <-u.o.Stop:
		return err
	default:
	}
	if err == nil || errors.Is(err, target.ErrNoLibrary) {
		return err
	}
	return &job.Fault{Err: err}
}

// passes runs the pipeline, up to a stage if one is named.
func (u *build) passes(dump func(stage, text string), until string) error {
	return pass.Run(u.k, u.passOptions(dump, until))
}

func (u *build) passOptions(dump func(stage, text string), until string) pass.Options {
	o := &u.o
	to := pass.Options{Options: o.Options, Target: o.Compiler.Traits(), Layout: u.at, Dump: dump, Until: until, Notes: u.notes, Stop: o.Stop}
	if o.Timing != nil {
		to.Time = func(stage string, d time.Duration) { o.Timing.step(stage, d, u.k) }
		to.TimeTask = o.Timing.task
	}
	return to
}

// guard turns a panic in the compiler into an error.
func guard(kernel string, err *error) {
	if p := recover(); p != nil {
		*err = &job.Fault{Err: fmt.Errorf("internal error while compiling kernel %s: %v\n%s", kernel, p, debug.Stack())}
	}
}
