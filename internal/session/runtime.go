package session

import (
	"context"
	"errors"
	"reflect"
	"runtime"
	"sync"
	"time"

	"github.com/gotaichi/ti/internal/aside"
	"github.com/gotaichi/ti/internal/gradient"

	"github.com/gotaichi/ti/internal/flow"

	"github.com/gotaichi/ti/internal/variant"

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

	maker *variant.Maker

	opt config.Resolved
	api API

	way       flow.Way
	gradients gradient.Gradients

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
	rt.maker = &variant.Maker{Stop: make(chan struct{}), Slots: target.NewSlots(), Budget: sparse.NewBudget(o.MemoryLimit), Level: api.Level, Text: api.Text, Half: api.Half}
	rt.opt.Stdout, rt.maker.Opt = variant.Shared(o.Stdout), &rt.opt
	if o.Arch == config.Oracle {
		rt.opt.Threads = 1
	}
	rt.way.Maker = rt.maker
	rt.gradients.Way, rt.gradients.Maker = &rt.way, rt.maker
	rt.maker.Eng = engine.New(rt.opt.Threads, o.Seed)
	rt.maker.Eng.RecordLimit, rt.maker.Eng.InOrder, rt.maker.Eng.Spread = int64(o.PrintBuffer), o.Debug, o.Spread
	rt.maker.Eng.Room = rt.maker.Budget
	rt.maker.Machine = rt.maker.Eng
	rt.maker.Store = rt.newStore()
	all, err := api.Targets(&rt.maker.Env)
	if err == nil {
		rt.maker.Exec, rt.opt.Arch, err = variant.NewExecutor(rt.maker, o.Arch, all, api.Target)
	}
	if err == nil {
		rt.maker.Recorder, err = rt.maker.NewRecorder(config.Environment)
		rt.maker.Recording = rt.maker.Recorder != nil
	}
	if err != nil {
		rt.maker.Eng.Close()
		return nil, err
	}
	if o.Progress != nil {
		rt.maker.Eng.Watch()
		rt.inBackground(rt.watch)
	}
	return rt, nil
}

// newStore makes what has the trees.
func (rt *Runtime) newStore() *store.Store {
	return store.New(store.Config{
		Launches: rt.maker.Eng, Budget: rt.maker.Budget, Limit: rt.opt.MemoryLimit, Threads: rt.opt.Threads,
		RemakeLists: rt.opt.Compile.Without.Has(option.Lists),
		Allocate:    func(bytes int64) (*memory.Region, error) { return rt.maker.Machine.Allocate(bytes) },
		Closed:      rt.forget,
		Overwritten: rt.way.Overwritten,
		Copier:      func(c *store.Field) store.Copier { return aside.NewCopier(rt.maker, c) },
	})
}

// forget has all programs drop what a tree that has been closed was for. The caller holds the launch lock.
func (rt *Runtime) forget(t *store.Tree) {
	rt.mu.Lock()
	programs := rt.programs
	rt.mu.Unlock()
	for _, p := range programs {
		p.of.Forget(t)
	}
}

// NewTree returns an empty tree.
func (rt *Runtime) NewTree() *store.Tree {
	rt.MustBeMade("NewTree")
	return rt.maker.Store.NewTree()
}

// Place gives each field a tree of its own: dense, row-major, of the given shape, zero.
func (rt *Runtime) Place(shape store.Shape, fields ...*store.Field) {
	rt.MustBeMade("Place")
	rt.maker.Store.Place(shape, fields...)
}

// Close ends the launches under way, gives up compilations, closes every tree and stops the
// threads.
func (rt *Runtime) Close() error {
	if !rt.made() {
		return rt.usable("Close")
	}
	rt.mu.Lock()
	closed := rt.maker.Closed.Swap(true)
	rt.mu.Unlock()
	if closed {
		return nil
	}
	rt.maker.Store.Shut()
	close(rt.maker.Stop)
	rt.maker.Eng.Stop()
	rt.background.Wait()
	rt.maker.Env.Disk.ShutDown()
	rt.mu.Lock()
	programs := rt.programs
	rt.mu.Unlock()
	errs := []error{rt.saveCoverage(programs), rt.maker.Recorder.Save()}
	errs = append(errs, rt.maker.Store.Close()...)
	rt.maker.Eng.Lock()
	for _, p := range programs {
		p.of.Free()
	}
	rt.maker.Eng.Unlock()
	rt.maker.Eng.Close()
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
	rt.maker.Eng.Lock()
	defer rt.maker.Eng.Unlock()
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
			if k.of.Template == nil {
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

// prepare compiles the variant for the constants as they are now.
func (k *Kernel) prepare(ctx context.Context) error {
	v, err := k.of.Find()
	if err != nil {
		return err
	}
	return v.Compile(ctx)
}

// Stats returns what rt has done since it was started.
func (rt *Runtime) Stats() Stats {
	if !rt.made() {
		return Stats{}
	}
	rt.mu.Lock()
	defer rt.mu.Unlock()
	launches, tasks := rt.maker.Eng.Counts()
	return Stats{
		Launches: launches, Tasks: tasks, Compiled: rt.maker.Compiled.Load(), CacheHits: rt.maker.CacheHits.Load(), Bytes: rt.maker.Budget.Used(),
		CompileTime: time.Duration(rt.maker.CompileTime.Load()),
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
func (rt *Runtime) Device() variant.Device {
	rt.MustBeMade("Device")
	return rt.maker.Exec.Device()
}
