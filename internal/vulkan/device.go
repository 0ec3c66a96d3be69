package vulkan

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/native"
	"github.com/gotaichi/ti/internal/target"
	"github.com/gotaichi/ti/internal/threadblock"
)

// A device is an open one, with a queue.
type device struct {
	*api
	instance, physical, dev, queue handle
	family                         uint32
	name                           string
	driver                         uint32
	lacks                          map[uint32]string // capabilities of SPIR-V, with what they are
	memoryType                     uint32            // of what the host writes for launches
	memory                         memoryTypes
	staging                        staging
	shares                         allocations // of small areas
	submits                        sync.Mutex  // to the queue
	blocks                         threadblock.Limits
	piece                          time.Duration // that it works on a piece, about
	layout                         handle        // of all pipelines
	pipelines                      pipelineCache
	identity                       driverIdentity
	floats                         floatKnowledge
	controls                       controls

	most      int64 // bytes of memory at once
	card      bool  // it has memory of its own behind a bus
	processor bool  // it runs on the host's processors
	about     launch.Device

	slots target.Slots // of kernels that are compiled at once

	uses atomic.Int32 // by the machine, and by each area and each kernel's code, which may outlive it
}

// open opens the device with a number.
func (a *api) open(index int) (*device, error) {
	d := &device{api: a, slots: target.NewSlots(), piece: pieceTime}
	err := d.start()
	if err == nil {
		err = d.choose(index)
	}
	if err == nil {
		err = d.openDevice()
	}
	if err == nil {
		d.blocks = d.blockLimits()
		err = d.prepare()
	}
	if err != nil {
		d.close()
		return nil, err
	}
	return d, nil
}

// features asks for those of a device.
func (d *device) features(p handle) (*features2, *features11, *features12) {
	f12 := &features12{typ: typeFeatures12}
	f11 := &features11{typ: typeFeatures11, next: unsafe.Pointer(f12)}
	f := &features2{typ: typeFeatures2, next: unsafe.Pointer(f11)}
	d.call(getPhysicalDeviceFeatures2, uintptr(p), uintptr(unsafe.Pointer(f)))
	return f, f11, f12
}

// familyOf is the number of queues that compute; -1 if there are none.
func (d *device) familyOf(p handle) int {
	n := uint32(0)
	d.call(getPhysicalDeviceQueueFamilyProperties, uintptr(p), uintptr(unsafe.Pointer(&n)), 0)
	if n == 0 {
		return -1
	}
	all := make([]queueFamily, n)
	d.call(getPhysicalDeviceQueueFamilyProperties, uintptr(p), uintptr(unsafe.Pointer(&n)), uintptr(unsafe.Pointer(&all[0])))
	for i := range all {
		if all[i].flags&queueComputes != 0 {
			return i
		}
	}
	return -1
}

// memoryOf is the type of memory that host and device see, in the caches of the host if there is such; -1 if there is none.
func (d *device) memoryOf(p handle) int {
	m := &memoryProperties{}
	d.call(getPhysicalDeviceMemoryProperties, uintptr(p), uintptr(unsafe.Pointer(m)))
	for _, want := range []uint32{memoryHostVisible | memoryHostCoherent | memoryHostCached, memoryHostVisible | memoryHostCoherent} {
		for i := range m.types {
			if m.typ[i].flags&want == want {
				return int(i)
			}
		}
	}
	return -1
}

// openDevice opens the chosen device with the features that code may need, and notes which it lacks.
func (d *device) openDevice() error {
	f, f11, f12 := d.features(d.physical)
	d.family, d.memoryType = uint32(d.familyOf(d.physical)), uint32(d.memoryOf(d.physical))
	d.memory = d.areaMemory()
	use, use12 := &features2{typ: typeFeatures2}, &features12{typ: typeFeatures12}
	use11 := &features11{typ: typeFeatures11, next: unsafe.Pointer(use12)}
	use.next = unsafe.Pointer(use11)
	d.lacks = map[uint32]string{}
	for _, w := range wanted(f, f11, f12, use, use11, use12) {
		if *w.use = *w.of; *w.of == 0 {
			d.lacks[w.capability] = w.what
		}
	}
	priority := float32(1)
	queue := &queueInfo{typ: typeQueue, family: d.family, count: 1, priorities: unsafe.Pointer(&priority)}
	info := &deviceInfo{typ: typeDevice, next: unsafe.Pointer(use), queues: 1, queueInfos: unsafe.Pointer(queue)}
	imports, err := d.has(extensionImport)
	if err != nil {
		return err
	}
	name := unsafe.Pointer(native.CString(extensionImport))
	if imports {
		info.extensions, info.extensionNames = 1, unsafe.Pointer(&name)
	}
	if err := d.try(createDevice, uintptr(d.physical), uintptr(unsafe.Pointer(info)), 0, uintptr(unsafe.Pointer(&d.dev))); err != nil {
		return err
	}
	d.call(getDeviceQueue, uintptr(d.dev), uintptr(d.family), 0, uintptr(unsafe.Pointer(&d.queue)))
	if imports {
		name := native.CString(functionNames[getHostPointerProperties])
		d.fn[getHostPointerProperties] = d.get(getDeviceProc, uintptr(d.dev), uintptr(unsafe.Pointer(name)))
	}
	more := &properties11{typ: typeProperties11}
	d.call(getPhysicalDeviceProperties2, uintptr(d.physical), uintptr(unsafe.Pointer(&properties2{typ: typeProperties2, next: unsafe.Pointer(more)})))
	d.most = int64(more.mostAllocated)
	return nil
}

// extensionImport is the extension by which devices work in memory of the host.
const extensionImport = "VK_EXT_external_memory_host"

// has reports whether the device has an extension.
func (d *device) has(extension string) (bool, error) {
	n := uint32(0)
	if err := d.try(enumerateDeviceExtensions, uintptr(d.physical), 0, uintptr(unsafe.Pointer(&n)), 0); err != nil || n == 0 {
		return false, err
	}
	all := make([]extensionName, n)
	if err := d.try(enumerateDeviceExtensions, uintptr(d.physical), 0, uintptr(unsafe.Pointer(&n)), uintptr(unsafe.Pointer(&all[0]))); err != nil {
		return false, err
	}
	return slices.ContainsFunc(all[:n], func(e extensionName) bool {
		return textOf(e.name[:]) == extension
	}), nil
}

// use keeps the device open until release is called, unless it is closed already.
func (d *device) use() bool {
	for {
		n := d.uses.Load()
		if n == 0 {
			return false
		}
		if d.uses.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// release closes the device if nobody uses it any more.
func (d *device) release() {
	if d.uses.Add(-1) == 0 {
		d.close()
	}
}

// close gives everything back.
func (d *device) close() {
	if d.dev != 0 {
		d.staging.close(d)
		d.pipelines.destroy(d)
		if d.layout != 0 {
			d.call(destroyPipelineLayout, uintptr(d.dev), uintptr(d.layout), 0)
		}
		d.call(destroyDevice, uintptr(d.dev), 0)
	}
	if d.instance != 0 {
		d.call(destroyInstance, uintptr(d.instance), 0)
	}
}
