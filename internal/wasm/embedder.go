package wasm

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/gotaichi/ti/internal/device"
	"github.com/gotaichi/ti/internal/engine"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/memory"
)

var _ engine.Embedder = (*Embedder)(nil)

const (
	// Entry is the name of a task's function in its module.
	Entry = "task"

	stackBytes   = 8 << 20
	recordsBytes = 256 << 20 // for all threads
)

// An Embedder runs WebAssembly in a window of memory.
type Embedder struct {
	device.Window
	heap    *memory.Heap
	runtime wazero.Runtime
	threads int

	mu     sync.Mutex // guards loading, which takes turns with Close
	closed bool
}

// NewEmbedder returns an embedder for so many threads. Interpreted has wazero interpret the code, as it does by itself where it has no compiler for the processor.
func NewEmbedder(threads int, interpreted bool) (*Embedder, error) {
	w, err := memory.NewWindow()
	if err != nil {
		return nil, err
	}
	cfg := wazero.NewRuntimeConfig()
	if interpreted {
		cfg = wazero.NewRuntimeConfigInterpreter()
	}
	cfg = cfg.WithCoreFeatures(api.CoreFeaturesV2 | experimental.CoreFeaturesThreads)
	return &Embedder{Window: device.Window{Window: w}, heap: memory.NewHeap(w), threads: threads, runtime: wazero.NewRuntimeWithConfig(context.Background(), cfg)}, nil
}

// Words returns words in the window.
func (e *Embedder) Words(n int) ([]uint64, error) { return e.heap.Words(n) }

// Drop gives them back.
func (e *Embedder) Drop(words []uint64) { e.heap.Drop(words) }

// Stack is the room for local arrays. What wazero itself keeps of calls lies elsewhere.
func (e *Embedder) Stack() int64 { return stackBytes }

// Records is an equal part for each thread.
func (e *Embedder) Records() int64 { return recordsBytes / int64(e.threads) }

// Close frees the window, as soon as there are no fields in it any more.
func (e *Embedder) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil
	}
	e.closed = true
	e.heap.Close()
	return errors.Join(e.runtime.Close(context.Background()), e.Window.Free())
}

// Load compiles the modules of a kernel.
func (e *Embedder) Load(k *launch.Kernel, pieces []launch.Piece) (engine.Embedded, error) {
	if len(pieces) != len(k.Tasks) {
		return nil, fmt.Errorf("kernel %s has %d tasks, and modules for %d", k.Name, len(k.Tasks), len(pieces))
	}
	c := &code{embedder: e, tasks: make([]task, len(pieces))}
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

// Allocate gives modules the window as their memory.
type windowMemory struct{ bytes []byte }

func (m windowMemory) Reallocate(size uint64) []byte {
	if size > uint64(len(m.bytes)) {
		return nil
	}
	return m.bytes[:size:size]
}

func (windowMemory) Free() {}

// hook is the context with which modules get the window.
func (e *Embedder) hook() context.Context {
	return experimental.WithMemoryAllocator(context.Background(), experimental.MemoryAllocatorFunc(func(uint64, uint64) experimental.LinearMemory {
		return windowMemory{e.Bytes()}
	}))
}
