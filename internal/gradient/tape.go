package gradient

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/gotaichi/ti/internal/flow"

	"github.com/gotaichi/ti/internal/variant"

	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/job"
	"github.com/gotaichi/ti/internal/record"
	"github.com/gotaichi/ti/internal/store"
)

// A tape has the launches of a stretch of a program, to be differentiated in reverse order.
type tape struct {
	flow.Idle
	g       *Gradients         // of the runtime that it records; set when it begins
	only    bool               // launches are noted and not made
	clear   atomic.Bool        // adjoints of stored elements are cleared on the way back
	custom  atomic.Bool        // CustomGrad was called, whose way back clears nothing
	paused  atomic.Int32       // launches are made and not noted, while it is above 0
	history *record.History    // of what launches do to fields, in debug mode; else nil
	ends    *endings           // finds fields that end a derivative; nil where nobody looks
	customs atomic.Int32       // CustomGrad runs its forward function, while it is above 0
	copies  []*treeCopy        // of what launches use, then
	cells   []*sparseCopy      // and of sparse fields
	touched []*record.Inputs   // of the launch under way, those that it is noted in
	visit   func(Launch) error // is called before each launch, and nothing is noted; may be nil
	begun   bool               // the compilation of adjoints; on the way back

	tangents bool // launches carry tangents
	now      step // the launch under way

	mu        sync.Mutex       // guards what follows
	steps     [][]step         // in pieces, so that none is ever moved
	count     int              // of all these
	fault     error            // of the first launch that failed
	args      []uint64         // slots for the next steps
	inputs    []*record.Inputs // of the checkpoints whose functions run, in debug mode
	inputRoom int64            // for each of these, in bytes
	notes     *[]call          // takes what is launched, noted or not; may be nil
	first     []call           // of the second run of a checkpoint: what the first run launched
	at        int              // how many of these have come
}

// add notes a step; of a launch also what a checkpoint compares.
func (t *tape) add(s step) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s.back == nil {
		t.noteLaunch(&s)
	}
	if t.paused.Load() > 0 {
		return
	}
	n := len(t.steps)
	if n == 0 || len(t.steps[n-1]) == cap(t.steps[n-1]) {
		t.steps = append(t.steps, make([]step, 0, 16<<min(n, 6)))
		n++
	}
	t.steps[n-1] = append(t.steps[n-1], s)
	t.count++
}

// Cast has launches made of variants that store old values, and in debug mode of those that are watched.
func (t *tape) Cast(ctx context.Context, asked, chosen *variant.Variant) (*variant.Variant, error) {
	if t.keepsOld() {
		r, err := asked.Recording()
		if err != nil {
			return nil, err
		}
		if r != nil {
			chosen = r
			if t.tangents {
				d, err := asked.Derived(job.RecordTangent)
				if err != nil {
					return nil, err
				}
				if d != nil {
					chosen = d
				}
			}
		}
	}
	if !t.tangents && (t.watches() || t.notesInputs()) {
		return t.watched(ctx, asked)
	}
	return chosen, nil
}

// Before prepares what the tape notes of a launch.
func (t *tape) Before(l *flow.Launch) error {
	v := l.Variant
	if t.ends != nil && t.customs.Load() == 0 { // CustomGrad has a derivative of its own
		t.ends.launch(v)
	}
	if t.only && len(v.Frame.Results) > 0 {
		return diag.Errorf(diag.ErrArgs, "%s returns a value, and Adjoint does not launch it; leave the result out", v.Kernel)
	}
	l.Skip = t.only
	s := step{variant: v, args: t.newArgs(v.Plan().Slots)}
	copy(s.args, v.Frame.Args)
	if t.visit != nil {
		args := slices.Clone(v.Frame.Args)
		s.holdMemory()
		if err := t.g.visitStep(t, s); err != nil {
			return err
		}
		copy(v.Frame.Args, args)
		return nil
	}
	topology, err := t.topologies(v)
	if err != nil {
		return err
	}
	if topology != nil {
		s.hold().topology = topology
	}
	if watch, is := v.Role.(*variant.Watching); is {
		if err := errors.Join(t.changed(), t.watch(v, watch)); err != nil {
			return err
		}
	}
	t.now = s
	return nil
}

