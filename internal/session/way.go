package session

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/gotaichi/ti/internal/variant"

	"github.com/gotaichi/ti/internal/hostabi"
	"github.com/gotaichi/ti/internal/store"
)

// A way is the only one from a call to the machine. Who wants to see launches joins its observers. A call that nobody
// observes asks for them once, and runs the frame of the variant as it is.
type way struct {
	maker *variant.Maker

	joining   sync.Mutex
	observers atomic.Pointer[[]observer] // nil for none; a list is never changed

	refused atomic.Pointer[string] // the errors of the last launch that failed for its source; see repeated
}

// An observer sees the launches of a runtime. Observers are asked in the order in which they have joined.
type observer interface {
	// cast returns the variant that is to be launched in the place of chosen, which the observers before have chosen
	// for the launch of asked.
	cast(ctx context.Context, asked, chosen *variant.Variant) (*variant.Variant, error)
	// expects returns the variant that a launch of k has to be of, with compile-time arguments; nil if any is right.
	expects(k *variant.Kernel, args []variant.Arg) *variant.Variant
	// before and after are called with the launch lock held. An error of before ends the launch. After is
	// not called where it has failed.
	before(l *launching) error
	after(l *launching) error
	// failed takes the error of a launch, or of a call that came to none.
	failed(err error)
	// overwritten says that the program has given all elements of a field new values.
	overwritten(c *store.Field)
	// beside returns an error if another observer cannot join.
	beside(o observer) error
}

// idle is an observer that does nothing. Others embed it.
type idle struct{}

func (idle) cast(_ context.Context, _, chosen *variant.Variant) (*variant.Variant, error) {
	return chosen, nil
}
func (idle) expects(*variant.Kernel, []variant.Arg) *variant.Variant { return nil }
func (idle) before(*launching) error                                 { return nil }
func (idle) after(*launching) error                                  { return nil }
func (idle) failed(error)                                            {}
func (idle) beside(observer) error                                   { return nil }
func (idle) overwritten(*store.Field)                                {}

// A launching is a launch as observers see it: the arguments are in the frame of the variant.
type launching struct {
	variant *variant.Variant
	number  uint64 // of the launch, on which its random numbers depend; known afterwards
	skip    bool   // an observer wants it noted, and not made
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
		if err := cmp.Or(refuse(other), other.beside(o)); err != nil {
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

// expected returns the variant that an observer expects where k is launched, nil for none.
func (w *way) expected(k *variant.Kernel, args []variant.Arg) *variant.Variant {
	for _, o := range w.observing() {
		if v := o.expects(k, args); v != nil {
			return v
		}
	}
	return nil
}

// enter finds the variant for the constants and pointers as they are now, waits until it
// is compiled, and takes the launch lock. It fails when ctx is done before. Without an
// error the caller gives the lock back.
func (w *way) enter(ctx context.Context, k *variant.Kernel) (*variant.Variant, error) {
	v := w.expected(k, nil)
	if v == nil {
		var err error
		if v, err = k.Now(); err != nil {
			return nil, err
		}
	}
	return w.held(ctx, v)
}

// found returns the variant of a template for compile-time arguments.
func (w *way) found(t *variant.Template, args []variant.Arg) (*variant.Variant, error) {
	if v := w.expected(t.Kernel, args); v != nil {
		return v, nil
	}
	return t.Find(args)
}

// held returns the variant that launches of v are made of, compiled, and takes the launch lock.
func (w *way) held(ctx context.Context, v *variant.Variant) (*variant.Variant, error) {
	list := w.observers.Load()
	if list == nil {
		return v, v.Hold(ctx)
	}
	chosen := v
	for _, o := range *list {
		var err error
		if chosen, err = o.cast(ctx, v, chosen); err != nil {
			return nil, err
		}
	}
	err := chosen.NoDerivative(chosen.Hold(ctx))
	if err != nil && chosen != v && w.observers.Load() != list {
		return w.held(ctx, v) // who wanted it has left meanwhile
	}
	return chosen, err
}

// frame is where a launch of v finds what it needs. The caller holds the launch lock.
func (w *way) frame(v *variant.Variant) *hostabi.Frame {
	if list := w.observers.Load(); list != nil {
		return w.observedFrame(v, list)
	}
	return &v.Frame
}

func (w *way) observedFrame(v *variant.Variant, list *[]observer) *hostabi.Frame {
	if o, is := v.Observed.Code.(*observed); !is || o.by != list {
		v.Observed = hostabi.Frame{Args: v.Frame.Args, Results: v.Frame.Results, Code: &observed{w, v, list}}
	}
	return &v.Observed
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

// observed runs launches of a variant that some observe.
type observed struct {
	way     *way
	variant *variant.Variant
	by      *[]observer
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
	l := &launching{variant: o.variant}
	for _, x := range *o.by {
		if err := x.before(l); err != nil {
			return err
		}
	}
	if !l.skip {
		if err := o.variant.Exe.Run(ctx); err != nil {
			return err
		}
	}
	l.number = o.way.maker.Numbers.Last
	for _, x := range *o.by {
		if err := x.after(l); err != nil {
			return err
		}
	}
	return nil
}
