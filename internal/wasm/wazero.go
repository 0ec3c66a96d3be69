//go:build !js

package wasm

import (
	"context"
	"errors"
	"fmt"
	goruntime "runtime"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/gotaichi/ti/internal/device"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/memory"
)

// A place is a window, with a heap for small pieces.
type place struct {
	device.Window
	heap *memory.Heap
}

func newPlace() (place, error) {
	w, err := memory.NewWindow()
	if err != nil {
		return place{}, err
	}
	return place{device.Window{Window: w}, memory.NewHeap(w)}, nil
}

// Words returns words in the window.
func (p place) Words(n int) ([]uint64, error) { return p.heap.Words(n) }

// Drop gives them back.
func (p place) Drop(words []uint64) { p.heap.Drop(words) }

func (p place) close() error {
	p.heap.Close()
	return p.Window.Free()
}

// A vm is wazero's.
type vm struct {
	wazero.Runtime
	hook context.Context // with which modules get the window
}

func newVM(p place, interpreted bool) (vm, error) {
	cfg := wazero.NewRuntimeConfig()
	if interpreted {
		cfg = wazero.NewRuntimeConfigInterpreter()
	}
	cfg = cfg.WithCoreFeatures(api.CoreFeaturesV2 | experimental.CoreFeaturesThreads)
	shared := windowMemory{p.Bytes()}
	hook := experimental.MemoryAllocatorFunc(func(uint64, uint64) experimental.LinearMemory { return shared })
	v := vm{wazero.NewRuntimeWithConfig(context.Background(), cfg), experimental.WithMemoryAllocator(context.Background(), hook)}
	// The scheduler can take the processor from a thread that is in Go code, as this function is.
	yield := api.GoModuleFunc(func(context.Context, api.Module, []uint64) { goruntime.Gosched() })
	_, err := v.NewHostModuleBuilder(launch.ModuleHost).NewFunctionBuilder().WithGoModuleFunction(yield, nil, nil).Export(launch.ModuleYield).Instantiate(context.Background())
	if err != nil {
		return v, errors.Join(err, v.close())
	}
	return v, nil
}

func (r vm) close() error { return r.Close(context.Background()) }

// windowMemory is the memory of all modules.
type windowMemory struct{ bytes []byte }

// Reallocate returns the window, whose length does not change.
func (m windowMemory) Reallocate(size uint64) []byte {
	if size > uint64(len(m.bytes)) {
		return nil
	}
	return m.bytes[:size:size]
}

// Free does nothing: the window outlives the modules.
func (windowMemory) Free() {}

// An instance is a module that has been compiled, and given the window.
type instance struct {
	compiled wazero.CompiledModule
	module   api.Module
}

// load may run on several goroutines at once.
func (r vm) load(module []byte) (i instance, err error) {
	if i.compiled, err = r.CompileModule(context.Background(), module); err != nil {
		return i, err
	}
	if i.module, err = r.InstantiateModule(r.hook, i.compiled, wazero.NewModuleConfig().WithName("")); err != nil {
		return i, errors.Join(err, i.close())
	}
	m := i.module.Memory()
	switch {
	case i.module.ExportedFunction(launch.ModuleEntry) == nil:
		err = fmt.Errorf("there is no function %q", launch.ModuleEntry)
	case m == nil || int64(m.Size()) != memory.WindowBytes:
		err = errors.New("it does not have the memory that all kernels share")
	}
	if err != nil {
		return i, errors.Join(err, i.close())
	}
	return i, nil
}

func (i instance) close() (err error) {
	if i.module != nil {
		err = i.module.Close(context.Background())
	}
	if i.compiled != nil {
		err = errors.Join(err, i.compiled.Close(context.Background()))
	}
	return err
}

// A handle is a function as one thread calls it.
type handle struct{ of *calls }

type calls struct {
	function api.Function
	stack    [4]uint64 // arguments
}

func (h *handle) call(i *instance, ctx uint32, begin, end int64, stack uint32) error {
	c := h.of
	if c == nil {
		c = &calls{function: i.module.ExportedFunction(launch.ModuleEntry)}
		h.of = c
	}
	c.stack = [4]uint64{uint64(ctx), uint64(begin), uint64(end), uint64(stack)}
	if err := c.function.CallWithStack(context.Background(), c.stack[:]); err != nil {
		h.of = nil // nobody knows what its stack has
		first, _, _ := strings.Cut(err.Error(), "\n")
		return errors.New(first)
	}
	return nil
}