// After notes a launch.
func (t *tape) After(l *flow.Launch) error {
	if t.visit != nil {
		return nil
	}
	v, s := l.Variant, t.now
	if _, is := v.Role.(*variant.Watching); is {
		t.dropped(v)
	}
	s.holdMemory()
	if s.held != nil {
		if err := t.launched(v, s.held.topology); err != nil {
			return err
		}
	}
	if !t.only && v.Stores() {
		old, err := v.TakeOld()
		if err != nil {
			return err
		}
		s.hold().old = old
	}
	if err := t.keep(v); err != nil {
		return err
	}
	s.number = l.Number
	t.add(s)
	return nil
}

func (t *tape) Overwritten(c *store.Field) { t.ends.forget(c) }

// tangents have launches carry tangents.
type tangents struct {
	flow.Idle
	ends *endings // finds fields that end their tangents
}

func (t *tangents) Cast(_ context.Context, asked, chosen *variant.Variant) (*variant.Variant, error) {
	d, err := asked.Derived(job.Tangent)
	if d == nil {
		d = chosen
	}
	return d, err
}

func (t *tangents) Before(l *flow.Launch) error {
	t.ends.launch(l.Variant)
	return nil
}

func (t *tangents) Overwritten(c *store.Field) { t.ends.forget(c) }

// Tape computes the gradient of loss; see ti.Runtime.Tape.
func (g *Gradients) Tape(loss *store.Field, f func() error) error {
	return g.taped(&tape{ends: newEndings(store.Grad)}, loss, f)
}

// TapeToStart is Tape, after which the adjoint of an element that f stored to is that of what it was before f: 0,
// unless a launch had read it. It reports whether f called CustomGrad, whose way back leaves adjoints as it likes.
func (g *Gradients) TapeToStart(loss *store.Field, f func() error) (custom bool, err error) {
	t := &tape{ends: newEndings(store.Grad)}
	t.clear.Store(true)
	err = g.taped(t, loss, f)
	return t.custom.Load(), err
}

// taped is Tape with a new tape.
func (g *Gradients) taped(t *tape, loss *store.Field, f func() error) error {
	if err := g.usable("a tape"); err != nil {
		return err
	}
	adjoint, err := g.lossAdjoint(loss)
	if err != nil {
		return err
	}
	if g.tape() != nil || !g.taping.CompareAndSwap(false, true) {
		return errTapeWithin()
	}
	defer g.taping.Store(false)
	if err := g.clearAdjoints(); err != nil {
		return err
	}
	if err := g.record(t, f); err != nil {
		return err
	}
	if !t.names(loss) {
		return diag.Errorf(diag.ErrArgs, "no kernel that the tape recorded computes the loss %s; launch the one that does within the tape's function", loss.Name())
	}
	if err := g.tell(t.ends, loss); err != nil {
		t.drop()
		return err
	}
	setOne(adjoint)
	// A checkpoint runs again what adds to the loss, or restores what it was before.
	restore, err := holdOnly(loss, g.tangents())
	if err != nil {
		return err
	}
	return cmp.Or(g.back(t), restore())
}

func errTapeWithin() error {
	return diag.Errorf(diag.ErrBusy, "a tape within another, or on its way back; see CustomGrad for what is differentiated in a way of its own")
}

