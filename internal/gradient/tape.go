package gradient

import (
	"cmp"
	"iter"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/flow"
	"github.com/gotaichi/ti/internal/record"
	"github.com/gotaichi/ti/internal/store"
)

// A tape has the launches of a part of a program, to be differentiated in reverse order.
type tape struct {
	flow.Idle
	g       *Gradients         // of the runtime that it records; set when it begins
	only    bool               // launches are noted and not made
	clear   atomic.Bool        // adjoints of stored elements are cleared on the backward pass
	custom  atomic.Bool        // CustomGrad was called, whose backward pass clears nothing
	paused  atomic.Int32       // launches are made and not noted, while it is above 0
	history *record.History    // of what launches do to fields, in debug mode; else nil
	ends    *endings           // finds fields that end a derivative; nil where nobody looks
	customs atomic.Int32       // CustomGrad runs its forward function, while it is above 0
	copies  []*treeCopy        // of what launches use, then
	cells   []*sparseCopy      // and of sparse fields
	touched []*record.Inputs   // of the launch under way, those that it is noted in
	visit   func(Launch) error // is called before each launch, and nothing is noted; may be nil
	begun   bool               // the compilation of adjoints; on the backward pass

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

func (t *tape) Overwritten(c *store.Field) { t.ends.forget(c) }

func errTapeWithin() error {
	return diag.Errorf(diag.ErrBusy, "a tape within another, or on its backward pass; see CustomGrad for what is differentiated in a way of its own")
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
	t.steps, t.args, t.copies, t.cells, t.history, t.now = nil, nil, nil, nil, nil, step{}
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

// repeats reports whether the backward pass runs functions of the program, those of checkpoints and custom gradients.
func (t *tape) repeats() bool {
	for s := range t.backward() {
		if s.back != nil {
			return true
		}
	}
	return false
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

// pause runs f without noting its launches.
func (t *tape) pause(f func() error) error {
	t.paused.Add(1)
	defer t.paused.Add(-1)
	return f()
}

// newArgs returns n slots of arguments.
func (t *tape) newArgs(n int) []uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n > len(t.args) {
		t.args = make([]uint64, max(n, argChunk))
	}
	args := t.args[:n:n]
	t.args = t.args[n:]
	return args
}

// argChunk is how many slots of arguments a tape makes at once.
const argChunk = 1 << 12
