package vulkan

import (
	"context"
	"errors"
	"math/bits"
	"slices"
	"time"
	"unsafe"

	"github.com/gotaichi/ti/internal/launch"
)

// A launcher launches a kernel on its data.
type launcher struct {
	*loaded
	data          launch.Data
	args, results []uint64
	bases         []uint64      // addresses for the device
	roots         []uint64      // of sparse trees: the addresses of the host
	apart         []*apartArea  // those of the bases that the host does not see
	hidden        []*treeMemory // those of the sparse trees that it does not see

	layout   layout
	memory   *area // of a launch that is waited for; nil before the first one
	own      place // the same
	frame    []uint64
	push     []pushes // of the dispatches of each task
	fault    launch.Fault
	recorded bool     // commands have been recorded that nobody has waited for
	now      int      // the task that was begun last
	ordering ordering // of its dispatches and those before
	running  [2]int   // the first and the last part of the task that was begun last
	sums     []*area  // memory that launches leave zero
	dirty    bool     // a launch has not left it so
	partial  *area    // partial results that are kept in order
	callers  callers  // memory of the caller
	trees    trees    // what the launch knows of sparse trees and lists
	lengths  []int64  // of the lists of the task under way
	room     int64    // bytes for what the launch prints, until it is given
	recorder *launch.Recorder
	plans    []plan    // of the tasks
	paces    []float64 // how many nanoseconds an iteration of each task takes of the time of the task; 0 if nobody knows
	since    time.Time // the first of the commands was recorded that nobody has waited for
	whole    []int     // tasks of which all is among these commands
	examined bool      // whether waits is known
	waits    bool      // no launch can be started
	all      []int     // the numbers of all tasks
}

func (w *launcher) Args() []uint64    { return w.args }
func (w *launcher) Results() []uint64 { return w.results }

// Free gives the memory back.
func (w *launcher) Free() {
	for _, a := range slices.Concat([]*area{w.memory, w.partial, w.callers.area, w.trees.steps}, w.sums, w.trees.copies) {
		if a != nil {
			_ = a.Free()
		}
	}
	w.memory, w.partial, w.callers.area, w.sums, w.trees = nil, nil, nil, nil, trees{}
}

// prepare makes the memory of launches that are waited for.
func (w *launcher) prepare() (err error) {
	if w.memory, err = w.m.d.allocate(w.layout.bytes); err != nil {
		return err
	}
	w.own = w.memory.place(0, w.layout.bytes)
	w.frame = w.own.words(0, w.layout.frame/8)
	return nil
}

// openSums sees to it that the sums of the kernel are there, and zero.
func (w *launcher) openSums() error {
	for i, s := range w.k.Sums {
		switch {
		case i == len(w.sums):
			a, err := w.m.d.allocate(s.Bytes)
			if err != nil {
				return errors.Join(launch.ErrSums, err)
			}
			w.sums = append(w.sums, a)
			w.bases[s.Base] = a.address
		case w.dirty:
			clear(w.sums[i].host)
		}
	}
	w.dirty = true
	return nil
}

// Submit launches the kernel, and has ended it when it returns.
func (w *launcher) Submit(ctx context.Context, number uint64) (launch.Pending, *launch.Fault, error) {
	fault, err := w.run(ctx, number)
	return nil, fault, err
}

func (w *launcher) run(ctx context.Context, number uint64) (*launch.Fault, error) {
	m := w.m
	_ = m.ring.finish() // launches that were started have their errors themselves
	w.recorded, w.whole = false, w.whole[:0]
	w.ordering.begin()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if m.stopped.Load() {
		return nil, launch.ErrStopped
	}
	if err := m.d.usable(); err != nil {
		return nil, err
	}
	if w.memory == nil {
		if err := w.prepare(); err != nil {
			return nil, err
		}
	}
	if err := w.openSums(); err != nil {
		return nil, err
	}
	if w.recorder = m.recorder; number == 0 { // nobody measures a launch that is none of the program's
		w.recorder = nil
	}
	w.layout.clear(&w.own)
	if number != 0 {
		m.last = number
		m.launches.Add(max(1, int64(len(w.k.Parts))))
	}
	if m.watched {
		m.status.Store(&status{kernel: w.k.Name, tasks: len(w.k.Tasks), since: time.Now()})
		defer m.status.Store(nil)
	}
	if ctx.Done() != nil {
		defer m.stopWith(ctx)()
	}
	if err := w.callers.take(w); err != nil {
		return nil, err
	}
	err := w.tasks(ctx, number)
	w.callers.give(w)
	if err != nil {
		if len(w.k.Parts) > 0 {
			err = &launch.InPart{First: w.running[0], Part: w.running[1], Err: err}
		}
		return nil, err
	}
	w.dirty = false
	copy(w.results, w.frame)
	if w.failure(&w.own, &w.fault) {
		return &w.fault, nil
	}
	return nil, nil
}