// record runs f under a tape.
func (g *Gradients) record(t *tape, f func() error) error {
	if f == nil {
		return diag.Errorf(diag.ErrArgs, "a tape of a nil function")
	}
	t.g = g
	t.tangents = g.tangents()
	err := g.Way.Join(t, func(other flow.Observer) error {
		if _, is := other.(*tape); is {
			return errTapeWithin()
		}
		return nil
	})
	if err != nil {
		return err
	}
	defer g.Way.Leave(t) // f may panic
	if g.Maker.Opt.Debug && !t.only && t.visit == nil {
		t.history, t.inputRoom = record.NewHistory(g.Maker.RecordRoom()), g.Maker.RecordRoom()
	}
	err = flow.Joined(f())
	// Launches find the tape and add to it under the launch lock, also those of other goroutines. It ends under the
	// lock, too, so that none of them adds to it on the way back. Nobody who has the lock waits for a tape.
	g.Maker.Eng.Lock()
	defer g.Maker.Eng.Unlock()
	g.Way.Leave(t)
	if err = cmp.Or(err, t.faulty()); err != nil {
		t.drop()
		return err
	}
	return cmp.Or(t.breach(), t.changed())
}

// Failed notes the error of a launch. The launch is missing on the tape, whether or not the program
// looks at the error.
func (t *tape) Failed(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.fault = cmp.Or(t.fault, err)
}

// faulty is the error of the first launch that failed.
func (t *tape) faulty() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.fault
}

// drop lets what the tape holds go: the frames of launches still know the tape.
func (t *tape) drop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.steps, t.args, t.copies, t.cells, t.history = nil, nil, nil, nil, nil
}

// backward are the steps from the last on.
func (t *tape) backward() iter.Seq[*step] {
	return func(yield func(*step) bool) {
		for _, piece := range slices.Backward(t.steps) {
			for i := range slices.Backward(piece) {
				if !yield(&piece[i]) {
					return
				}
			}
		}
	}
}

// names reports whether a step may have written to a field.
func (t *tape) names(c *store.Field) bool {
	for s := range t.backward() { // the loss comes last, as a rule
		if s.back != nil || s.kernel().Uses(c) {
			return true
		}
	}
	return false
}

// kernel is the variant that was launched, without tangents.
func (s *step) kernel() *variant.Variant {
	if s.variant.Of != nil {
		return s.variant.Of
	}
	return s.variant
}

// lossAdjoint checks a loss and returns its adjoint.
func (g *Gradients) lossAdjoint(loss *store.Field) (*store.Field, error) {
	if err := loss.Ready(); err != nil {
		return nil, err
	}
	if loss.Node().Store() != g.Maker.Store {
		return nil, diag.Errorf(diag.ErrArgs, "the loss %s is a field of another runtime", loss.Name())
	}
	if n := variant.Elements(loss.Shape()) * (loss.Comps()); n != 1 {
		return nil, diag.Errorf(diag.ErrArgs, "the loss %s has %d numbers, and a loss is one; sum them up in a field with one element", loss.Name(), n)
	}
	if !loss.IsReal() {
		return nil, diag.Errorf(diag.ErrArgs, "the loss %s is a %v and no real number", loss.Name(), loss.Elem())
	}
	return loss.Adjoint()
}

// clearAdjoints sets all adjoints to zero.
func (g *Gradients) clearAdjoints() error {
	for _, c := range g.Maker.Store.Adjoints() {
		zero := make([]byte, c.Elem().Size())
		c.Fill(unsafe.Pointer(unsafe.SliceData(zero)))
		if !g.tangents() {
			continue
		}
		d, err := c.ReadyCompanion(store.Dual)
		if err != nil {
			return err
		}
		if d != nil {
			d.Fill(unsafe.Pointer(unsafe.SliceData(zero)))
		}
	}
	return nil
}

// Adjoint runs the adjoints of what f launches; see ti.Runtime.Adjoint.
func (g *Gradients) Adjoint(f func() error) error {
	if err := g.usable("an adjoint"); err != nil {
		return err
	}
	if t := g.tape(); t != nil {
		return diag.Errorf(diag.ErrBusy, "Adjoint while a tape records, which would miss it; see CustomGrad")
	}
	t := &tape{only: true, ends: newEndings(store.Grad)}
	t.clear.Store(g.taping.Load()) // on the way back other launches have used the same fields, and will
	if err := g.record(t, f); err != nil {
		return err
	}
	if err := g.tell(t.ends, nil); err != nil {
		t.drop()
		return err
	}
	g.numberAgain(t)
	return g.back(t)
}

