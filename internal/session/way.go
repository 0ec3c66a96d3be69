package session

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/gotaichi/ti/internal/hostabi"
	"github.com/gotaichi/ti/internal/store"
)

// A way is the only one from a call to the machine. Who wants to see launches joins its observers. A call that nobody
// observes asks for them once, and runs the frame of the instance as it is.
type way struct {
	maker *maker

	joining   sync.Mutex
	observers atomic.Pointer[[]observer] // nil for none; a list is never changed

	refused atomic.Pointer[string] // the errors of the last launch that failed for its source; see repeated
}

// An observer sees the launches of a runtime. Observers are asked in the order in which they have joined.
type observer interface {
	// cast returns the instance that is to be launched in the place of chosen, which the observers before have chosen
	// for the launch of asked.
	cast(ctx context.Context, asked, chosen *instance) (*instance, error)
	// expects returns the instance that a launch of k has to be of, with compile-time arguments; nil if any is right.
	expects(k *kernel, args []staticArg) *instance
	// before and after are called with the launch lock held. An error of before ends the launch. After is
	// not called where it has failed.
	before(l *launching) error
	after(l *launching) error
	// failed takes the error of a launch, or of a call that came to none.
	failed(err error)
	// overwritten says that the program has given all elements of a field new values.
	overwritten(c *store.Field)
}

// idle is an observer that does nothing. Others embed it.
type idle struct{}

func (idle) cast(_ context.Context, _, chosen *instance) (*instance, error) { return chosen, nil }
func (idle) expects(*kernel, []staticArg) *instance                         { return nil }
func (idle) before(*launching) error                                        { return nil }
func (idle) after(*launching) error                                         { return nil }
func (idle) failed(error)                                                   {}
func (idle) overwritten(*store.Field)                                       {}

// A launching is a launch as observers see it: the arguments are in the frame of the instance.
type launching struct {
	inst   *instance
	number uint64 // of the launch, on which its random numbers depend; known afterwards
	skip   bool   // an observer wants it noted, and not made
}

// join adds an observer. refuse returns an error for another one that it cannot stand beside.
func (w *way) join(o observer, refuse func(other observer) error) error {
	w.joining.Lock()
	defer w.joining.Unlock()
	var list []observer
	if l := w.observers.Load(); l != nil {
		list = *l
	}
	for _, other := range list {
		if err := refuse(other); err != nil {
			return err
		}
	}
	list = append(slices.Clip(list), o)
	w.observers.Store(&list)
	return nil
}

// leave takes an observer out, if it is there.
func (w *way) leave(o observer) {
	w.joining.Lock()
	defer w.joining.Unlock()
	list := slices.DeleteFunc(slices.Clone(w.observing()), func(other observer) bool { return other == o })
	if len(list) == 0 {
		w.observers.Store(nil)
		return
	}
	w.observers.Store(&list)
}

// observing are the observers.
func (w *way) observing() []observer {
	if l := w.observers.Load(); l != nil {
		return *l
	}
	return nil
}

// expected returns the instance that an observer expects where k is launched, nil for none.
func (w *way) expected(k *kernel, args []staticArg) *instance {
	for _, o := range w.observing() {
		if inst := o.expects(k, args); inst != nil {
			return inst
		}
	}
	return nil
}

// enter finds the instance for the constants and pointers as they are now, waits until it
// is compiled, and takes the launch lock. It fails when ctx is done before. Without an
// error the caller gives the lock back.
func (w *way) enter(ctx context.Context, k *kernel) (*instance, error) {
	inst := w.expected(k, nil)
	if inst == nil {
		var err error
		if inst, err = k.now(); err != nil {
			return nil, err
		}
	}
	return w.held(ctx, inst)
}

// found returns the instance of a template for compile-time arguments.
func (w *way) found(t *template, args []staticArg) (*instance, error) {
	if inst := w.expected(t.k, args); inst != nil {
		return inst, nil
	}
	return t.find(args)
}

// held returns the instance that launches of inst are made of, compiled, and takes the launch lock.
func (w *way) held(ctx context.Context, inst *instance) (*instance, error) {
	list := w.observers.Load()
	if list == nil {
		return inst, inst.hold(ctx)
	}
	chosen := inst
	for _, o := range *list {
		var err error
		if chosen, err = o.cast(ctx, inst, chosen); err != nil {
			return nil, err
		}
	}
	err := chosen.noDerivative(chosen.hold(ctx))
	if err != nil && chosen != inst && w.observers.Load() != list {
		return w.held(ctx, inst) // who wanted it has left meanwhile
	}
	return chosen, err
}

// frame is where a launch of inst finds what it needs. The caller holds the launch lock.
func (w *way) frame(inst *instance) *hostabi.Frame {
	if list := w.observers.Load(); list != nil {
		return w.observedFrame(inst, list)
	}
	return &inst.frame
}

func (w *way) observedFrame(inst *instance, list *[]observer) *hostabi.Frame {
	if o, is := inst.observed.Code.(*observed); !is || o.by != list {
		inst.observed = hostabi.Frame{Args: inst.frame.Args, Results: inst.frame.Results, Code: &observed{w, inst, list}}
	}
	return &inst.observed
}

// failed tells the observers of the error of a launch that came to no code, and returns it, shorter where it is that of the last
// one.
func (w *way) failed(err error) error {
	if err = w.repeated(err); err != nil {
		for _, o := range w.observing() {
			o.failed(err)
		}
	}
	return err
}

// overwritten says that the program has given all elements of a field new values.
func (w *way) overwritten(c *store.Field) {
	for _, o := range w.observing() {
		o.overwritten(c)
	}
}

// observed runs launches of an instance that some observe.
type observed struct {
	way  *way
	inst *instance
	by   *[]observer
}

// Run makes the launch. The caller holds the launch lock.
func (o *observed) Run(ctx context.Context) error {
	err := o.run(ctx)
	if err != nil {
		for _, x := range *o.by {
			x.failed(err)
		}
	}
	return err
}

func (o *observed) run(ctx context.Context) error {
	l := &launching{inst: o.inst}
	for _, x := range *o.by {
		if err := x.before(l); err != nil {
			return err
		}
	}
	if !l.skip {
		if err := o.inst.exe.Run(ctx); err != nil {
			return err
		}
	}
	l.number = o.way.maker.numbers.last
	for _, x := range *o.by {
		if err := x.after(l); err != nil {
			return err
		}
	}
	return nil
}
