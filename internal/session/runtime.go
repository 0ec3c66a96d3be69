package session

import (
	"context"
	"errors"
	"reflect"
	"runtime"
	"sync"
	"time"

	"github.com/gotaichi/ti/internal/config"
	"github.com/gotaichi/ti/internal/front"

	"github.com/gotaichi/ti/internal/ahead"
	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/engine"
	"github.com/gotaichi/ti/internal/memory"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/sparse"
	"github.com/gotaichi/ti/internal/store"
	"github.com/gotaichi/ti/internal/target"
)

// A Runtime owns one device: its compiler, memory and threads.
type Runtime struct {
	_ noCopy

	maker *maker

	opt config.Resolved
	api API

	way       way
	gradients gradients

	mu       sync.Mutex // guards programs
	programs []*Program

	background sync.WaitGroup // compilations and the progress watcher
	compiling  chan struct{}  // a token for each compilation that may run in the background
}

// API is what package ti gives to its runtimes.
type API struct {
	Targets func(*front.Env) (*target.Registry, error) // what code can be compiled for
	Target  string                                     // the one that is taken, by name
	Level   func(ahead.Level) (target.Compiler, error) // makes code for other machines
	Text    target.Compiler                            // writes code for people to read, where none is compiled
	Half    reflect.Type                               // the Go type of f16
	Field   func(any) *store.Field                     // what is behind a field
}

// New starts a runtime.
func New(cfg config.Config, api API) (*Runtime, error) {
	o, err := config.Resolve(cfg, config.Environment)
	if err != nil {
		return nil, err
	}
	o.Deterministic = o.Deterministic && !o.Debug // loops run in order then anyway
	rt := &Runtime{opt: o, api: api, compiling: make(chan struct{}, runtime.GOMAXPROCS(0))}
	rt.maker = &maker{stop: make(chan struct{}), slots: target.NewSlots(), budget: sparse.NewBudget(o.MemoryLimit), level: api.Level, text: api.Text, half: api.Half}
	rt.opt.Stdout, rt.maker.Opt = shared(o.Stdout), &rt.opt
	if o.Arch == config.Oracle {
		rt.opt.Threads = 1
	}
	rt.way.maker = rt.maker
	rt.gradients.way, rt.gradients.maker = &rt.way, rt.maker
	rt.maker.eng = engine.New(rt.opt.Threads, o.Seed)
	rt.maker.eng.RecordLimit, rt.maker.eng.InOrder, rt.maker.eng.Spread = int64(o.PrintBuffer), o.Debug, o.Spread
	rt.maker.eng.Room = rt.maker.budget
	rt.maker.machine = rt.maker.eng
	rt.maker.store = rt.newStore()
	all, err := api.Targets(&rt.maker.Env)
	if err == nil {
		rt.maker.exec, rt.opt.Arch, err = newExecutor(rt.maker, o.Arch, all, api.Target)
	}
	if err == nil {
		rt.maker.recorder, err = rt.maker.newRecorder(config.Environment)
		rt.maker.Recording = rt.maker.recorder != nil
	}
	if err != nil {
		rt.maker.eng.Close()
		return nil, err
	}
	if o.Progress != nil {
		rt.maker.eng.Watch()
		rt.inBackground(rt.watch)
	}
	return rt, nil
}

// newStore makes what has the trees.
func (rt *Runtime) newStore() *store.Store {
	return store.New(store.Config{
		Launches: rt.maker.eng, Budget: rt.maker.budget, Limit: rt.opt.MemoryLimit, Threads: rt.opt.Threads,
		RemakeLists: rt.opt.Compile.Without.Has(option.Lists),
		Allocate:    func(bytes int64) (*memory.Region, error) { return rt.maker.machine.Allocate(bytes) },
		Closed:      rt.forget,
		Overwritten: rt.way.overwritten,
		Copier:      rt.newCopier,
	})
}

// forget has all programs drop what a tree that has been closed was for. The caller holds the launch lock.
func (rt *Runtime) forget(t *store.Tree) {
	rt.mu.Lock()
	programs := rt.programs
	rt.mu.Unlock()
	for _, p := range programs {
		p.of.forget(t)
	}
}

