package vulkan

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/memory"
	"github.com/gotaichi/ti/internal/native"
)

// A Faulty stands between a machine and its driver: it counts calls and objects, makes calls fail, and changes answers.
type Faulty struct {
	Fail   string // the function that fails; "" for none
	At     int64  // which of its calls does, from 1
	Result int32  // what that call returns

	real    [numFunctions]uintptr
	answers map[function][]func(args [10]uintptr)
	calls   [numFunctions]atomic.Int64
	objects atomic.Int64
	failed  atomic.Int64
	stands  uintptr // the function that stands for that of an extension
	disk    Store   // of its machines
}

// behind is what all callbacks lead to: functions of C have no data of their own.
var behind atomic.Pointer[Faulty]

// callbacks leads each function to the Faulty that is there.
var callbacks = sync.OnceValue(func() (all [numFunctions]uintptr) {
	for f := range numFunctions {
		all[f] = native.Callback(func(a, b, c, d, e, g, h, i, j, k uintptr) uintptr {
			return behind.Load().call(f, [10]uintptr{a, b, c, d, e, g, h, i, j, k})
		})
	}
	return all
})

// creators make objects, and destroyers end them.
var (
	creators   = []function{createInstance, createDevice, createBuffer, allocateMemory, createShaderModule, createPipelineLayout, createPipelineCache, createComputePipelines, createCommandPool, createFence}
	destroyers = []function{destroyInstance, destroyDevice, destroyBuffer, freeMemory, destroyShaderModule, destroyPipelineLayout, destroyPipelineCache, destroyPipeline, destroyCommandPool, destroyFence}
)

// canFail reports whether a function returns a VkResult, as Vulkan names functions.
func canFail(name string) bool {
	if name == functionNames[getHostPointerProperties] {
		return true
	}
	for _, prefix := range []string{"vkCmd", "vkDestroy", "vkFree", "vkGet"} {
		if strings.HasPrefix(name, prefix) {
			return false
		}
	}
	return true
}

func (y *Faulty) call(f function, args [10]uintptr) uintptr {
	n := y.calls[f].Add(1)
	fails := functionNames[f] == y.Fail && n == y.At
	r := uintptr(uint32(y.Result))
	if !fails || f == waitForFences { // nothing is freed that the device works on
		real := native.Call(y.real[f], args[0], args[1], args[2], args[3], args[4], args[5], args[6], args[7], args[8], args[9])
		if !fails {
			r = real
		}
	}
	if fails {
		y.failed.Add(1)
		return r
	}
	switch {
	case f == getDeviceProc && r != 0: // machines ask for one function
		y.real[getHostPointerProperties] = r
		return y.stands
	case slices.Contains(creators, f) && int32(r) == 0:
		y.objects.Add(1)
	case slices.Contains(destroyers, f):
		y.objects.Add(-1)
	}
	for _, change := range y.answers[f] {
		change(args)
	}
	return r
}

// Machine opens a device, with y before its driver.
func (y *Faulty) Machine(processors launch.Machine, device int) (launch.Machine, error) {
	a, err := y.api()
	if err != nil {
		return nil, err
	}
	return a.machine(processors, device, y.disk)
}

func (y *Faulty) api() (*api, error) {
	a, err := load(loaderNames())
	if err != nil {
		return nil, err
	}
	behind.Store(y)
	y.real, a.fn = a.fn, callbacks()
	y.stands, a.fn[getHostPointerProperties] = a.fn[getHostPointerProperties], 0 // until a device has it
	return a, nil
}

// Devices is what [Devices] returns with y before the driver.
func (y *Faulty) Devices() ([]launch.Device, error) {
	a, err := y.api()
	if err != nil {
		return nil, err
	}
	return a.devices()
}

// Report is what [Report] returns.
func (y *Faulty) Report(say func(heading, format string, args ...any)) error {
	a, err := y.api()
	if err != nil {
		return err
	}
	return a.report(say)
}

// Keep has machines keep what they learn from the driver.
func (y *Faulty) Keep(disk Store) { y.disk = disk }

// Objects is how many objects there are.
func (y *Faulty) Objects() int64 { return y.objects.Load() }

// Failed is how many calls have failed.
func (y *Faulty) Failed() int64 { return y.failed.Load() }

// Calls is how often each function that can fail was called.
func (y *Faulty) Calls() map[string]int64 {
	all := map[string]int64{}
	for f := range numFunctions {
		if canFail(functionNames[f]) {
			all[functionNames[f]] = y.calls[f].Load()
		}
	}
	return all
}

// Count is how often a function was called.
func (y *Faulty) Count(name string) int64 {
	return y.calls[slices.Index(functionNames[:], name)].Load()
}

// answer has what a function answers changed.
func (y *Faulty) answer(f function, change func(args [10]uintptr)) {
	if y.answers == nil {
		y.answers = map[function][]func([10]uintptr){}
	}
	y.answers[f] = append(y.answers[f], change)
}

// WithoutDevices has the driver list no device.
func (y *Faulty) WithoutDevices() {
	y.answer(enumeratePhysicalDevices, func(args [10]uintptr) { *(*uint32)(memory.Pointer(args[1])) = 0 })
}

// Properties changes the version of Vulkan of all devices, and their kinds.
func (y *Faulty) Properties(minor, kind uint32) {
	y.answer(getPhysicalDeviceProperties2, func(args [10]uintptr) {
		p := (*properties2)(memory.Pointer(args[1]))
		p.api, p.devType = 1<<22|minor<<12, kind
	})
}

// WithoutImport takes the function that asks for memory of the host from the driver.
func (y *Faulty) WithoutImport() {
	y.answer(enumerateDeviceExtensions, func(args [10]uintptr) { *(*uint32)(memory.Pointer(args[2])) = 0 })
}

// Features of all devices that [Faulty.Without] takes from them.
var Features = map[string]int{"Float64": featureFloat64, "Int64": featureInt64, "Int16": featureInt16}

// Without takes a feature from all devices.
func (y *Faulty) Without(name string) {
	y.answer(getPhysicalDeviceFeatures2, func(args [10]uintptr) { (*features2)(memory.Pointer(args[1])).of[Features[name]] = 0 })
}
