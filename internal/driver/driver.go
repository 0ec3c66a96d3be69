package driver

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"

	codegen "github.com/gotaichi/ti/internal/codegen/llvm"
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/llvm"
	"github.com/gotaichi/ti/internal/loader"
	"github.com/gotaichi/ti/internal/lower"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/pass"
	"github.com/gotaichi/ti/internal/typed"
)

// Options say how kernels are compiled.
type Options struct {
	option.Options
	Lib   *llvm.Lib       // may be nil for what needs no LLVM
	Slots Slots           // shared by kernels that are compiled at once; may be nil
	Stop  <-chan struct{} // closed when nobody wants the outcome any more; may be nil

	// Launch names the fields whose extents are read at launch, as far as the
	// kernel needs no constants, each with the first of them of the same shape. They have a plain layout.
	Launch map[string]string
}

// Slots bounds how many modules LLVM compiles at once: each takes a processor, and
// megabytes of memory.
type Slots chan struct{}

// NewSlots makes as many as there are processors.
func NewSlots() Slots { return make(Slots, runtime.GOMAXPROCS(0)) }

// Compiled is a kernel in executable memory.
type Compiled struct {
	Launch  *launch.Kernel  // what the engine must know of it
	Pieces  []*loader.Piece // the code of each task
	Keys    []Key           // of each task: equal keys, equal code
	Entries []uintptr       // address of each task
	code    *loader.Code
}

// Close gives the machine code back. No thread may be in it then or later.
func (c *Compiled) Close() error {
	if c.code == nil {
		return nil
	}
	return c.code.Close()
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
	k = lower.Kernel(p, f, lower.Options{Options: o.Options, Launch: o.Launch, MaxOps: maxOps})
	if o.Verify {
		if err := ir.Verify(k); err != nil {
			return nil, fmt.Errorf("lowering leaves kernel %s broken: %w\n%s", name, err, k)
		}
	}
	return k, nil
}

// A Unit is a kernel ready to be compiled, and how it is told from others.
type Unit struct {
	// Key is equal for units whose code is: it covers the lowered kernel, the layout
	// of its fields and the options.
	Key Key
	// Areas are what the entries of the Bases of the descriptor number.
	Areas []Area

	p     *typed.Program
	k     *ir.Kernel // as lowered; builds work on copies
	at    *arrangement
	o     Options
	notes *pass.Notes // of the passes; may be nil

	maxText int // bytes of LLVM IR text that the kernel may come to
}

// A Key says what code is about.
type Key [sha256.Size]byte

