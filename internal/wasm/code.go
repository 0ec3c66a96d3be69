package wasm

import (
	"errors"
)

// code is that of a kernel.
type code struct{ tasks []task }

// A task is an instance of its module.
type task struct {
	instance instance
	handles  []handle // by thread
}

// errClosed is why nothing is loaded any more.
var errClosed = errors.New("the runtime has been closed")

// load compiles a module, and makes an instance of it.
func (t *task) load(e *Embedder, module []byte) error {
	e.mu.RLock()
	defer e.mu.RUnlock()
	if e.closed {
		return errClosed
	}
	i, err := e.vm.load(module)
	if err != nil {
		return err
	}
	t.instance, t.handles = i, make([]handle, e.threads)
	return nil
}

// Call calls the function of a task.
func (c *code) Call(number, thread int, ctx uint64, begin, end int64, stack uint64) error {
	t := &c.tasks[number]
	return t.handles[thread].call(&t.instance, uint32(ctx), begin, end, uint32(stack))
}

// Close gives modules and instances back.
func (c *code) Close() (err error) {
	for i := range c.tasks {
		err = errors.Join(err, c.tasks[i].instance.close())
		c.tasks[i] = task{}
	}
	return err
}
