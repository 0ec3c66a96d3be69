package flow

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/gotaichi/ti/internal/batch"
	"github.com/gotaichi/ti/internal/hostabi"
	"github.com/gotaichi/ti/internal/store"
	"github.com/gotaichi/ti/internal/variant"
)

// A Way is the only one from a call to the machine. Who wants to see launches joins its observers. A call that nobody
// observes asks for them once, and runs the frame of the variant as it is.
type Way struct {
	Maker *variant.Maker
	queue atomic.Pointer[batch.Queue] // nil where each launch runs at once

	removed batch.Removed
	drawing atomic.Bool // WriteGraph or Plan runs
	plans   []*Plan     // guarded by joining

	special   atomic.Bool // there are observers or a queue; guarded by joining against others who set it
	joining   sync.Mutex
	observers atomic.Pointer[[]Observer] // nil for none; a list is never changed

	refused atomic.Pointer[string] // the errors of the last launch that failed for its source; see repeated
}

// An Observer sees the launches of a runtime. Observers are asked in the order in which they have joined.
type Observer interface {
	// Cast returns the variant that is to be launched instead of chosen, which the observers before have chosen
	// for the launch of asked.
	Cast(ctx context.Context, asked, chosen *variant.Variant) (*variant.Variant, error)
	// Expects returns the variant that a launch of k has to be of, with compile-time arguments; nil if any is right.
	Expects(k *variant.Kernel, args []variant.Arg) *variant.Variant
	// Before and After are called with the launch lock held. An error of Before ends the launch. After is
	// not called where it has failed.
	Before(l *Launch) error
	After(l *Launch) error
	// Defers reports whether a launch of v may run later than After is called.
	Defers(v *variant.Variant) bool
	// Failed takes the error of a launch, or of a call that came to none.
	Failed(err error)
	// Overwritten says that the program has given all elements of a field new values.
	Overwritten(c *store.Field)
	// Beside returns an error if another observer cannot join.
	Beside(o Observer) error
}

// Idle is an observer that does nothing. Others embed it.
type Idle struct{}

func (Idle) Cast(_ context.Context, _, chosen *variant.Variant) (*variant.Variant, error) {
	return chosen, nil
}
func (Idle) Expects(*variant.Kernel, []variant.Arg) *variant.Variant { return nil }
func (Idle) Before(*Launch) error                                    { return nil }
func (Idle) After(*Launch) error                                     { return nil }
func (Idle) Defers(*variant.Variant) bool                            { return false }
func (Idle) Failed(error)                                            {}
func (Idle) Beside(Observer) error                                   { return nil }
func (Idle) Overwritten(*store.Field)                                {}

// A Launch is a launch as observers see it.
type Launch struct {
	Variant *variant.Variant
	Args    []uint64 // valid while it is observed
	Number  uint64   // of the launch, on which its random numbers depend; known afterwards
	NotMade bool     // an observer wants it noted, and not made
}

// Join adds an observer. refuse returns an error for another one that it cannot stand beside.
func (w *Way) Join(o Observer, refuse func(other Observer) error) error {
	w.joining.Lock()
	defer w.joining.Unlock()
	list := w.Observing()
	for _, other := range list {
		if err := cmp.Or(refuse(other), other.Beside(o)); err != nil {
			return err
		}
	}
	list = append(slices.Clip(list), o)
	w.observers.Store(&list)
	w.special.Store(true)
	return nil
}

// Leave takes an observer out, if it is there.
func (w *Way) Leave(o Observer) {
	w.joining.Lock()
	defer w.joining.Unlock()
	list := slices.DeleteFunc(slices.Clone(w.Observing()), func(other Observer) bool { return other == o })
	if len(list) == 0 {
		w.observers.Store(nil)
		w.special.Store(w.queue.Load() != nil)
		return
	}
	w.observers.Store(&list)
}

// Observing are the observers.
func (w *Way) Observing() []Observer {
	if l := w.observers.Load(); l != nil {
		return *l
	}
	return nil
}

// expected returns the variant that an observer expects where k is launched, nil for none.
func (w *Way) expected(k *variant.Kernel, args []variant.Arg) *variant.Variant {
	for _, o := range w.Observing() {
		if v := o.Expects(k, args); v != nil {
			return v
		}
	}
	return nil
}

// enter finds the variant for the constants and pointers as they are now, waits until it
// is compiled, and takes the launch lock. It fails when ctx is done before. Without an
// error the caller runs the code of the frame, or does not, and gives the lock back.
func (c *Caller) enter(ctx context.Context) (*variant.Variant, *hostabi.Frame, error) {
	special := c.Way.special.Load()
	if special && c.Way.observers.Load() != nil {
		if v := c.Way.expected(c.Of, nil); v != nil {
			return c.held(ctx, v)
		}
	}
	v, err := c.Of.Now()
	if err != nil {
		return nil, nil, err
	}
	if special {
		return c.held(ctx, v)
	}
	return v, &v.Frame, v.Hold(ctx)
}

// found returns the variant of a template for compile-time arguments.
func (w *Way) found(t *variant.Template, args []variant.Arg) (*variant.Variant, error) {
	if v := w.expected(t.Kernel, args); v != nil {
		return v, nil
	}
	return t.Find(args)
}

