package wasm

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/gotaichi/ti/internal/memory"
)

// code is that of a kernel.
type code struct {
	embedder *Embedder
	tasks    []task
}

// A task is an instance of its module.
type task struct {
	compiled wazero.CompiledModule
	instance api.Module
	handles  []*handle // by thread; those of threads that have not run it yet are nil
}

// A handle is a function as one thread calls it.
type handle struct {
	function api.Function
	stack    [4]uint64 // arguments
}

// errClosed is why nothing is loaded any more.
var errClosed = errors.New("the runtime has been closed")

// load compiles a module, and makes an instance of it.
func (t *task) load(e *Embedder, module []byte) (err error) {
	if t.compiled, err = e.compile(module); err != nil {
		return err
	}
	ctx := e.hook()
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return errClosed
	}
	if t.instance, err = e.runtime.InstantiateModule(ctx, t.compiled, wazero.NewModuleConfig().WithName("")); err != nil {
		return err
	}
	switch m := t.instance.Memory(); {
	case t.instance.ExportedFunction(Entry) == nil:
		return fmt.Errorf("there is no function %q", Entry)
	case m == nil || m.Size() != memory.WindowBytes:
		return errors.New("it does not have the memory that all kernels share")
	}
	t.handles = make([]*handle, e.threads)
	return nil
}

// compile compiles a module. Several are compiled at once.
func (e *Embedder) compile(module []byte) (wazero.CompiledModule, error) {
	e.mu.Lock()
	closed := e.closed
	e.mu.Unlock()
	if closed {
		return nil, errClosed
	}
	return e.runtime.CompileModule(context.Background(), module)
}

// Call calls the function of a task.
func (c *code) Call(number, thread int, ctx uint64, begin, end int64, stack uint64) error {
	t := &c.tasks[number]
	h := t.handles[thread]
	if h == nil {
		h = &handle{function: t.instance.ExportedFunction(Entry)}
		t.handles[thread] = h
	}
	h.stack = [4]uint64{ctx & (1<<32 - 1), uint64(begin), uint64(end), stack & (1<<32 - 1)}
	if err := h.function.CallWithStack(context.Background(), h.stack[:]); err != nil {
		t.handles[thread] = nil // nobody knows what its stack has
		first, _, _ := strings.Cut(err.Error(), "\n")
		return errors.New(first)
	}
	return nil
}

// Close gives modules and instances back.
func (c *code) Close() (err error) {
	for i := range c.tasks {
		t := &c.tasks[i]
		if t.instance != nil {
			err = errors.Join(err, t.instance.Close(context.Background()))
		}
		if t.compiled != nil {
			err = errors.Join(err, t.compiled.Close(context.Background()))
		}
		*t = task{}
	}
	return err
}
