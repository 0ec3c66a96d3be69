package wasm

import (
	"errors"
	"fmt"
	goruntime "runtime"
	"strconv"
	"syscall/js"
	"time"
	"unsafe"

	"github.com/gotaichi/ti/internal/device"
	"github.com/gotaichi/ti/internal/engine"
	"github.com/gotaichi/ti/internal/launch"
)

// A place is the memory of the Go program, which is one of WebAssembly itself.
type place struct{ engine.Process }

func newPlace() (place, error) { return place{}, nil }

// Space is all of it.
func (p place) Space() device.Space { return p }

// Most leaves memory to others: what is reserved counts at once, since nothing here becomes resident page by page.
func (place) Most() int64 { return 16 << 20 }

func (place) close() error { return nil }

// A vm is that of the page.
type vm struct {
	assembly js.Value // the object WebAssembly
	memory   js.Value // of this program
	turns    *turns
}

// newVM finds the memory of this program: the object of Go's wasm_exec.js has the instance.
func newVM(place, bool) (vm, error) {
	const goObject = 6 // the number under which wasm_exec.js keeps itself
	const reference = uint64(0x7FF80001)<<32 | goObject
	var self js.Value
	*(*uint64)(unsafe.Pointer(&self)) = reference
	instance := self.Get("_inst")
	if instance.Type() != js.TypeObject {
		return vm{}, errors.New("the page does not run this program by Go's wasm_exec.js, in which kernels find the memory of the program")
	}
	return vm{js.Global().Get("WebAssembly"), instance.Get("exports").Get("mem"), newTurns()}, nil
}

func (r vm) close() error {
	r.turns.close()
	return nil
}

// An instance is a module that has been compiled, and given the memory.
type instance struct {
	function js.Value
	turns    *turns
}

func (r vm) load(module []byte) (i instance, err error) {
	defer caught(&err)
	importing, err := withImport(module)
	if err != nil {
		return i, err
	}
	bytes := js.Global().Get("Uint8Array").New(len(importing))
	js.CopyBytesToJS(bytes, importing)
	imports := js.Global().Get("Object").New()
	host := js.Global().Get("Object").New()
	host.Set(importName, r.memory)
	host.Set(launch.ModuleYield, js.Global().Get("Math").Get("abs")) // does nothing: no Go code can run meanwhile
	imports.Set(launch.ModuleHost, host)
	made := r.assembly.Get("Instance").New(r.assembly.Get("Module").New(bytes), imports)
	function := made.Get("exports").Get(launch.ModuleEntry)
	if function.Type() != js.TypeFunction {
		return i, fmt.Errorf("there is no function %q", launch.ModuleEntry)
	}
	return instance{function, r.turns}, nil
}

func (instance) close() error { return nil }

// A handle is nothing: there is one thread.
type handle struct{}

func (handle) call(i *instance, ctx uint32, begin, end int64, stack uint32) (err error) {
	i.turns.give()
	defer caught(&err)
	i.function.Invoke(ctx, bigInt(begin), bigInt(end), stack)
	return nil
}

// bigInt is a number of 64 bits as JavaScript has it.
func bigInt(v int64) js.Value {
	if v>>53 == 0 {
		return js.Global().Call("BigInt", float64(v))
	}
	return js.Global().Call("BigInt", strconv.FormatInt(v, 10))
}

// caught makes an error of an exception.
func caught(err *error) {
	switch thrown := recover().(type) {
	case nil:
	case js.Error:
		*err = errors.New(thrown.Get("message").String())
	default:
		panic(thrown)
	}
}

// turns lets the page have its turn now and then: it draws, and takes what people do, while no Go code runs.
type turns struct {
	last    time.Time
	channel js.Value      // a MessageChannel: a message comes behind what else waits for the thread
	heard   js.Func       // of a message
	over    chan struct{} // a turn
}

// turnEvery is how long kernels run until the page has its turn.
const turnEvery = 10 * time.Millisecond

func newTurns() *turns {
	t := &turns{last: time.Now(), channel: js.Global().Get("MessageChannel").New(), over: make(chan struct{}, 1)}
	t.heard = js.FuncOf(func(js.Value, []js.Value) any {
		t.over <- struct{}{}
		return nil
	})
	t.channel.Get("port1").Set("onmessage", t.heard)
	return t
}

// give lets other goroutines run, which have no other thread, and now and then the page. To sleep for a short time would not do: as long as a goroutine is soon to go on, the Go scheduler keeps the thread.
func (t *turns) give() {
	goruntime.Gosched()
	if time.Since(t.last) > turnEvery {
		t.channel.Get("port2").Call("postMessage", 0)
		<-t.over
		t.last = time.Now()
	}
}

func (t *turns) close() {
	t.channel.Get("port1").Call("close")
	t.heard.Release()
}
