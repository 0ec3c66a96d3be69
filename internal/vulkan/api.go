package vulkan

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/native"
)

// A function is one of Vulkan.
type function int

const (
	createInstance function = iota
	destroyInstance
	enumeratePhysicalDevices
	getPhysicalDeviceProperties2
	getPhysicalDeviceFeatures2
	getPhysicalDeviceMemoryProperties
	getPhysicalDeviceQueueFamilyProperties
	createDevice
	destroyDevice
	getDeviceQueue
	createBuffer
	destroyBuffer
	getBufferMemoryRequirements
	getBufferDeviceAddress
	allocateMemory
	freeMemory
	bindBufferMemory
	mapMemory
	createShaderModule
	destroyShaderModule
	createPipelineLayout
	destroyPipelineLayout
	createPipelineCache
	getPipelineCacheData
	destroyPipelineCache
	createComputePipelines
	destroyPipeline
	createCommandPool
	destroyCommandPool
	allocateCommandBuffers
	beginCommandBuffer
	endCommandBuffer
	cmdBindPipeline
	cmdPushConstants
	cmdDispatch
	cmdPipelineBarrier
	cmdCopyBuffer
	cmdFillBuffer
	queueSubmit
	createFence
	destroyFence
	waitForFences
	resetFences
	enumerateDeviceExtensions
	getDeviceProc
	loaderFunctions // so many the loader has; a device has the others, if its driver does

	getHostPointerProperties = loaderFunctions
	numFunctions             = loaderFunctions + 1
)

var functionNames = [numFunctions]string{
	"vkCreateInstance", "vkDestroyInstance", "vkEnumeratePhysicalDevices", "vkGetPhysicalDeviceProperties2", "vkGetPhysicalDeviceFeatures2",
	"vkGetPhysicalDeviceMemoryProperties", "vkGetPhysicalDeviceQueueFamilyProperties", "vkCreateDevice", "vkDestroyDevice", "vkGetDeviceQueue",
	"vkCreateBuffer", "vkDestroyBuffer", "vkGetBufferMemoryRequirements", "vkGetBufferDeviceAddress", "vkAllocateMemory", "vkFreeMemory",
	"vkBindBufferMemory", "vkMapMemory", "vkCreateShaderModule", "vkDestroyShaderModule", "vkCreatePipelineLayout", "vkDestroyPipelineLayout",
	"vkCreatePipelineCache", "vkGetPipelineCacheData", "vkDestroyPipelineCache",
	"vkCreateComputePipelines", "vkDestroyPipeline", "vkCreateCommandPool", "vkDestroyCommandPool", "vkAllocateCommandBuffers", "vkBeginCommandBuffer",
	"vkEndCommandBuffer", "vkCmdBindPipeline", "vkCmdPushConstants", "vkCmdDispatch", "vkCmdPipelineBarrier", "vkCmdCopyBuffer", "vkCmdFillBuffer",
	"vkQueueSubmit", "vkCreateFence", "vkDestroyFence", "vkWaitForFences", "vkResetFences", "vkEnumerateDeviceExtensionProperties", "vkGetDeviceProcAddr",
	"vkGetMemoryHostPointerPropertiesEXT",
}

// An api has the functions of a loader, and of one device.
type api struct {
	path string
	fn   [numFunctions]uintptr // 0 for one that the driver lacks
	lost atomic.Pointer[Error] // how the device was lost: no function that can fail is called any more; nil while it works

	serial bool // functions take turns
	turns  turns
}

// call calls a function that cannot fail.
//
//go:uintptrescapes
func (a *api) call(f function, args ...uintptr) {
	a.enter(f)
	native.Call(a.fn[f], args...)
	a.leave(f, nil)
}

// enter waits, on llvmpipe, until a function may run beside others. Each submission has its turn up to the end of the wait for it.
func (a *api) enter(f function) {
	switch {
	case !a.serial:
	case f == queueSubmit:
		a.turns.submit()
	case makes(f):
		a.turns.make()
	}
}

// makes reports whether a function cannot run beside submissions.
func makes(f function) bool {
	switch f {
	case createShaderModule, createComputePipelines, destroyShaderModule, destroyPipeline:
		return true
	}
	return false
}

// leave ends the turn of a function, or that of a submission that has been waited for, or that failed.
func (a *api) leave(f function, err error) {
	switch {
	case !a.serial:
	case f == waitForFences || f == queueSubmit && err != nil:
		a.turns.ended()
	case makes(f):
		a.turns.made()
	}
}

// get calls a function that returns a number.
//
//go:uintptrescapes
func (a *api) get(f function, args ...uintptr) uintptr { return native.Call(a.fn[f], args...) }

// try calls a function that returns a VkResult.
//
//go:uintptrescapes
func (a *api) try(f function, args ...uintptr) error { return a.attempt(f, args) }