// stopWith has loops end once ctx is done, until the func that it returns is called.
func (m *Machine) stopWith(ctx context.Context) (end func()) {
	m.signal(0)
	over, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case <-ctx.Done():
			m.signal(1)
		case <-over:
		}
	}()
	return func() {
		close(over)
		<-ended
		if !m.stopped.Load() {
			m.signal(0)
		}
	}
}

// tasks runs the tasks in their order. Where the kernel records, what a loop has recorded is given before the next one begins.
func (w *launcher) tasks(ctx context.Context, number uint64) (err error) {
	if w.k.Records {
		if err := w.openText(); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, w.data.Sink.Flush()) }()
	}
	if err := w.openTrees(); err != nil {
		return err
	}
	loop, counted := int64(0), 0
	for i := 0; i <= len(w.k.Tasks); {
		if i == len(w.k.Tasks) {
			err = w.settleLast(ctx)
		} else if t := &w.k.Tasks[i]; !t.Helper {
			if w.k.Records && (t.Loop != loop || loop == 0) {
				if err := w.data.Sink.Flush(); err != nil {
					return err
				}
				loop = t.Loop
			}
			var ran bool
			if ran, err = w.inTurn(ctx, i, number); ran && number != 0 && i >= counted {
				w.m.tasks.Add(1)
				counted = i + 1
			}
		}
		i++
		if s, is := errors.AsType[*stop](err); is {
			i = s.task
			err = w.resume(s)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// inTurn runs a task, or records it, if the kernel has not returned.
func (w *launcher) inTurn(ctx context.Context, i int, number uint64) (ran bool, err error) {
	t := &w.k.Tasks[i]
	if i > 0 && w.waitsFor(t) {
		if err := w.flush(ctx); err != nil {
			return false, err
		}
	}
	if i > 0 && w.returned(t) {
		return false, nil
	}
	if now := w.m.status.Load(); now != nil {
		now.done.Store(0)
		now.total.Store(0)
		now.task.Store(int64(i))
	}
	w.running = [2]int{t.First, t.Part}
	if err = w.openLists(ctx, i); err == nil {
		if err = w.task(ctx, i, number); err == nil {
			err = w.settleAfter(ctx, i)
			return err == nil, err
		}
	}
	if _, is := errors.AsType[*stop](err); is {
		return false, err
	}
	late := w.flush(ctx) // what stands before it takes effect
	if _, is := errors.AsType[*stop](late); is {
		return false, late
	}
	return false, alsoFailed(alsoFailed(err, late), w.settle())
}

// waitsFor reports whether the host must read what earlier tasks have left before t runs, or measures each task.
func (w *launcher) waitsFor(t *launch.Task) bool {
	if w.doneOf(t) >= 0 || w.recorder != nil || w.k.Records || w.data.Trees != nil && !w.trees.joined {
		return true
	}
	return boundInFrame(t)
}

// boundInFrame reports whether earlier tasks leave a bound of t.
func boundInFrame(t *launch.Task) bool {
	return slices.ContainsFunc(t.Dims, func(d launch.Dim) bool { return d.Lo.From == launch.Frame || d.Hi.From == launch.Frame })
}

// doneOf is where in the frame a flag says that t is not to run; -1 for nowhere.
func (w *launcher) doneOf(t *launch.Task) int64 {
	if t.Part < len(w.k.Parts) {
		return w.k.Parts[t.Part].Done
	}
	return w.k.Done
}

// returned reports whether the kernel of t, or its part of a linked one, has returned early.
func (w *launcher) returned(t *launch.Task) bool {
	done := w.doneOf(t)
	return done >= 0 && *(*int32)(unsafe.Pointer(&w.own.host[done])) != 0
}

// extent returns the number of iterations; -1 if there are too many.
func (w *launcher) extent(t *launch.Task) int64 {
	total, many := int64(1), false
	for _, d := range t.Dims {
		lo, hi := d.Lo.Value(w.args, w.frame, w.lengths), d.Hi.Value(w.args, w.frame, w.lengths)
		if d.Unsigned && uint64(hi) <= uint64(lo) || !d.Unsigned && hi <= lo {
			return 0
		}
		over, low := bits.Mul64(uint64(total), uint64(hi-lo))
		if many = many || over != 0 || low > launch.MaxIterations; !many {
			total = int64(low)
		}
	}
	if many {
		return -1
	}
	return total
}
