package ti

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/gotaichi/ti/internal/driver"
	"github.com/gotaichi/ti/internal/engine"
)

// making is the compilation of an instance, in a goroutine of its own: a launch that waits
// for it may give up, and Close does not wait for LLVM, which cannot be interrupted. The
// outcome is dropped then.
type making struct {
	mu    sync.Mutex
	done  chan struct{} // closed at the end; nil until compilation begins
	err   error         // set before done is closed
	freed bool          // free was called: the outcome is to be dropped
}

// compile waits until the instance is compiled; the first call begins the compilation. It
// returns early with an error when ctx is done or the runtime is closed.
func (inst *instance) compile(ctx context.Context) error {
	m := &inst.making
	m.mu.Lock()
	if m.done == nil {
		m.done = make(chan struct{})
		go inst.make()
	}
	done := m.done
	m.mu.Unlock()
	select {
	case <-done:
		return m.err
	case <-ctx.Done():
		return fmt.Errorf("ti: launch of %s ended before the kernel was compiled: %w", inst.k.name, ctx.Err())
	case <-inst.k.p.rt.stop:
		return inst.closed()
	}
}

// closed is the error of a launch for which the runtime, or a tree, has been closed.
func (inst *instance) closed() error {
	if !inst.k.p.rt.closed.Load() {
		return errorOf(ErrClosed, "launch of %s, which uses a field whose tree was closed", inst.k.name)
	}
	return errorOf(ErrClosed, "launch of %s after its runtime was closed", inst.k.name)
}

// make compiles the instance and says so by closing making.done.
func (inst *instance) make() {
	rt := inst.k.p.rt
	if rt.opt.Progress != nil {
		status := &buildStatus{kernel: inst.k.name, since: time.Now()}
		rt.building.Store(status)
		defer rt.building.CompareAndSwap(status, nil)
	}
	finish, err := inst.build()
	m := &inst.making
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case err != nil && rt.closed.Load(): // Close has stopped the compilation
		err = inst.closed()
	case err == nil:
		finish()
		inst.ready.Store(true)
		if m.freed {
			inst.drop()
			err = inst.closed()
		}
	}
	m.err = err
	close(m.done)
}

// build compiles, and returns a function that puts the outcome into the instance.
func (inst *instance) build() (finish func(), err error) {
	k := inst.k
	rt := k.p.rt
	if rt.opt.Arch == Oracle {
		return inst.buildOracle()
	}
	o := inst.driver()
	o.Stop = rt.stop
	u, err := driver.Prepare(&inst.checked.Program, k.name, inst.layout, o)
	if err != nil {
		return nil, fmt.Errorf("ti: %w", err)
	}
	shared, err := rt.codes.compile(rt, u)
	if err != nil {
		return nil, fmt.Errorf("ti: %w", err)
	}
	return func() {
		c := shared.compiled
		inst.shared, inst.compiled = shared, c
		inst.code = engine.NewCode(c.Launch, c.Entries, rt.bases(u.Areas, c.Launch.Bases))
		out := inst.newOutput(c.Launch.Sites)
		if g := inst.growth(c.Launch); g != nil {
			inst.code.Trees, out.cells = g, g
		}
		inst.code.Sink = out
		inst.args, inst.results = inst.code.Args(), inst.code.Results()
		inst.setExtents(c.Launch.Fields)
	}, nil
}

// free drops the machine code, or has make drop it if it is not finished yet. The caller
// holds the launch lock.
func (inst *instance) free() {
	m := &inst.making
	m.mu.Lock()
	defer m.mu.Unlock()
	m.freed = true
	if m.done == nil {
		m.done, m.err = make(chan struct{}), inst.closed()
		close(m.done)
	}
	inst.drop()
}

// drop gives the machine code back, if there is any.
func (inst *instance) drop() {
	inst.ready.Store(false)
	if inst.code != nil {
		inst.code.Free()
		inst.k.p.rt.codes.release(inst.shared)
		inst.code, inst.compiled, inst.shared = nil, nil, nil
	}
}