// attempt is try for arguments that do not move.
func (a *api) attempt(f function, args []uintptr) error {
	a.enter(f)
	err := a.usable()
	if err == nil {
		err = a.result(f, int32(native.Call(a.fn[f], args...)))
	}
	a.leave(f, err)
	return err
}

// result is the error that a VkResult stands for.
func (a *api) result(f function, r int32) error {
	if r == 0 {
		return nil
	}
	e := &Error{Function: functionNames[f], Result: r}
	if e.Lost = r == resultLost || f == waitForFences || f == resetFences; e.Lost { // after these nobody knows what the device does
		a.lost.CompareAndSwap(nil, e)
	}
	return e
}

// usable fails once the device is lost.
func (a *api) usable() error {
	if e := a.lost.Load(); e != nil {
		return e
	}
	return nil
}

// An Error is a failed call of Vulkan.
type Error struct {
	Function string
	Result   int32 // as VkResult has it
	Lost     bool  // the device is lost
}

// Numbers of results.
const (
	resultIncomplete   = 5
	noHostMemory       = -1
	noDeviceMemory     = -2
	resultLost         = -4
	notMapped          = -5
	resultIncompatible = -9
	tooManyObjects     = -10
)

var resultNames = map[int32]string{
	noHostMemory: "there is no memory on the host", noDeviceMemory: "there is no memory on the device", -3: "the driver could not be started", resultLost: "the device was lost",
	notMapped: "memory could not be mapped", -7: "an extension is missing", -8: "a feature is missing", resultIncompatible: "the driver is incompatible", tooManyObjects: "there are too many objects",
	-13: "the driver does not say why", 2: "the time was over",
}

func (e *Error) Error() string {
	if why, known := resultNames[e.Result]; known {
		return fmt.Sprintf("%s: %s", e.Function, why)
	}
	return fmt.Sprintf("%s failed with %d", e.Function, e.Result)
}

// Unwrap lets errors.Is find [diag.ErrDevice].
func (e *Error) Unwrap() error {
	if e.Lost {
		return diag.ErrDevice
	}
	return nil
}

// A handle is an object of Vulkan.
type handle uint64

