package simulator

import (
	"math"

	"github.com/gotaichi/ti/internal/memory"
)

// This file says what the device is.

// Bits of types of memory.
const (
	deviceLocal = 1
	visible     = 2
	coherent    = 4
	cached      = 8
)

// kinds are the types of memory. The first is for imports of the host's memory, too.
const kindImported = 0

func (d *Driver) kinds() []uint32 {
	if d.Hidden {
		return []uint32{visible | coherent | cached, deviceLocal}
	}
	return []uint32{deviceLocal | visible | coherent | cached}
}

const (
	hostAlign       = 4096 // of memory that is imported
	mostAllocations = 4096 // at once, the least that Vulkan demands
	apiVersion      = 1<<22 | 2<<12
	virtual         = 3 // a kind of device
)

type limits struct {
	shared, threads uint32
	block, grid     [3]uint32
}

// limits are those of workgroups. The least are in table 53 of Vulkan's specification (Required Limits).
func (d *Driver) limits() limits {
	if d.Least {
		return limits{16 << 10, 128, [3]uint32{128, 128, 64}, [3]uint32{65535, 65535, 65535}}
	}
	return limits{48 << 10, 1024, [3]uint32{1024, 1024, 64}, [3]uint32{math.MaxInt32, 65535, 65535}}
}

func (d *Driver) enumerate(a [10]uintptr) uintptr {
	object[*instance](d, a[0])
	pointer(a[1]).set32(0, 1)
	if a[2] != 0 {
		pointer(a[2]).set64(0, d.create(a[0], "physical device", &physical{}))
	}
	return 0
}

func (d *Driver) properties(a [10]uintptr) uintptr {
	object[*physical](d, a[0])
	p := pointer(a[1])
	const device = 16 // where VkPhysicalDeviceProperties begins, and its limits
	const most = device + 296
	p.set32(device, apiVersion)
	p.set32(device+4, d.Version)
	p.set32(device+8, vendorID)
	p.set32(device+12, deviceID)
	p.set32(device+16, virtual)
	p.text(device+20, "simulator")
	uuid := d.identity()
	copy(memory.Bytes(uintptr(p)+device+276, len(uuid)), uuid[:])
	l := d.limits()
	p.set32(most+32, leastPushes)
	p.set32(most+36, mostAllocations)
	p.set32(most+216, l.shared)
	p.set32(most+232, l.threads)
	for i := range 3 {
		p.set32(most+220+4*i, l.grid[i])
		p.set32(most+236+4*i, l.block[i])
	}
	if p := p.chained(structProperties11); p != 0 {
		p.set64(104, 1<<32)
	}
	if p := p.chained(structProperties12); p != 0 {
		p.text(20, "simulator")
		p.set32(544, 1) // infinities and NaNs are kept
		p.set32(548, 1)
		p.set32(552, 1)
		p.set32(536, 1) // widths are set one by one
		p.set32(540, 1)
		for i, bits := range []uint32{16, 32, 64} { // subnormal numbers, and rounding to the nearest
			if d.keeps(bits) {
				p.set32(556+4*i, 1)
			}
		}
		p.set32(584, 1)
		p.set32(588, 1)
	}
	if p := p.chained(structSubgroup); p != 0 {
		p.set32(16, uint32(d.Lanes))
		p.set32(20, stageOfCompute)
		p.set32(24, 1|4) // basic and arithmetic operations
	}
	return 0
}

// features says that the device has all.
func (d *Driver) features(a [10]uintptr) uintptr {
	object[*physical](d, a[0])
	p := pointer(a[1])
	for _, f := range []struct {
		at pointer
		n  int
	}{{p, 55}, {p.chained(structFeatures11), 12}, {p.chained(structFeatures12), 47}} {
		for i := range f.n {
			if f.at != 0 {
				f.at.set32(16+4*i, 1)
			}
		}
	}
	return 0
}

func (d *Driver) memoryTypes(a [10]uintptr) uintptr {
	object[*physical](d, a[0])
	p := pointer(a[1])
	p.set32(0, uint32(len(d.kinds())))
	p.set32(260, uint32(len(d.kinds())))
	for i, k := range d.kinds() {
		p.set32(4+8*i, k)
		p.set32(8+8*i, uint32(i))
		p.set64(264+16*i, 4<<30)
		p.set32(272+16*i, k&deviceLocal)
	}
	return 0
}

func (d *Driver) families(a [10]uintptr) uintptr {
	object[*physical](d, a[0])
	pointer(a[1]).set32(0, 1)
	if a[2] != 0 {
		pointer(a[2]).set32(0, 2|4) // it computes and copies
		pointer(a[2]).set32(4, 1)
	}
	return 0
}

// extension is the one that the device has.
const extension = "VK_EXT_external_memory_host"

func (d *Driver) extensions(a [10]uintptr) uintptr {
	object[*physical](d, a[0])
	pointer(a[2]).set32(0, 1)
	if a[3] != 0 {
		pointer(a[3]).text(0, extension)
	}
	return 0
}

func (d *Driver) procedure(a [10]uintptr) uintptr {
	object[*device](d, a[0])
	name := ""
	for p := pointer(a[1]); p.bytes(1)[0] != 0; p++ {
		name += string(rune(p.bytes(1)[0]))
	}
	return d.Symbol(name)
}

func (d *Driver) importable(a [10]uintptr) uintptr {
	object[*device](d, a[0])
	pointer(a[3]).set32(16, 1<<kindImported)
	return 0
}
