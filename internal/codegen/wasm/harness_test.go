package wasm

import (
	"context"
	"encoding/binary"
	"sync"
	"testing"
	"unsafe"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/memory"
)

// A machine runs modules on memory of its own, which is aligned to 4 GiB, so that the lower half of a host's address is that of a module.
type machine struct {
	runtime wazero.Runtime
	ctx     context.Context
	mem     []byte
	base    uint64 // its address
	next    uint64 // what has been given away
}

// arena is memory for one test at a time.
var arena struct {
	sync.Mutex
	region *memory.Region
}

const unit = 4 << 30

// newMachine returns a machine with the compiler of wazero, or with its interpreter.
func newMachine(t testing.TB, interpreter bool) *machine {
	t.Helper()
	m := newMachineIn(t, interpreter)
	t.Cleanup(m.done)
	return m
}

// newMachineIn is newMachine until done is called.
func newMachineIn(t testing.TB, interpreter bool) *machine {
	t.Helper()
	arena.Lock()
	if arena.region == nil {
		r, err := memory.Reserve(2 * unit)
		if err != nil {
			t.Fatal(err)
		}
		arena.region = r
	}
	start := uint64(uintptr(arena.region.Base()))
	base := (start + unit - 1) &^ (unit - 1)
	m := &machine{base: base, mem: arena.region.Bytes()[base-start:][:launch.ModulePages<<16], next: 1 << 16}
	m.ctx = experimental.WithMemoryAllocator(context.Background(), experimental.MemoryAllocatorFunc(func(_, _ uint64) experimental.LinearMemory { return m }))
	config := wazero.NewRuntimeConfig()
	if interpreter {
		config = wazero.NewRuntimeConfigInterpreter()
	}
	m.runtime = wazero.NewRuntimeWithConfig(m.ctx, config.WithCoreFeatures(api.CoreFeaturesV2|experimental.CoreFeaturesThreads))
	none := func(context.Context, api.Module, []uint64) {}
	if _, err := m.runtime.NewHostModuleBuilder(launch.ModuleHost).NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(none), nil, nil).Export(launch.ModuleYield).Instantiate(m.ctx); err != nil {
		t.Fatal(err)
	}
	return m
}

// done frees the modules, and the memory for the next machine.
func (m *machine) done() {
	m.runtime.Close(m.ctx)
	arena.Unlock()
}

// Reallocate gives a module the memory.
func (m *machine) Reallocate(size uint64) []byte { return m.mem[:size] }

// Free does nothing, since modules share the memory.
func (m *machine) Free() {}

// room returns the address of zeroed memory.
func (m *machine) room(bytes int) uint64 {
	at := m.next
	m.next += uint64(bytes+127) &^ 63
	clear(m.mem[at : at+uint64(bytes)])
	return m.base + at
}

// words is memory as numbers of 64 bits.
func (m *machine) words(at uint64, n int) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(&m.mem[at-m.base])), n)
}

// fill makes memory of numbers.
func (m *machine) fill(numbers []uint64) uint64 {
	at := m.room(8 * len(numbers))
	copy(m.words(at, len(numbers)), numbers)
	return at
}

// A loadedTask is a task that can be called.
type loadedTask struct {
	m         *machine
	module    api.Module
	signature *ir.Signature
}

func (m *machine) load(t testing.TB, k *ir.Kernel, task *ir.Task) *loadedTask {
	t.Helper()
	mod, err := moduleOf(task, k.Sites)
	if err != nil {
		t.Fatal(err)
	}
	code := mod.bytes()
	module, err := m.runtime.InstantiateWithConfig(m.ctx, code, wazero.NewModuleConfig().WithName(""))
	if err != nil {
		t.Fatalf("%v\n%s", err, disassemble(code))
	}
	return &loadedTask{m: m, module: module, signature: ir.SignatureOf(task)}
}

// given is what tasks are given beside a range.
type given struct {
	slots  map[ir.Slot]uint64
	errs   uint64
	text   uint64
	stop   uint64
	key    uint64
	worker uint64
}

// context writes a context.
func (l *loadedTask) context(g given) uint64 {
	table := make([]uint64, len(l.signature.Slots)+1)
	for i, s := range l.signature.Slots {
		table[i] = g.slots[s]
	}
	if g.stop == 0 {
		g.stop = l.m.room(8)
	}
	c := launch.Context{Slots: l.m.fill(table), Errs: g.errs, Key: g.key, Worker: g.worker, Text: g.text, Stop: g.stop, Loop: 1}
	var b []byte
	for _, v := range []uint64{c.Slots, c.Errs, c.Key, c.Worker, c.Text, c.Stop, c.Loop} {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	at := l.m.room(int(launch.CtxSize))
	copy(l.m.mem[at-l.m.base:], b)
	return at
}

// run calls the task from one thread.
func (l *loadedTask) run(t testing.TB, g given, begin, end int64) {
	t.Helper()
	l.call(t, l.context(g), begin, end)
}

func (l *loadedTask) call(t testing.TB, ctx uint64, begin, end int64) {
	t.Helper()
	stack := l.m.room(1<<20) + 1<<20
	if _, err := l.module.ExportedFunction(launch.ModuleEntry).Call(l.m.ctx, ctx&(unit-1), uint64(begin), uint64(end), stack&(unit-1)); err != nil {
		t.Error(err)
	}
}
