package session

import (
	"errors"
	"runtime"

	"github.com/gotaichi/ti/internal/aside"
	"github.com/gotaichi/ti/internal/batch"
	"github.com/gotaichi/ti/internal/config"
	"github.com/gotaichi/ti/internal/engine"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/sparse"
	"github.com/gotaichi/ti/internal/store"
	"github.com/gotaichi/ti/internal/target"
	"github.com/gotaichi/ti/internal/variant"
)

// New starts a runtime.
func New(cfg config.Config, api API) (*Runtime, error) {
	o, err := config.Resolve(cfg, config.Environment)
	if err != nil {
		return nil, err
	}
	o.Deterministic = o.Deterministic && !o.Debug // loops run in order then anyway
	rt := &Runtime{opt: o, api: api, compiling: make(chan struct{}, runtime.GOMAXPROCS(0))}
	rt.maker = &variant.Maker{Stop: make(chan struct{}), Slots: target.NewSlots(), Budget: sparse.NewBudget(o.MemoryLimit), Half: api.Half}
	rt.opt.Stdout, rt.maker.Opt = variant.Shared(o.Stdout), &rt.opt
	if o.Arch == config.Oracle {
		rt.opt.Threads = 1
	}
	rt.way.Maker = rt.maker
	if o.Batch > 1 && !o.Debug && o.Cover == "" {
		rt.way.SetQueue(rt.way.NewQueue(o.Batch))
	}
	rt.gradients.Way, rt.gradients.Maker = &rt.way, rt.maker
	processors := engine.New(rt.opt.Threads, &rt.maker.Turn)
	processors.RecordLimit, processors.InOrder, processors.Spread = int64(o.PrintBuffer), o.Debug, o.Spread
	processors.Room = rt.maker.Budget
	rt.maker.Machine = processors
	all, err := api.Targets(&rt.maker.Env)
	if err == nil {
		rt.maker.Exec, rt.opt.Arch, err = variant.NewExecutor(rt.maker, o.Arch, all)
	}
	if err == nil {
		rt.maker.Store = rt.newStore()
		rt.maker.Recorder, err = variant.NewRecorder(rt.maker.Opt, api.Level, config.Environment)
		rt.maker.Recording = rt.maker.Recorder != nil
	}
	if err != nil {
		rt.maker.Machine.Close()
		return nil, err
	}
	if o.Progress != nil {
		rt.maker.Machine.Watch()
		rt.inBackground(rt.watch)
	}
	return rt, nil
}

// newStore makes what has the trees.
func (rt *Runtime) newStore() *store.Store {
	return store.New(store.Config{
		Settle: rt.way.Settle, Idle: rt.way.Idle,
		Writer:   func(c *store.Field) store.Writer { return batch.NewWriter(rt.maker, rt.way.Queue, c) },
		Launches: &rt.maker.Turn, Budget: rt.maker.Budget, Limit: rt.opt.MemoryLimit, Threads: rt.opt.Threads,
		RemakeLists: rt.opt.Compile.Without.Has(option.Lists),
		Memory:      rt.maker.Machine,
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
	rt.way.Forget()
}

// Close ends the launches under way, gives up compilations, closes every tree and stops the
// threads.
func (rt *Runtime) Close() error {
	if !rt.made() {
		return rt.usable("Close")
	}
	failed := rt.way.End()
	rt.mu.Lock()
	closed := rt.maker.Closed.Swap(true)
	rt.mu.Unlock()
	if closed {
		return nil
	}
	rt.maker.Store.Shut()
	close(rt.maker.Stop)
	rt.maker.Machine.Stop()
	rt.background.Wait()
	rt.maker.Env.Disk.ShutDown()
	rt.mu.Lock()
	programs := rt.programs
	rt.mu.Unlock()
	errs := []error{failed, rt.saveCoverage(programs), rt.maker.Recorder.Save()}
	errs = append(errs, rt.maker.Store.Close()...)
	rt.maker.Turn.Lock()
	rt.way.Free()
	for _, p := range programs {
		p.of.Free()
	}
	rt.maker.Turn.Unlock()
	rt.maker.Machine.Close()
	rt.mu.Lock()
	rt.programs = nil // so that they, and their hosts, can be collected
	rt.mu.Unlock()
	return errors.Join(errs...)
}

// adopt adds a program to those that Close frees. It fails if the runtime has been closed.
func (rt *Runtime) adopt(p *Program) error {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	if err := rt.usable("loading a source"); err != nil {
		return err
	}
	rt.programs = append(rt.programs, p)
	return nil
}