// NewTree returns an empty tree.
func (rt *Runtime) NewTree() *store.Tree {
	rt.MustBeMade("NewTree")
	return rt.maker.store.NewTree()
}

// Place gives each field a tree of its own: dense, row-major, of the given shape, zero.
func (rt *Runtime) Place(shape store.Shape, fields ...*store.Field) {
	rt.MustBeMade("Place")
	rt.maker.store.Place(shape, fields...)
}

// Close ends the launches under way, gives up compilations, closes every tree and stops the
// threads.
func (rt *Runtime) Close() error {
	if !rt.made() {
		return rt.usable("Close")
	}
	rt.mu.Lock()
	closed := rt.maker.closed.Swap(true)
	rt.mu.Unlock()
	if closed {
		return nil
	}
	rt.maker.store.Shut()
	close(rt.maker.stop)
	rt.maker.eng.Stop()
	rt.background.Wait()
	rt.maker.Env.Disk.ShutDown()
	rt.mu.Lock()
	programs := rt.programs
	rt.mu.Unlock()
	errs := []error{rt.saveCoverage(programs), rt.maker.recorder.save()}
	errs = append(errs, rt.maker.store.Close()...)
	rt.maker.eng.Lock()
	for _, p := range programs {
		p.of.free()
	}
	rt.maker.eng.Unlock()
	rt.maker.eng.Close()
	rt.mu.Lock()
	rt.programs = nil // so that they, and their hosts, can be collected
	rt.mu.Unlock()
	return errors.Join(errs...)
}

// Sync waits for the launches under way.
func (rt *Runtime) Sync() error {
	if err := rt.usable("Sync"); err != nil {
		return err
	}
	rt.maker.eng.Lock()
	defer rt.maker.eng.Unlock()
	return rt.usable("Sync")
}

// Prepare compiles, in parallel, the kernels of all sources loaded so far whose types are
// known (all but those with compile-time parameters), and returns when they are ready or ctx
// is done.
func (rt *Runtime) Prepare(ctx context.Context) error {
	if err := rt.usable("Prepare"); err != nil {
		return err
	}
	if ctx == nil {
		return diag.Errorf(diag.ErrArgs, "Prepare with a nil context; use context.Background()")
	}
	var kernels []*Kernel
	rt.mu.Lock()
	for _, p := range rt.programs {
		for _, k := range p.kernels {
			if k.of.template == nil {
				kernels = append(kernels, k)
			}
		}
	}
	rt.mu.Unlock()
	errs := make([]error, len(kernels))
	var wg sync.WaitGroup
	for i, k := range kernels {
		wg.Go(func() {
			select {
			case rt.compiling <- struct{}{}:
				errs[i] = k.prepare(ctx)
				<-rt.compiling
			case <-ctx.Done():
			}
		})
	}
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	select {
	case <-done:
	case <-ctx.Done():
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return errors.Join(errs...)
}

// prepare compiles the instance for the constants as they are now.
func (k *Kernel) prepare(ctx context.Context) error {
	inst, err := k.of.instance()
	if err != nil {
		return err
	}
	return inst.compile(ctx)
}

// Stats returns what rt has done since it was started.
func (rt *Runtime) Stats() Stats {
	if !rt.made() {
		return Stats{}
	}
	rt.mu.Lock()
	defer rt.mu.Unlock()
	launches, tasks := rt.maker.eng.Counts()
	return Stats{
		Launches: launches, Tasks: tasks, Compiled: rt.maker.compiled.Load(), CacheHits: rt.maker.cacheHits.Load(), Bytes: rt.maker.budget.Used(),
		CompileTime: time.Duration(rt.maker.compileTime.Load()),
	}
}

// Stats counts the work of a runtime.
type Stats struct {
	Launches  int64 // launches made by the host
	Tasks     int64 // tasks (parallel or serial loops, parts between them) run for them
	Compiled  int64 // kernels compiled; those that share code count once
	CacheHits int64 // kernels taken from the cache on disk instead
	Bytes     int64 // memory of trees, and of the copies and sums that launches keep of them

	CompileTime time.Duration // summed over threads
}

// Device describes the device that rt runs on.
func (rt *Runtime) Device() Device {
	rt.MustBeMade("Device")
	return rt.maker.exec.device()
}