// Tangent runs f, whose launches carry tangents; see ti.Runtime.Tangent.
func (g *Gradients) Tangent(f func() error) error {
	if err := g.usable("tangents"); err != nil {
		return err
	}
	switch {
	case f == nil:
		return diag.Errorf(diag.ErrArgs, "Tangent of a nil function")
	}
	ends := newEndings(store.Dual)
	t := &tangents{ends: ends}
	err := g.Way.Join(t, func(other flow.Observer) error {
		switch other.(type) {
		case *tape:
			return diag.Errorf(diag.ErrBusy, "Tangent while a tape records")
		case *tangents:
			return diag.Errorf(diag.ErrBusy, "Tangent within another")
		}
		return nil
	})
	if err != nil {
		return err
	}
	defer g.Way.Leave(t)
	if err := flow.Joined(f()); err != nil {
		return err
	}
	return g.tell(ends, nil)
}

// CustomGrad runs forward and has backward take its place on the way back; see ti.Runtime.CustomGrad.
func (g *Gradients) CustomGrad(forward, backward func() error) error {
	if err := g.usable("a custom gradient"); err != nil {
		return err
	}
	if forward == nil || backward == nil {
		return diag.Errorf(diag.ErrArgs, "CustomGrad of a nil function")
	}
	t := g.tape()
	if t == nil {
		return flow.Joined(forward())
	}
	if t.visit != nil {
		return g.visitCustom(t, forward, backward)
	}
	t.custom.Store(true)
	if t.only {
		return diag.Errorf(diag.ErrBusy, "CustomGrad within Adjoint, which launches nothing forward")
	}
	t.noteEvent("CustomGrad")
	first := g.Maker.Numbers.Last
	err := t.pause(func() error {
		if err := g.hostChanged(t); err != nil {
			return err
		}
		t.customs.Add(1)
		defer t.customs.Add(-1)
		return cmp.Or(flow.Joined(forward()), g.hostChanged(t))
	})
	if err != nil {
		return err
	}
	t.noteEvent("the end of CustomGrad")
	t.add(step{back: func() error { return g.customBack(first, backward) }})
	return nil
}

// pause runs f without noting its launches.
func (t *tape) pause(f func() error) error {
	t.paused.Add(1)
	defer t.paused.Add(-1)
	return f()
}

// setOne sets the only element to 1.
func setOne(c *store.Field) {
	one := make([]byte, c.Elem().Size())
	variant.OneOf(c.Access(0).Kind, unsafe.Pointer(unsafe.SliceData(one)))
	c.Set(unsafe.Pointer(unsafe.SliceData(one)), only(c), c.Rank)
}

// only is the index of the only element.
func only(c *store.Field) (idx store.Index) {
	for k, l := range c.Layout().LowestNow() {
		idx[k] = int(l)
	}
	return idx
}

// holdOnly remembers the only element, with its tangent if that is asked for, and returns what gives it back.
func holdOnly(c *store.Field, tangent bool) (restore func() error, err error) {
	held := []*store.Field{c}
	if tangent {
		if held, err = withTangents(held); err != nil {
			return nil, err
		}
	}
	values := make([][]byte, len(held))
	for i, f := range held {
		values[i] = make([]byte, f.Elem().Size())
		if err := f.TryGet(unsafe.Pointer(unsafe.SliceData(values[i])), only(f)); err != nil {
			return nil, err
		}
	}
	return func() (err error) {
		for i, f := range held {
			err = cmp.Or(err, f.TrySet(unsafe.Pointer(unsafe.SliceData(values[i])), only(f)))
		}
		return err
	}, nil
}
