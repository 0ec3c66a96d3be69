package vulkan

import (
	"sync"
	"unsafe"

	idevice "github.com/gotaichi/ti/internal/device"
	"github.com/gotaichi/ti/internal/memory"
)

// An area is memory that device and host share.
type area struct {
	d              *device
	buffer, memory handle
	address        uint64 // for the device
	host           []byte
	once           sync.Once
}

var _ idevice.Area = (*area)(nil)

// allocate returns an area of so many bytes, which are 0.
func (d *device) allocate(bytes int64) (a *area, err error) {
	size := uint64(max(bytes, 1)+255) &^ 255
	a = &area{d: d}
	d.uses.Add(1)
	defer func() {
		if err != nil {
			_ = a.Free()
		}
	}()
	info := &bufferInfo{typ: typeBuffer, size: size, usage: usageAll}
	if err := d.try(createBuffer, uintptr(d.dev), uintptr(unsafe.Pointer(info)), 0, uintptr(unsafe.Pointer(&a.buffer))); err != nil {
		return a, err
	}
	need := &requirements{}
	d.call(getBufferMemoryRequirements, uintptr(d.dev), uintptr(a.buffer), uintptr(unsafe.Pointer(need)))
	flags := &allocateFlags{typ: typeAllocateFlags, flags: 2} // device addresses
	want := &allocateInfo{typ: typeAllocate, next: unsafe.Pointer(flags), size: need.size, kind: d.memoryType}
	if err := d.try(allocateMemory, uintptr(d.dev), uintptr(unsafe.Pointer(want)), 0, uintptr(unsafe.Pointer(&a.memory))); err != nil {
		return a, err
	}
	if err := a.bind(); err != nil {
		return a, err
	}
	var mapped uintptr
	if err := d.try(mapMemory, uintptr(d.dev), uintptr(a.memory), 0, uintptr(need.size), 0, uintptr(unsafe.Pointer(&mapped))); err != nil {
		return a, err
	}
	a.host = memory.Bytes(mapped, int(size))
	clear(a.host)
	return a, nil
}

// usageAll says that a buffer is for data, has an address for the device, and can be copied.
const usageAll = 0x20 | 0x20000 | 1 | 2

// bind gives the buffer its memory, and learns its address.
func (a *area) bind() error {
	d := a.d
	if err := d.try(bindBufferMemory, uintptr(d.dev), uintptr(a.buffer), uintptr(a.memory), 0); err != nil {
		return err
	}
	at := &addressInfo{typ: typeAddress, buffer: a.buffer}
	a.address = uint64(d.get(getBufferDeviceAddress, uintptr(d.dev), uintptr(unsafe.Pointer(at))))
	return nil
}

func (a *area) Bytes() int64   { return int64(len(a.host)) }
func (a *area) Shared() bool   { return true }
func (a *area) Host() []byte   { return a.host }
func (a *area) Map(bool) error { return nil }
func (a *area) Unmap() error   { return nil }

// Retire keeps the memory, since Vulkan gives it back with its addresses.
func (a *area) Retire() error { return nil }

// Free gives everything back.
func (a *area) Free() error {
	a.once.Do(func() {
		if a.buffer != 0 {
			a.d.call(destroyBuffer, uintptr(a.d.dev), uintptr(a.buffer), 0)
		}
		if a.memory != 0 {
			a.d.call(freeMemory, uintptr(a.d.dev), uintptr(a.memory), 0)
		}
		a.d.release()
	})
	return nil
}

// words are those of an area from an offset on.
func (a *area) words(offset, n int64) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(&a.host[offset])), n)
}