// held returns the variant that launches of v are made of, compiled, with the frame for a launch, and takes the launch lock.
func (c *Caller) held(ctx context.Context, v *variant.Variant) (*variant.Variant, *hostabi.Frame, error) {
	w := c.Way
	q := w.queue.Load()
	if q != nil && q.HasFailed() {
		if err := q.Report(c.Of.Name); err != nil {
			return nil, nil, err
		}
	}
	list := w.observers.Load()
	if list == nil {
		if q != nil {
			return c.queued(ctx, q, v)
		}
		return v, &v.Frame, v.Hold(ctx)
	}
	chosen := v
	for _, o := range *list {
		var err error
		if chosen, err = o.Cast(ctx, v, chosen); err != nil {
			return nil, nil, err
		}
	}
	if q != nil {
		frame, err := w.deferred(ctx, q, chosen, list)
		if err = chosen.NoDerivative(err); err != nil || frame != nil {
			return chosen, frame, err
		}
		if q.Recording() {
			return nil, nil, q.Refuse("launches " + c.Of.Name + " in front of an observer that waits")
		}
	}
	err := chosen.NoDerivative(chosen.Hold(ctx))
	if err != nil {
		if chosen != v && w.observers.Load() != list {
			return c.held(ctx, v) // who wanted it has left meanwhile
		}
		return nil, nil, err
	}
	return chosen, w.frame(chosen), nil
}

// queued is held where launches are queued: the frame is that of the queue if it takes the launch. Otherwise the queue is empty.
func (c *Caller) queued(ctx context.Context, q *batch.Queue, v *variant.Variant) (*variant.Variant, *hostabi.Frame, error) {
	turn := &c.Way.Maker.Turn
	if err := v.Order(ctx); err != nil {
		return nil, nil, err
	}
	if c.Way.observers.Load() == nil && c.Way.queue.Load() == q {
		if frame := q.Enter(ctx, v, c.Panics); frame != nil {
			return v, frame, nil
		}
	}
	if q.Recording() {
		turn.Unlock()
		return nil, nil, q.Refuse("launches " + c.Of.Name + ", which " + q.Why(ctx, v))
	}
	if err := v.Rest(ctx); err != nil {
		return nil, nil, err
	}
	if err := q.Failed(c.Of.Name); err != nil { // of what has run meanwhile
		turn.Unlock()
		return nil, nil, err
	}
	return v, c.Way.frame(v), nil
}

// frame is where a launch of v that is not queued finds what it needs. The caller holds the launch lock.
func (w *Way) frame(v *variant.Variant) *hostabi.Frame {
	if list := w.observers.Load(); list != nil {
		return w.observedFrame(v, list)
	}
	return &v.Frame
}

// deferred returns the frame for a launch that is queued under observers, with the launch lock taken; nil without the lock if it cannot be.
func (w *Way) deferred(ctx context.Context, q *batch.Queue, v *variant.Variant, list *[]Observer) (*hostabi.Frame, error) {
	for _, o := range *list {
		if !o.Defers(v) {
			return nil, nil
		}
	}
	if err := v.Order(ctx); err != nil {
		return nil, err
	}
	if w.observers.Load() != list || w.queue.Load() != q || !q.Takes(ctx, v) {
		w.Maker.Turn.Unlock()
		return nil, nil
	}
	o, is := v.Deferred.Code.(*observed)
	if !is || o.by != list || o.queue != q {
		v.Deferred = hostabi.Frame{Args: make([]uint64, v.Queued().Slots), Code: &observed{way: w, variant: v, by: list, queue: q}}
	}
	return &v.Deferred, nil
}

func (w *Way) observedFrame(v *variant.Variant, list *[]Observer) *hostabi.Frame {
	if o, is := v.Observed.Code.(*observed); !is || o.by != list {
		v.Observed = hostabi.Frame{Args: v.Frame.Args, Results: v.Frame.Results, Code: &observed{way: w, variant: v, by: list}}
	}
	return &v.Observed
}

// failed notifies the observers of the error of a launch without code, and returns it, shortened where it is that
// of the last one.
func (w *Way) failed(err error) error {
	if err = w.repeated(err); err != nil {
		for _, o := range w.Observing() {
			o.Failed(err)
		}
	}
	return err
}

// Overwritten says that the program has given all elements of a field new values.
func (w *Way) Overwritten(c *store.Field) {
	for _, o := range w.Observing() {
		o.Overwritten(c)
	}
}

// observed runs launches of a variant that some observe.
type observed struct {
	way     *Way
	variant *variant.Variant
	by      *[]Observer
	queue   *batch.Queue // takes the launches; nil if they run at once
	launch  Launch       // the one under way: another of this variant, within it, has other observers
}

// Run makes the launch. The caller holds the launch lock.
func (o *observed) Run(ctx context.Context) error {
	err := o.run(ctx)
	if err != nil {
		for _, x := range *o.by {
			x.Failed(err)
		}
	}
	return err
}

func (o *observed) run(ctx context.Context) error {
	o.launch = Launch{Variant: o.variant, Args: o.variant.Frame.Args}
	if o.queue != nil {
		o.launch.Args = o.variant.Deferred.Args
	}
	l := &o.launch
	for _, x := range *o.by {
		if err := x.Before(l); err != nil {
			return err
		}
	}
	switch {
	case l.NotMade:
	case o.queue != nil:
		o.queue.Add(o.variant, l.Args, o.way.Maker.Numbers.Next(o.variant.Kernel.Program))
	default:
		if err := o.variant.Exe.Run(ctx); err != nil {
			return err
		}
	}
	l.Number = o.way.Maker.Numbers.Last(o.variant.Kernel.Program)
	for _, x := range *o.by {
		if err := x.After(l); err != nil {
			return err
		}
	}
	return nil
}