// Prepare lowers a kernel and finds its areas and key.
func Prepare(p *typed.Program, name string, lay Layout, o Options) (u *Unit, err error) {
	defer guard(name, &err)
	k, err := Lower(p, name, o)
	if err != nil {
		return nil, err
	}
	at := arrange(k, lay)
	h := sha256.New()
	fmt.Fprintln(h, k, o.Level, o.Unchecked, o.Strict, o.Deterministic, o.Threads, o.Without, o.ForceVectors)
	at.describe(h, k)
	return &Unit{Key: Key(h.Sum(nil)), Areas: at.areas, p: p, k: k, at: at, o: o, maxText: maxText}, nil
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

// Compile makes code.
func (unit *Unit) Compile() (c *Compiled, err error) {
	name := unit.k.Name
	defer guard(name, &err)
	u := unit.begin()
	modules, err := u.modules()
	if err != nil {
		return nil, err
	}
	c = &Compiled{}
	if c.Launch, err = u.describe(); err != nil {
		return nil, err
	}
	if c.Pieces, err = u.pieces(modules); err != nil {
		return nil, fmt.Errorf("kernel %s: %w", name, err)
	}
	if u.o.VerifyTasks {
		if err := u.checkBatches(modules, c.Pieces); err != nil {
			return nil, err
		}
	}
	c.Keys = u.keys(modules)
	if err := c.load(); err != nil {
		return nil, fmt.Errorf("kernel %s: %w", name, err)
	}
	return c, nil
}

// objects makes machine code of modules.
func (u *build) objects(modules [][]llvm.Source) ([][]byte, error) {
	options := u.o.pipeline()
	return each(u.o.Slots, modules, func(sources []llvm.Source) ([]byte, error) {
		object, err := u.o.Lib.Compile(options, sources...)
		return object, u.frameTooLarge(err)
	})
}

// pipeline is how code is compiled.
func (o *Options) pipeline() llvm.Options {
	p := codegen.Pipeline(o.Level)
	p.Stop = o.Stop
	return p
}

// pieces makes the code of the tasks, in their order.
func (u *build) pieces(modules [][]llvm.Source) ([]*loader.Piece, error) {
	objects, err := u.objects(modules)
	if err != nil {
		return nil, err
	}
	of := map[string]*loader.Piece{}
	for _, object := range objects {
		pieces, err := loader.Cut(object)
		if err != nil {
			return nil, err
		}
		for _, p := range pieces {
			of[p.Name] = p
		}
	}
	var all []*loader.Piece
	for _, t := range u.k.Tasks {
		p := of[codegen.TaskName(t)]
		if p == nil {
			return nil, fmt.Errorf("the machine code has no function %s", codegen.TaskName(t))
		}
		all = append(all, p)
	}
	return all, nil
}

// keys tells the code of each task from that of all tasks that differ: it covers the task's
// own text, in which the compiler has put layout, options and checks, and what libLLVM makes
// of it for which target. It knows nothing of other tasks, names and positions. A libLLVM
// without an identity gives no keys.
func (u *build) keys(modules [][]llvm.Source) []Key {
	shared, err := u.o.Lib.Key(nil, u.o.pipeline())
	if err != nil {
		return nil
	}
	of := map[string]Key{}
	for _, sources := range modules {
		for _, s := range sources {
			h := sha256.New()
			fmt.Fprintf(h, "task 1\n%s\n%s", shared, s.Text)
			of[s.Name] = Key(h.Sum(nil))
		}
	}
	var all []Key
	for _, t := range u.k.Tasks {
		all = append(all, of[codegen.TaskName(t)])
	}
	return all
}

// load puts the code into memory and finds the tasks in it.
func (c *Compiled) load() (err error) {
	if len(c.Pieces) == 0 {
		return nil
	}
	if c.code, err = loader.Link(c.Pieces); err != nil {
		return err
	}
	for _, p := range c.Pieces {
		entry, _ := c.code.Symbol(p.Name)
		c.Entries = append(c.Entries, entry)
	}
	return nil
}

// each calls f for all modules at once, as far as there are slots, and returns the
// results in order.
func each[S, T any](slots Slots, modules []S, f func(S) (T, error)) ([]T, error) {
	if slots == nil {
		slots = NewSlots()
	}
	results, errs := make([]T, len(modules)), make([]error, len(modules))
	var wg sync.WaitGroup
	for i, m := range modules {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			results[i], errs[i] = f(m)
		})
	}
	wg.Wait()
	return results, errors.Join(errs...)
}

// modules takes a kernel up to LLVM's door: the texts of its tasks, divided among modules.
func (u *build) modules() (modules [][]llvm.Source, err error) {
	if err := u.passes(nil, ""); err != nil {
		return nil, err
	}
	if len(u.k.Tasks) == 0 {
		return nil, nil
	}
	if err := u.checkSize(); err != nil {
		return nil, err
	}
	bytes := 0
	for _, part := range codegen.Parts(u.k) {
		var sources []llvm.Source
		for _, task := range part {
			text, err := codegen.Generate(u.k, task, u.o.codegen())
			if err != nil {
				return nil, err
			}
			if bytes += len(text); bytes > u.maxText {
				return nil, tooLarge(u.p, u.k, fmt.Sprintf("%d bytes of code for LLVM", u.maxText))
			}
			sources = append(sources, llvm.Source{Text: text, Name: codegen.TaskName(task)})
		}
		modules = append(modules, u.batches(sources)...)
	}
	return modules, nil
}

// batches puts sources that may be compiled together into one module.
func (u *build) batches(sources []llvm.Source) (modules [][]llvm.Source) {
	pipeline := u.o.pipeline()
	var plain, late []llvm.Source
	for _, s := range sources {
		if pipeline.Late(s) {
			late = append(late, s)
		} else {
			plain = append(plain, s)
		}
	}
	for _, m := range [][]llvm.Source{plain, late} {
		if len(m) > 0 {
			modules = append(modules, m)
		}
	}
	return modules
}

// passes runs the pipeline, up to a stage if one is named.
func (u *build) passes(dump func(stage, text string), until string) error {
	o := &u.o
	return pass.Run(u.k, pass.Options{Options: o.Options, Target: o.target(), Layout: u.at, Dump: dump, Until: until, Notes: u.notes, Stop: o.Stop})
}

func (o *Options) codegen() codegen.Options {
	return codegen.Options{Options: o.Options, Traits: o.target()}
}

// guard turns a panic in the compiler into an error.
func guard(kernel string, err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("internal error while compiling kernel %s: %v\n%s", kernel, p, debug.Stack())
	}
}
