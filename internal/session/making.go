package session

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/hostabi"
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
	done, _ := inst.begin()
	select {
	case <-done:
		return inst.making.err
	case <-ctx.Done():
		return fmt.Errorf("ti: launch of %s ended before the kernel was compiled: %w", inst.k.name, ctx.Err())
	case <-inst.k.p.maker.stop:
		return inst.closed()
	}
}

// begin begins the compilation unless that was done before; done is closed at its end.
func (inst *instance) begin() (done <-chan struct{}, before bool) {
	m := &inst.making
	m.mu.Lock()
	defer m.mu.Unlock()
	before = m.done != nil
	if !before {
		m.done = make(chan struct{})
		go inst.make()
	}
	return m.done, before
}

// closed is the error of a launch for which the runtime, or a tree, has been closed.
func (inst *instance) closed() error {
	if !inst.k.p.maker.closed.Load() {
		return diag.Errorf(diag.ErrClosed, "launch of %s, which uses a field whose tree was closed", inst.k.name)
	}
	return diag.Errorf(diag.ErrClosed, "launch of %s after its runtime was closed", inst.k.name)
}

// make compiles the instance and says so by closing making.done.
func (inst *instance) make() {
	of := inst.k.p.maker
	if of.Opt.Progress != nil {
		status := &buildStatus{kernel: inst.k.name, since: time.Now()}
		of.building.Store(status)
		defer of.building.CompareAndSwap(status, nil)
	}
	ready, err := of.exec.build(inst)
	m := &inst.making
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case err != nil && of.closed.Load(): // Close has stopped the compilation
		err = inst.closed()
	case err == nil:
		inst.exe = ready()
		args, results := inst.exe.slots()
		inst.frame = hostabi.Frame{Args: args, Results: results, Code: inst.exe}
		inst.ready.Store(true)
		if m.freed {
			inst.drop()
			err = inst.closed()
		}
	}
	m.err = err
	close(m.done)
}

// free drops the machine code, or has make drop it if it is not finished yet. The caller
// holds the launch lock.
func (inst *instance) free() {
	m := &inst.making
	m.mu.Lock()
	defer m.mu.Unlock()
	m.freed = true
	if inst.spare != nil {
		inst.spare.free()
	}
	if m.done == nil {
		m.done, m.err = make(chan struct{}), inst.closed()
		close(m.done)
	}
	inst.drop()
}

// drop gives the machine code back, if there is any.
func (inst *instance) drop() {
	inst.ready.Store(false)
	if inst.exe != nil {
		inst.exe.free()
		inst.exe, inst.frame.Code = nil, nil
	}
}

// hold waits until the instance is compiled and takes the launch lock. It fails, without
// the lock, when ctx is done before.
func (inst *instance) hold(ctx context.Context) error {
	if !inst.ready.Load() {
		if err := inst.compile(ctx); err != nil {
			return err
		}
	}
	m := inst.k.p.maker
	if !m.eng.TryLock() { // the usual case, without a call
		if err := m.eng.LockUntil(ctx); err != nil {
			return fmt.Errorf("ti: launch of %s ended while it waited for other launches: %w", inst.k.name, err)
		}
	}
	if m.closed.Load() {
		m.eng.Unlock()
		return inst.closed()
	}
	for _, t := range inst.trees {
		if t.Closed() {
			m.eng.Unlock()
			return inst.closed()
		}
	}
	return nil
}

// buildStatus is a compilation under way.
type buildStatus struct {
	kernel string
	since  time.Time
}
