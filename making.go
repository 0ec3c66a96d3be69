package ti

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/gotaichi/ti/internal/driver"
	"github.com/gotaichi/ti/internal/engine"
)

// making is the compilation of an instance. It goes on by itself: whoever waits for it may
// give up, and a runtime that is closed does not wait for LLVM, which cannot be
// interrupted. What comes out of it then is dropped.
type making struct {
	mu    sync.Mutex
	done  chan struct{} // closed at the end; nil until it is begun
	err   error         // set before done is closed
	freed bool          // nobody wants the outcome any more
}

// compile makes the instance ready, and begins with it unless that has been done. It
// does not wait longer than until ctx is done or the runtime is closed.
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

// closed is the error of what a closed runtime has given up.
func (inst *instance) closed() error {
	return errorOf(ErrClosed, "launch of %s after its runtime was closed", inst.k.name)
}

// make compiles the instance.
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
	case err != nil && rt.closed.Load(): // compilation was given up
		err = inst.closed()
	case err == nil:
		finish()
		if inst.ready.Store(true); m.freed {
			inst.drop()
			err = inst.closed()
		}
	}
	m.err = err
	close(m.done)
}

// build compiles, and returns what puts the outcome into the instance.
func (inst *instance) build() (finish func(), err error) {
	k := inst.k
	rt := k.p.rt
	if rt.opt.Arch == Oracle {
		return inst.buildOracle()
	}
	o := inst.driver()
	o.Stop = rt.stop
	u, err := driver.Prepare(inst.checked, k.name, inst.layout, o)
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
		inst.code = engine.NewCode(c.Kernel, c.Entries, rt.bases(u.Areas, c.Kernel.Bases))
		out := inst.newOutput(c.Kernel)
		if g := inst.growth(c.Kernel); g != nil {
			inst.code.Trees, out.cells = g, g
		}
		inst.code.Sink = out
		inst.args, inst.results = inst.code.Args(), inst.code.Results()
		inst.setExtents(c.Kernel)
	}, nil
}

// free gives the machine code back, now or when it has been made. The caller holds the
// launch lock.
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

// drop gives the machine code back, if there is some.
func (inst *instance) drop() {
	inst.ready.Store(false)
	if inst.code != nil {
		inst.code.Free()
		inst.k.p.rt.codes.release(inst.shared)
		inst.code, inst.compiled, inst.shared = nil, nil, nil
	}
}
