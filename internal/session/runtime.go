package session

import (
	"context"
	"errors"
	"reflect"
	"sync"
	"time"

	"github.com/gotaichi/ti/internal/ahead"
	"github.com/gotaichi/ti/internal/config"
	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/flow"
	"github.com/gotaichi/ti/internal/front"
	"github.com/gotaichi/ti/internal/gradient"
	"github.com/gotaichi/ti/internal/store"
	"github.com/gotaichi/ti/internal/target"
	"github.com/gotaichi/ti/internal/variant"
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
	Targets func(*front.Env) (*target.Registry, error) // what code can be compiled for, the one of config.CPU first
	Level   func(ahead.Level) (target.Compiler, error) // makes code for other machines
	Half    reflect.Type                               // the Go type of f16
	Field   func(any) *store.Field                     // what is behind a field
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

// Sync waits for the launches under way, and those that are queued, and returns the failure of one that no call has reported yet.
func (rt *Runtime) Sync() error {
	if err := rt.usable("Sync"); err != nil {
		return err
	}
	rt.maker.Turn.Lock()
	defer rt.maker.Turn.Unlock()
	if err := rt.usable("Sync"); err != nil {
		return err
	}
	return rt.way.Failed("Sync")
}

// Flush has the queued launches run, and does not wait for them.
func (rt *Runtime) Flush() {
	rt.MustBeMade("Flush")
	rt.way.Flush()
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
	launches, tasks := rt.maker.Machine.Counts()
	gone := rt.way.Removed()
	return Stats{
		Removed:  gone.Tasks.Load(),
		Launches: launches + gone.Launches.Load() + rt.maker.Interpreted.Load(), Tasks: tasks, Compiled: rt.maker.Compiled.Load(), CacheHits: rt.maker.CacheHits.Load(), Bytes: rt.maker.Budget.Used(),
		CompileTime: time.Duration(rt.maker.CompileTime.Load()),
	}
}

// Stats counts the work of a runtime.
type Stats struct {
	Launches  int64 // launches made by the host
	Tasks     int64 // tasks (parallel or serial loops, parts between them) run for them
	Removed   int64 // tasks that launches did not need to run since they ran together; see Config.Batch
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

// usable returns an error for a runtime that New has not made, or that has been closed;
// what names the call.
func (rt *Runtime) usable(what string) error {
	if rt == nil {
		return (*variant.Maker)(nil).Usable(what)
	}
	return rt.maker.Usable(what)
}

// made reports whether New has made rt.
func (rt *Runtime) made() bool { return rt != nil && rt.maker != nil }

// MustBeMade panics for a runtime that New has not made, in methods without an error.
func (rt *Runtime) MustBeMade(what string) {
	if !rt.made() {
		panic(rt.usable(what))
	}
}

// inBackground calls f in a goroutine that Close waits for. It does nothing once Close
// has begun.
func (rt *Runtime) inBackground(f func()) {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	if !rt.maker.Closed.Load() {
		rt.background.Go(f)
	}
}
