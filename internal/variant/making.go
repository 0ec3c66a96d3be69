package variant

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/hostabi"
)

// making is the compilation of a variant, in a goroutine of its own: a launch that waits
// for it may give up, and Close does not wait for LLVM, which cannot be interrupted. The
// outcome is dropped then.
type making struct {
	mu    sync.Mutex
	done  chan struct{} // closed at the end; nil until compilation begins
	err   error         // set before done is closed
	freed bool          // free was called: the outcome is to be dropped
}

// Compile waits until the variant is compiled; the first call begins the compilation. It
// returns early with an error when ctx is done or the runtime is closed.
func (v *Variant) Compile(ctx context.Context) error {
	done, _ := v.Begin()
	select {
	case <-done:
		return v.making.err
	case <-ctx.Done():
		return fmt.Errorf("ti: launch of %s ended before the kernel was compiled: %w", v.Kernel.Name, ctx.Err())
	case <-v.Kernel.Program.Maker.Stop:
		return v.closed()
	}
}

// Begin begins the compilation unless that was done before; done is closed at its end.
func (v *Variant) Begin() (done <-chan struct{}, before bool) {
	m := &v.making
	m.mu.Lock()
	defer m.mu.Unlock()
	before = m.done != nil
	if !before {
		m.done = make(chan struct{})
		go v.make()
	}
	return m.done, before
}

// closed is the error of a launch for which the runtime, or a tree, has been closed.
func (v *Variant) closed() error {
	if !v.Kernel.Program.Maker.Closed.Load() {
		return diag.Errorf(diag.ErrClosed, "launch of %s, which uses a field whose tree was closed", v.Kernel.Name)
	}
	return diag.Errorf(diag.ErrClosed, "launch of %s after its runtime was closed", v.Kernel.Name)
}

// make compiles the variant and says so by closing making.done.
func (v *Variant) make() {
	of := v.Kernel.Program.Maker
	if of.Opt.Progress != nil {
		status := &buildStatus{Kernel: v.Kernel.Name, Since: time.Now()}
		of.Building.Store(status)
		defer of.Building.CompareAndSwap(status, nil)
	}
	ready, err := of.Exec.build(v)
	m := &v.making
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case err != nil && of.Closed.Load(): // Close has stopped the compilation
		err = v.closed()
	case err == nil && m.freed:
		ready(true)
		err = v.closed()
	case err == nil:
		v.Exe = ready(false)
		args, results := v.Exe.slots()
		v.Frame = hostabi.Frame{Args: args, Results: results, Code: v.Exe}
		v.Ready.Store(true)
	}
	m.err = err
	close(m.done)
}

// Free drops the machine code, or has make drop it if it is not finished yet. The caller
// holds the launch lock.
func (v *Variant) Free() {
	m := &v.making
	m.mu.Lock()
	defer m.mu.Unlock()
	m.freed = true
	if v.fallback != nil {
		v.fallback.Free()
	}
	if m.done == nil {
		m.done, m.err = make(chan struct{}), v.closed()
		close(m.done)
	}
	v.drop()
}

// drop gives the machine code back, if there is any.
func (v *Variant) drop() {
	v.Ready.Store(false)
	if v.Exe != nil {
		v.Exe.free()
		v.Exe, v.Frame.Code = nil, nil
	}
}

// Hold waits until the variant is compiled, takes the launch lock, and waits until no kernel runs. It fails, without
// the lock, when ctx is done before.
func (v *Variant) Hold(ctx context.Context) error {
	if err := v.Order(ctx); err != nil {
		return err
	}
	if !v.Kernel.Program.Maker.Turn.Queues() { // the usual case, without a call
		return nil
	}
	return v.Rest(ctx)
}

// Rest makes of Order a Hold: it waits until no kernel runs. It fails, and gives the launch lock back, when ctx is done before.
func (v *Variant) Rest(ctx context.Context) error {
	turn := &v.Kernel.Program.Maker.Turn
	if err := turn.Rest(ctx); err != nil {
		turn.Unlock()
		return v.waited(err)
	}
	return nil
}

// Order waits until the variant is compiled, and takes the launch lock while kernels may run; see [launch.Lock]. It fails, without
// the lock, when ctx is done before.
func (v *Variant) Order(ctx context.Context) error {
	if !v.Ready.Load() {
		if err := v.Compile(ctx); err != nil {
			return err
		}
	}
	m := v.Kernel.Program.Maker
	if !m.Turn.TryOrder() { // the usual case, without a call
		if err := m.Turn.Order(ctx); err != nil {
			return v.waited(err)
		}
	}
	if m.Closed.Load() {
		m.Turn.Unlock()
		return v.closed()
	}
	for _, t := range v.trees {
		if t.Closed() {
			m.Turn.Unlock()
			return v.closed()
		}
	}
	return nil
}

// waited is the error of a launch whose context was done before its turn came.
func (v *Variant) waited(err error) error {
	return fmt.Errorf("ti: launch of %s ended while it waited for other launches: %w", v.Kernel.Name, err)
}
