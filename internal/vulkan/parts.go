package vulkan

import (
	"slices"
	"sync"
	"unsafe"

	"github.com/gotaichi/ti/internal/memory"
)

// This file gives small areas parts of larger allocations, since drivers allow few of these, often 4,096.

// Sizes of allocations, in bytes.
const (
	smallMost       = 1 << 20   // of an area that has a part of one
	allocationFirst = 256 << 10 // of the first one of a type of memory
	allocationMost  = 16 << 20  // of the later ones, which grow
	partAlign       = 256       // of parts; memory is coherent wherever the host sees it, so that nonCoherentAtomSize plays no role
)

// An allocation is memory of which areas have parts.
type allocation struct {
	memory handle
	size   int64
	host   []byte // nil if the host does not see it
	free   []gap  // in their order; there is something between two of them
}

// A gap is a part of an allocation that no area has.
type gap struct{ at, size int64 }

// A part is what an area has of an allocation.
type part struct {
	of       *allocation
	at, size int64
}

// allocations are those of a device. Areas come and go on several goroutines.
type allocations struct {
	mu  sync.Mutex
	all map[memoryKind][]*allocation
}

// A memoryKind says in which type of memory an allocation is, and whether the host sees it.
type memoryKind struct {
	kind   uint32
	mapped bool
}

// take returns a part for a buffer, of an allocation that has room, or of a new one.
func (s *allocations) take(d *device, need *requirements, k memoryKind) (part, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	size, align := (int64(need.size)+partAlign-1)&^(partAlign-1), max(int64(need.align), partAlign)
	total := int64(0)
	for _, b := range s.all[k] {
		if at := b.take(size, align); at >= 0 {
			return part{b, at, size}, nil
		}
		total += b.size
	}
	b, err := d.newAllocation(max(allocationFirst, 4*size, min(total, allocationMost)), k)
	if err != nil {
		return part{}, err
	}
	if s.all == nil {
		s.all = map[memoryKind][]*allocation{}
	}
	s.all[k] = append(s.all[k], b)
	return part{b, b.take(size, align), size}, nil
}

// give gives a part back, and its allocation if that has no others.
func (s *allocations) give(d *device, p part, k memoryKind) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.of.give(p.at, p.size); p.of.free[0].size < p.of.size {
		return
	}
	s.all[k] = slices.DeleteFunc(s.all[k], func(b *allocation) bool { return b == p.of })
	d.call(freeMemory, uintptr(d.dev), uintptr(p.of.memory), 0)
}

// take returns where in the allocation a part begins, in the first gap that is large enough; -1 if none is.
func (b *allocation) take(size, align int64) int64 {
	for i, g := range b.free {
		at := (g.at + align - 1) &^ (align - 1)
		behind := g.at + g.size - at - size
		if behind < 0 {
			continue
		}
		var rest []gap
		if at > g.at {
			rest = append(rest, gap{g.at, at - g.at})
		}
		if behind > 0 {
			rest = append(rest, gap{at + size, behind})
		}
		b.free = slices.Replace(b.free, i, i+1, rest...)
		return at
	}
	return -1
}

// give makes a gap of a part, together with those beside it.
func (b *allocation) give(at, size int64) {
	i, _ := slices.BinarySearchFunc(b.free, at, func(g gap, at int64) int { return int(g.at - at) })
	if i < len(b.free) && b.free[i].at == at+size {
		size += b.free[i].size
		b.free = slices.Delete(b.free, i, i+1)
	}
	if i > 0 && b.free[i-1].at+b.free[i-1].size == at {
		b.free[i-1].size += size
		return
	}
	b.free = slices.Insert(b.free, i, gap{at, size})
}

// newAllocation allocates one.
func (d *device) newAllocation(bytes int64, k memoryKind) (*allocation, error) {
	b := &allocation{size: bytes, free: []gap{{0, bytes}}}
	var err error
	if b.memory, err = d.allocateMemory(uint64(bytes), k.kind, nil); err != nil {
		return nil, err
	}
	if k.mapped {
		if b.host, err = d.mapped(b.memory, bytes); err != nil {
			d.call(freeMemory, uintptr(d.dev), uintptr(b.memory), 0)
			return nil, err
		}
	}
	return b, nil
}

// allocateMemory reserves memory of a type, with addresses for the device; more says where it comes from, if that is not the driver.
func (d *device) allocateMemory(bytes uint64, kind uint32, more unsafe.Pointer) (m handle, err error) {
	flags := &allocateFlags{typ: typeAllocateFlags, next: more, flags: 2} // device addresses
	want := &allocateInfo{typ: typeAllocate, next: unsafe.Pointer(flags), size: bytes, kind: kind}
	err = d.try(allocateMemory, uintptr(d.dev), uintptr(unsafe.Pointer(want)), 0, uintptr(unsafe.Pointer(&m)))
	return m, err
}

// mapped has the host see memory.
func (d *device) mapped(m handle, bytes int64) ([]byte, error) {
	var at uintptr
	if err := d.try(mapMemory, uintptr(d.dev), uintptr(m), 0, wholeSize, 0, uintptr(unsafe.Pointer(&at))); err != nil {
		return nil, err
	}
	return memory.Bytes(at, int(bytes)), nil
}