// The structures, as C has them on machines of 64 bits. The first member says which one it is.
type (
	applicationInfo struct {
		typ                    uint32
		next, name             unsafe.Pointer
		version                uint32
		engine                 unsafe.Pointer
		engineVersion, wantAPI uint32
	}
	instanceInfo struct {
		typ        uint32
		next       unsafe.Pointer
		flags      uint32
		app        unsafe.Pointer
		layers     uint32
		layerNames unsafe.Pointer
		extensions uint32
		names      unsafe.Pointer
	}
	queueInfo struct {
		typ                  uint32
		next                 unsafe.Pointer
		flags, family, count uint32
		priorities           unsafe.Pointer
	}
	deviceInfo struct {
		typ            uint32
		next           unsafe.Pointer
		flags, queues  uint32
		queueInfos     unsafe.Pointer
		layers         uint32
		layerNames     unsafe.Pointer
		extensions     uint32
		extensionNames unsafe.Pointer
		features       unsafe.Pointer
	}
	features2 struct {
		typ  uint32
		next unsafe.Pointer
		of   [55]uint32
		_    uint32
	}
	features11 struct {
		typ  uint32
		next unsafe.Pointer
		of   [12]uint32
	}
	features12 struct {
		typ  uint32
		next unsafe.Pointer
		of   [47]uint32
		_    uint32
	}
	properties2 struct {
		typ                                  uint32
		next                                 unsafe.Pointer
		api, driver, vendor, device, devType uint32
		name                                 [256]byte
		rest                                 [824 - 276]byte
	}
	properties12 struct {
		typ              uint32
		next             unsafe.Pointer
		driver           uint32
		driverName, info [256]byte
		conformance      uint32
		independence     [2]uint32 // of subnormal numbers, and of rounding
		preserve         [3]uint32 // signed zeros, infinities and NaNs of 16, 32 and 64 bits
		denormals        [3]uint32 // subnormal numbers can be kept
		flushes          [3]uint32 // they can be 0
		nearest          [3]uint32 // numbers can be rounded to the nearest
		rest             [1024]byte
	}
	memoryProperties struct {
		types uint32
		typ   [32]struct{ flags, heap uint32 }
		heaps uint32
		heap  [16]struct {
			size  uint64
			flags uint32
		}
	}
	queueFamily struct {
		flags, count, timestamps uint32
		granularity              [3]uint32
	}
	bufferInfo struct {
		typ                      uint32
		next                     unsafe.Pointer
		flags                    uint32
		size                     uint64
		usage, sharing, families uint32
		family                   unsafe.Pointer
	}
	extensionName struct {
		name    [256]byte
		version uint32
	}
	properties11 struct {
		typ           uint32
		next          unsafe.Pointer
		ids           [48]byte
		numbers       [10]uint32
		mostAllocated uint64 // bytes of memory at once
	}
	externalBuffer struct {
		typ  uint32
		next unsafe.Pointer
		from uint32
	}
	importInfo struct {
		typ  uint32
		next unsafe.Pointer
		from uint32
		host uintptr
	}
	importable struct {
		typ   uint32
		next  unsafe.Pointer
		types uint32
	}
	requirements struct {
		size, align uint64
		types       uint32
	}
	allocateFlags struct {
		typ         uint32
		next        unsafe.Pointer
		flags, mask uint32
	}
	allocateInfo struct {
		typ  uint32
		next unsafe.Pointer
		size uint64
		kind uint32
	}
	addressInfo struct {
		typ    uint32
		next   unsafe.Pointer
		buffer handle
	}
	shaderInfo struct {
		typ   uint32
		next  unsafe.Pointer
		flags uint32
		size  uint64
		code  unsafe.Pointer
	}
	pushRange  struct{ stages, offset, size uint32 }
	layoutInfo struct {
		typ         uint32
		next        unsafe.Pointer
		flags, sets uint32
		set         unsafe.Pointer
		ranges      uint32
		pushes      unsafe.Pointer
	}
	specEntry struct {
		constant, offset uint32
		size             uint64
	}
	specInfo struct {
		entries uint32
		entry   unsafe.Pointer
		size    uint64
		data    unsafe.Pointer
	}
	stageInfo struct {
		typ          uint32
		next         unsafe.Pointer
		flags, stage uint32
		module       handle
		name, spec   unsafe.Pointer
	}
	pipelineInfo struct {
		typ       uint32
		next      unsafe.Pointer
		flags     uint32
		stage     stageInfo
		layout    handle
		base      handle
		baseIndex int32
	}
	poolInfo struct {
		typ           uint32
		next          unsafe.Pointer
		flags, family uint32
	}
	commandsInfo struct {
		typ          uint32
		next         unsafe.Pointer
		pool         handle
		level, count uint32
	}
	beginInfo struct {
		typ     uint32
		next    unsafe.Pointer
		flags   uint32
		inherit unsafe.Pointer
	}
	memoryBarrier struct {
		typ      uint32
		next     unsafe.Pointer
		from, to uint32
	}
	submitInfo struct {
		typ         uint32
		next        unsafe.Pointer
		waits       uint32
		wait, where unsafe.Pointer
		commands    uint32
		command     unsafe.Pointer
		signals     uint32
		signal      unsafe.Pointer
	}
	fenceInfo struct {
		typ   uint32
		next  unsafe.Pointer
		flags uint32
	}
	bufferCopy struct{ from, to, size uint64 }
)

// The numbers of the structures.
const (
	typeApplication    = 0
	typeInstance       = 1
	typeQueue          = 2
	typeDevice         = 3
	typeSubmit         = 4
	typeAllocate       = 5
	typeFence          = 8
	typeBuffer         = 12
	typeShader         = 16
	typePipelineCache  = 17
	typeStage          = 18
	typePipeline       = 29
	typeLayout         = 30
	typePool           = 39
	typeCommands       = 40
	typeBegin          = 42
	typeBarrier        = 46
	typeFeatures11     = 49
	typeProperties11   = 50
	typeFeatures12     = 51
	typeProperties12   = 52
	typeExternalBuffer = 1000072000
	typeImport         = 1000178000
	typeImportable     = 1000178001
	typeFeatures2      = 1000059000
	typeProperties2    = 1000059001
	typeAllocateFlags  = 1000060000
	typeAddress        = 1000244001
	stageCompute       = 0x20
	pipelineCompute    = 0x800
	pipelineTransfer   = 0x1000
	pipelineHost       = 0x4000
	accessRead         = 0x20
	accessWrite        = 0x40
	accessCopyRead     = 0x800
	accessCopyWrite    = 0x1000
	accessHostRead     = 0x2000
	queueComputes      = 2
	memoryDeviceLocal  = 1
	heapDeviceLocal    = 1
	memoryHostVisible  = 2
	memoryHostCoherent = 4
	memoryHostCached   = 8
	deviceCard         = 2
	deviceProcessor    = 4
	driverLlvmpipe     = 13
	fromHost           = 0x80 // of what external memory is
	version12          = 1<<22 | 2<<12
)

// wholeSize stands for all of an object's memory.
const wholeSize = ^uintptr(0)

// Places of features in their structures.
const (
	featureFloat64       = 39
	featureInt64         = 40
	featureInt16         = 41
	feature11Storage16   = 0
	feature12Storage8    = 2
	feature12Int64Atomic = 5
	feature12Int8        = 8
	feature12Addresses   = 38
)
