package vulkan

import (
	"fmt"
	"unsafe"
)

// EnvMemory names the environment variable that keeps all areas of trees apart from the host if it is "apart": tests set it.
const EnvMemory = "TI_VULKAN_MEMORY"

// memoryTypes are the types of a device's memory that areas of trees are in. They are those of the device itself, since its other memory is slow to reach.
type memoryTypes struct {
	shared int   // the host sees it; -1 if there is none, or too little
	room   int64 // bytes of it
	local  int   // the host need not see it; -1 if there is none
	heap   int64 // bytes of it
	strict bool  // a launch fails while an area is mapped
}

// keepApart has all areas that are made from now on be apart, also where host and device could share them.
func (m *memoryTypes) keepApart() { m.shared, m.strict = -1, true }

// apartAlways reads what [EnvMemory] says.
func apartAlways(value string) (bool, error) {
	if value != "" && value != "apart" {
		return false, fmt.Errorf("%s is %q; it can be \"apart\", or not be set", EnvMemory, value)
	}
	return value != "", nil
}

// areaMemory finds the types of memory of the open device.
func (d *device) areaMemory() memoryTypes {
	m := &memoryProperties{}
	d.call(getPhysicalDeviceMemoryProperties, uintptr(d.physical), uintptr(unsafe.Pointer(m)))
	return m.forAreas()
}

// forAreas chooses the types for areas.
//
// Device and host share areas if the host sees a heap of the device that has at least half as many bytes as the device's largest one: so
// it is on graphics processors within a processor, on software devices, and where the host may map all of a card's memory (resizable BAR). Other cards
// let the host see a window of about 256 MiB, which their drivers need too, and areas are apart.
func (m *memoryProperties) forAreas() memoryTypes {
	all := memoryTypes{shared: -1, local: -1}
	most, hidden := uint64(0), false
	for i, t := range m.typ[:m.types] {
		const plain = memoryDeviceLocal | memoryHostVisible | memoryHostCoherent | memoryHostCached
		if t.flags&memoryDeviceLocal == 0 || t.flags&^plain != 0 {
			continue
		}
		size := m.heap[t.heap].size
		if hides := t.flags&memoryHostVisible == 0; all.local < 0 || size > most || size == most && hides && !hidden {
			all.local, all.heap, most, hidden = i, int64(size), size, hides
		}
	}
	cached := false
	for i, t := range m.typ[:m.types] {
		const want = memoryDeviceLocal | memoryHostVisible | memoryHostCoherent
		size := m.heap[t.heap].size
		if t.flags&^memoryHostCached != want || size < most/2 {
			continue
		}
		if caches := t.flags&memoryHostCached != 0; all.shared < 0 || caches && !cached {
			all.shared, all.room, cached = i, int64(size), caches
		}
	}
	return all
}
