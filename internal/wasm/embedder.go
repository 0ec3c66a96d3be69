package wasm

import (
	"errors"
	"fmt"
	"sync"

	"github.com/gotaichi/ti/internal/engine"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/memory"
)

var _ engine.Embedder = (*Embedder)(nil)

// mostThreads is how many threads run tasks, at most: their stacks take a quarter of the window.
const mostThreads = int(memory.WindowBytes / 4 / launch.ModuleStack)

// recordsBytes is the room for records of all threads.
const recordsBytes = 256 << 20

// An Embedder runs WebAssembly in a place of its own.
type Embedder struct {
	place
	vm      vm
	threads int

	mu     sync.RWMutex // locked for reading while something is loaded, for writing by Close
	closed bool
}

// NewEmbedder returns an embedder for so many threads, or for fewer if there is no room for all. Interpreted has wazero interpret the code, as it does by itself where it has no compiler for the processor.
func NewEmbedder(threads int, interpreted bool) (*Embedder, error) {
	e := &Embedder{threads: min(threads, mostThreads)}
	var err error
	if e.place, err = newPlace(); err == nil {
		e.vm, err = newVM(e.place, interpreted)
	}
	if err != nil {
		return nil, err
	}
	return e, nil
}

// Threads is how many threads there are.
func (e *Embedder) Threads() int { return e.threads }

// Stack is the room for local arrays. What the runtime itself keeps of calls lies elsewhere.
func (e *Embedder) Stack() int64 { return launch.ModuleStack }

// Records is an equal part for each thread.
func (e *Embedder) Records() int64 { return min(recordsBytes, e.Space().Most()) / int64(e.threads) }

// Close frees the place, as soon as there are no fields in it any more.
func (e *Embedder) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil
	}
	e.closed = true
	return errors.Join(e.vm.close(), e.place.close())
}

// Load compiles the modules of a kernel.
func (e *Embedder) Load(k *launch.Kernel, pieces []launch.Piece) (engine.Embedded, error) {
	if len(pieces) != len(k.Tasks) {
		return nil, fmt.Errorf("kernel %s has %d tasks, and modules for %d", k.Name, len(k.Tasks), len(pieces))
	}
	c := &code{tasks: make([]task, len(pieces))}
	errs := make([]error, len(pieces))
	var wg sync.WaitGroup
	room := make(chan struct{}, e.threads)
	for i := range pieces {
		wg.Go(func() {
			room <- struct{}{}
			defer func() { <-room }()
			errs[i] = c.tasks[i].load(e, pieces[i].Code)
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, errors.Join(fmt.Errorf("the code of kernel %s is no WebAssembly that runs here: %w", k.Name, err), c.Close())
	}
	return c, nil
}
