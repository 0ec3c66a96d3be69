package vulkan

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"unsafe"

	idevice "github.com/gotaichi/ti/internal/device"
	"github.com/gotaichi/ti/internal/launch"
)

// An area is memory that device and host share, or the part of an [apartArea] that the device has.
type area struct {
	d       *device
	buffer  handle
	memory  handle // of the area alone; 0 if it has a part of an allocation
	part    part
	kind    memoryKind
	address uint64 // for the device
	size    int64
	host    []byte // nil if the host does not see it
	once    sync.Once
}

var _ idevice.Area = (*area)(nil)

// allocate returns an area of so many bytes, which are 0, in memory of the host if the device has some of its own.
func (d *device) allocate(bytes int64) (*area, error) { return d.allocateIn(bytes, d.memoryType) }

// allocateIn returns an area in a type of memory that the host sees.
func (d *device) allocateIn(bytes int64, kind uint32) (*area, error) {
	a := &area{d: d}
	d.uses.Add(1)
	if err := a.shared(bytes, kind); err != nil {
		_ = a.Free()
		return nil, err
	}
	return a, nil
}

// allocateHidden returns an area in a type of memory that the host need not see. What it holds is not known.
func (d *device) allocateHidden(bytes int64, kind uint32) (*area, error) {
	a := &area{d: d}
	d.uses.Add(1)
	if err := a.reserve(bytes, memoryKind{kind, false}); err != nil {
		_ = a.Free()
		return nil, err
	}
	return a, nil
}

// shared reserves the memory of an area that the host sees, and has the host see it.
func (a *area) shared(bytes int64, kind uint32) (err error) {
	if err := a.reserve(bytes, memoryKind{kind, true}); err != nil {
		return err
	}
	if a.memory == 0 {
		a.host = a.part.of.host[a.part.at : a.part.at+a.size]
	} else if a.host, err = a.d.mapped(a.memory, a.size); err != nil {
		return a.d.noMemory(bytes, err)
	}
	clear(a.host)
	return nil
}

// areaSize is the size of an area for so many bytes.
func areaSize(bytes int64) int64 { return (max(bytes, 1) + 255) &^ 255 }

// reserve reserves memory, with its address for the device. Each area has a buffer of its own, also where it has a part of an allocation.
func (a *area) reserve(bytes int64, kind memoryKind) (err error) {
	d := a.d
	a.size, a.kind = areaSize(bytes), kind
	info := &bufferInfo{typ: typeBuffer, size: uint64(a.size), usage: usageAll}
	if err := d.try(createBuffer, uintptr(d.dev), uintptr(unsafe.Pointer(info)), 0, uintptr(unsafe.Pointer(&a.buffer))); err != nil {
		return d.noMemory(bytes, err)
	}
	need := &requirements{}
	d.call(getBufferMemoryRequirements, uintptr(d.dev), uintptr(a.buffer), uintptr(unsafe.Pointer(need)))
	switch {
	case need.types>>kind.kind&1 == 0:
		return fmt.Errorf("%s has no buffers in memory of its type %d", d.name, kind.kind)
	case need.size <= smallMost:
		a.part, err = d.shares.take(d, need, kind)
	default:
		a.memory, err = d.allocateMemory(need.size, kind.kind, nil)
	}
	if err != nil {
		return d.noMemory(bytes, err)
	}
	return a.bind()
}

// noMemory is the error of an allocation: of memory, if that is what it lacks.
func (d *device) noMemory(bytes int64, err error) error {
	if e, is := errors.AsType[*Error](err); is && slices.Contains([]int32{noHostMemory, noDeviceMemory, notMapped, tooManyObjects}, e.Result) {
		return fmt.Errorf("%w: %s gives no %d bytes: %w", launch.ErrMemory, d.name, bytes, err)
	}
	return err
}

// usageAll says that a buffer is for data, has an address for the device, and can be copied.
const usageAll = 0x20 | 0x20000 | 1 | 2

// bind gives the buffer its memory, and learns its address.
func (a *area) bind() error {
	d, m := a.d, a.memory
	if m == 0 {
		m = a.part.of.memory
	}
	if err := d.try(bindBufferMemory, uintptr(d.dev), uintptr(a.buffer), uintptr(m), uintptr(a.part.at)); err != nil {
		return err
	}
	at := &addressInfo{typ: typeAddress, buffer: a.buffer}
	a.address = uint64(d.get(getBufferDeviceAddress, uintptr(d.dev), uintptr(unsafe.Pointer(at))))
	return nil
}

func (a *area) Bytes() int64   { return a.size }
func (a *area) Shared() bool   { return true }
func (a *area) Host() []byte   { return a.host }
func (a *area) Map(bool) error { return nil }
func (a *area) Unmap() error   { return nil }

// Retire keeps the memory, since Vulkan gives it back with its addresses.
func (a *area) Retire() error { return nil }

// Free gives everything back.
func (a *area) Free() error {
	a.once.Do(func() {
		a.destroy()
		a.d.release()
	})
	return nil
}

// destroy gives buffer and memory back.
func (a *area) destroy() {
	if a.buffer != 0 {
		a.d.call(destroyBuffer, uintptr(a.d.dev), uintptr(a.buffer), 0)
	}
	if a.part.of != nil {
		a.d.shares.give(a.d, a.part, a.kind)
	}
	if a.memory != 0 {
		a.d.call(freeMemory, uintptr(a.d.dev), uintptr(a.memory), 0)
	}
}

// words are those of an area from an offset on.
func (a *area) words(offset, n int64) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(&a.host[offset])), n)
}
