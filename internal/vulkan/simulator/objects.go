package simulator

import (
	"maps"
	"slices"

	"github.com/gotaichi/ti/internal/memory"
)

// Objects of a driver.
type (
	instance struct{}
	physical struct{}
	device   struct{}
	queue    struct{}
	fence    struct {
		signalled bool
		pending   bool // a submission will signal it
	}
	buffer struct {
		size     uint64
		memory   *allocation
		at       uint64 // in the memory
		span     *span
		external bool
	}
	allocation struct {
		size     uint64
		kind     uint32
		host     uintptr // where the host sees it, or has given it; 0 if nowhere
		region   *memory.Region
		mapped   bool
		imported bool
		bound    []*buffer
	}
	shader struct{ words []uint32 }
	layout struct{ pushes int }
	pool   struct{ all []uint64 }
	// A pipeline has a layout and code.
	pipeline struct {
		layout *layout
		code   *code
	}
	commands struct {
		state  int
		once   bool
		all    []func(*Driver)
		bound  *pipeline
		push   []byte
		pushed []bool
	}
)

// States of a command buffer.
const (
	stateInitial = iota
	stateRecording
	stateReady
	statePending
	stateDone
)

// functions are those that the driver has.
func functions() map[string]called {
	return map[string]called{
		"vkCreateInstance": func(d *Driver, a [10]uintptr) uintptr {
			pointer(a[2]).set64(0, d.create(0, "instance", &instance{}))
			return 0
		},
		"vkDestroyInstance":                        func(d *Driver, a [10]uintptr) uintptr { return destroy[*instance](d, a[0], nil) },
		"vkEnumeratePhysicalDevices":               (*Driver).enumerate,
		"vkGetPhysicalDeviceProperties2":           (*Driver).properties,
		"vkGetPhysicalDeviceFeatures2":             (*Driver).features,
		"vkGetPhysicalDeviceMemoryProperties":      (*Driver).memoryTypes,
		"vkGetPhysicalDeviceQueueFamilyProperties": (*Driver).families,
		"vkEnumerateDeviceExtensionProperties":     (*Driver).extensions,
		"vkCreateDevice": func(d *Driver, a [10]uintptr) uintptr {
			pointer(a[3]).set64(0, d.create(a[0], "device", &device{}))
			return 0
		},
		"vkDestroyDevice": (*Driver).destroyDevice,
		"vkGetDeviceQueue": func(d *Driver, a [10]uintptr) uintptr {
			pointer(a[3]).set64(0, d.create(a[0], "queue", &queue{}))
			return 0
		},
		"vkGetDeviceProcAddr":                 (*Driver).procedure,
		"vkGetMemoryHostPointerPropertiesEXT": (*Driver).importable,
		"vkCreateBuffer":                      (*Driver).createBuffer,
		"vkDestroyBuffer":                     (*Driver).destroyBuffer,
		"vkGetBufferMemoryRequirements":       (*Driver).requirements,
		"vkGetBufferDeviceAddress":            (*Driver).address,
		"vkAllocateMemory":                    (*Driver).allocate,
		"vkFreeMemory":                        (*Driver).free,
		"vkBindBufferMemory":                  (*Driver).bind,
		"vkMapMemory":                         (*Driver).mapMemory,
		"vkCreateShaderModule":                (*Driver).createShader,
		"vkDestroyShaderModule":               func(d *Driver, a [10]uintptr) uintptr { return destroy[*shader](d, a[1], nil) },
		"vkCreatePipelineLayout":              (*Driver).createLayout,
		"vkDestroyPipelineLayout":             func(d *Driver, a [10]uintptr) uintptr { return destroy[*layout](d, a[1], nil) },
		"vkCreatePipelineCache":               (*Driver).createCache,
		"vkGetPipelineCacheData":              (*Driver).readCache,
		"vkDestroyPipelineCache":              func(d *Driver, a [10]uintptr) uintptr { return destroy[*pipelineCache](d, a[1], nil) },
		"vkCreateComputePipelines":            (*Driver).createPipeline,
		"vkDestroyPipeline":                   func(d *Driver, a [10]uintptr) uintptr { return destroy[*pipeline](d, a[1], nil) },
		"vkCreateCommandPool": func(d *Driver, a [10]uintptr) uintptr {
			pointer(a[3]).set64(0, d.create(a[0], "command pool", &pool{}))
			return 0
		},
		"vkDestroyCommandPool":     (*Driver).destroyPool,
		"vkAllocateCommandBuffers": (*Driver).allocateCommands,
		"vkBeginCommandBuffer":     (*Driver).beginCommands,
		"vkEndCommandBuffer":       (*Driver).endCommands,
		"vkCmdBindPipeline":        (*Driver).bindPipeline,
		"vkCmdPushConstants":       (*Driver).pushConstants,
		"vkCmdDispatch":            (*Driver).dispatch,
		"vkCmdPipelineBarrier":     (*Driver).barrier,
		"vkCmdCopyBuffer":          (*Driver).copyBuffer,
		"vkCmdFillBuffer":          (*Driver).fillBuffer,
		"vkQueueSubmit":            (*Driver).submit,
		"vkCreateFence": func(d *Driver, a [10]uintptr) uintptr {
			pointer(a[3]).set64(0, d.create(a[0], "fence", &fence{}))
			return 0
		},
		"vkDestroyFence": func(d *Driver, a [10]uintptr) uintptr {
			return destroy(d, a[1], func(f *fence) {
				if f.pending {
					fail("a fence is destroyed that a submission will signal")
				}
			})
		},
		"vkWaitForFences": (*Driver).wait,
		"vkResetFences":   (*Driver).reset,
	}
}

// destroyDevice ends the device, which has no objects any more then.
func (d *Driver) destroyDevice(a [10]uintptr) uintptr {
	for _, h := range slices.Sorted(maps.Keys(d.objects)) {
		if _, is := d.objects[h].(*queue); !is && d.parents[h] == uint64(a[0]) {
			d.note("vkDestroyDevice: a %s is left (%#x)", d.names[h], h)
		}
	}
	return destroy[*device](d, a[0], nil)
}

func (d *Driver) createBuffer(a [10]uintptr) uintptr {
	info := pointer(a[1])
	b := &buffer{size: info.u64(24), external: info.chained(structExternalBuffer) != 0}
	const usage = 0x20 | 0x20000 | 1 | 2
	if b.size == 0 || info.u32(32) != usage {
		fail("a buffer of %d bytes for usage %#x", b.size, info.u32(32))
	}
	pointer(a[3]).set64(0, d.create(a[0], "buffer", b))
	return 0
}

func (d *Driver) destroyBuffer(a [10]uintptr) uintptr {
	return destroy(d, a[1], func(b *buffer) {
		if m := b.memory; m != nil {
			m.bound = slices.DeleteFunc(m.bound, func(o *buffer) bool { return o == b })
			d.dropSpan(b.span)
		}
		d.idle("a buffer is destroyed")
	})
}

// idle fails if the device works, since nothing of what it may use can be ended then.
func (d *Driver) idle(what string) {
	if len(d.work) > 0 {
		fail("%s while the device works", what)
	}
}

// bufferAlign is what the offset of a buffer is a multiple of.
const bufferAlign = 256

func (d *Driver) requirements(a [10]uintptr) uintptr {
	b, to := object[*buffer](d, a[1]), pointer(a[2])
	to.set64(0, (b.size+bufferAlign-1)&^(bufferAlign-1))
	to.set64(8, bufferAlign)
	types := uint32(1)<<len(d.kinds()) - 1
	if b.external {
		types = 1 << kindImported
	}
	to.set32(16, types)
	return 0
}

func (d *Driver) address(a [10]uintptr) uintptr {
	b := object[*buffer](d, uintptr(pointer(a[1]).u64(16)))
	if b.memory == nil {
		fail("the address of a buffer without memory")
	}
	return uintptr(b.span.base)
}

func (d *Driver) allocate(a [10]uintptr) uintptr {
	info := pointer(a[1])
	m := &allocation{size: info.u64(16), kind: info.u32(24)}
	if int(m.kind) >= len(d.kinds()) {
		fail("memory of type %d", m.kind)
	}
	if f := info.chained(structAllocateFlags); f == 0 || f.u32(16)&2 == 0 {
		fail("memory without an address for the device")
	}
	if d.allocations >= mostAllocations {
		return result(resultTooMany)
	}
	if from := info.chained(structImport); from != 0 {
		m.host, m.imported = uintptr(from.u64(24)), true
		if m.host%hostAlign != 0 || m.size%hostAlign != 0 {
			fail("%d bytes at %#x are imported: both have to be multiples of %d", m.size, m.host, hostAlign)
		}
	} else if d.kinds()[m.kind]&visible != 0 {
		r, err := memory.Reserve(int64(m.size))
		if err != nil {
			return result(resultNoMemory)
		}
		m.region, m.host = r, uintptr(r.Base())
		garbage(r.Bytes()[:min(r.Len(), 1<<16)], d.random)
	}
	d.allocations++
	pointer(a[3]).set64(0, d.create(a[0], "memory", m))
	return 0
}

func (d *Driver) free(a [10]uintptr) uintptr {
	return destroy(d, a[1], func(m *allocation) {
		d.idle("memory is freed")
		if len(m.bound) > 0 {
			d.note("vkFreeMemory: a buffer has the memory still")
		}
		d.allocations--
		if m.region != nil {
			_ = m.region.Free()
		}
	})
}

// bind gives a buffer a part of memory, which no other buffer has.
func (d *Driver) bind(a [10]uintptr) uintptr {
	b, m, at := object[*buffer](d, a[1]), object[*allocation](d, a[2]), uint64(a[3])
	if b.memory != nil || at%bufferAlign != 0 || at+b.size > m.size || b.external != m.imported {
		fail("a buffer of %d bytes gets %d bytes of memory at %d, and has some: %t", b.size, m.size, at, b.memory != nil)
	}
	for _, o := range m.bound {
		if at < o.at+o.size && o.at < at+b.size {
			fail("a buffer of %d bytes gets memory at %d, of which another one has %d bytes at %d", b.size, at, o.size, o.at)
		}
	}
	b.memory, b.at = m, at
	m.bound = append(m.bound, b)
	host := m.host
	if host != 0 {
		host += uintptr(at)
	}
	b.span = d.addSpan(b.size, host)
	return 0
}

func (d *Driver) mapMemory(a [10]uintptr) uintptr {
	m := object[*allocation](d, a[1])
	if m.region == nil || m.mapped || a[2] != 0 || a[3] != ^uintptr(0) {
		fail("memory of type %d is mapped from %d on, and was mapped before: %t", m.kind, a[2], m.mapped)
	}
	m.mapped = true
	pointer(a[5]).set64(0, uint64(uintptr(m.region.Base())))
	return 0
}

func (d *Driver) createShader(a [10]uintptr) uintptr {
	info := pointer(a[1])
	s := &shader{words: info.to(32).words(int(info.u64(24)) / 4)}
	if d.Patch != nil {
		s.words = d.Patch(s.words)
	}
	if _, err := read(s.words, nil); err != nil {
		fail("%v", err)
	}
	pointer(a[3]).set64(0, d.create(a[0], "shader module", s))
	return 0
}

func (d *Driver) createLayout(a [10]uintptr) uintptr {
	info := pointer(a[1])
	if info.u32(20) != 0 || info.u32(32) != 1 {
		fail("a layout with %d sets of descriptors and %d ranges of push constants", info.u32(20), info.u32(32))
	}
	r := info.to(40)
	if r.u32(0) != stageOfCompute || r.u32(4) != 0 || r.u32(8) > leastPushes {
		fail("push constants for stages %#x, from %d on, %d bytes of at most %d", r.u32(0), r.u32(4), r.u32(8), leastPushes)
	}
	pointer(a[3]).set64(0, d.create(a[0], "pipeline layout", &layout{int(r.u32(8))}))
	return 0
}

const (
	stageOfCompute = 0x20
	leastPushes    = 128 // bytes of push constants that each device has
)

func (d *Driver) createPipeline(a [10]uintptr) uintptr {
	if a[2] != 1 {
		fail("%d pipelines at once", a[2])
	}
	info := pointer(a[3])
	const stage = 24
	s := object[*shader](d, uintptr(info.u64(stage+24)))
	values := spec{}
	if from := info.to(stage + 40); from != 0 {
		entries, data := from.to(8), from.to(24)
		for i := range int(from.u32(0)) {
			at := int(entries.u32(16*i + 4))
			if entries.u64(16*i+8) != 4 || uint64(at)+4 > from.u64(16) {
				fail("a specialisation constant of %d bytes at %d of %d", entries.u64(16*i+8), at, from.u64(16))
			}
			values[entries.u32(16*i)] = data.u32(at)
		}
	}
	m, err := read(s.words, values)
	if err != nil {
		fail("%v", err)
	}
	m.leeway = d.Leeway
	d.offered(m)
	c, err := compile(m, d.Lanes)
	if err != nil {
		fail("%v", err)
	}
	l := object[*layout](d, uintptr(info.u64(stage+48)))
	limits := d.limits()
	if threads := m.size[0] * m.size[1] * m.size[2]; threads == 0 || threads > limits.threads || m.size[0] > limits.block[0] || m.size[1] > limits.block[1] || m.size[2] > limits.block[2] || m.pushes > l.pushes || uint32(c.shared*4) > limits.shared {
		fail("a pipeline of %v threads, with %d bytes of push constants of %d, and %d shared numbers", m.size, m.pushes, l.pushes, c.shared)
	}
	d.compiles(a[1], s.words, values)
	pointer(a[5]).set64(0, d.create(a[0], "pipeline", &pipeline{l, c}))
	return 0
}

func (d *Driver) destroyPool(a [10]uintptr) uintptr {
	return destroy(d, a[1], func(p *pool) {
		for _, h := range p.all {
			if object[*commands](d, uintptr(h)).state == statePending {
				fail("a command pool is destroyed while the device works")
			}
			delete(d.objects, h)
		}
	})
}

func (d *Driver) allocateCommands(a [10]uintptr) uintptr {
	info := pointer(a[1])
	p := object[*pool](d, uintptr(info.u64(16)))
	if info.u32(24) != 0 || info.u32(28) != 1 {
		fail("%d command buffers of level %d", info.u32(28), info.u32(24))
	}
	h := d.create(a[0], "command buffer", &commands{})
	p.all = append(p.all, h)
	pointer(a[2]).set64(0, h)
	return 0
}

// dirtyPages are those with bytes that the host may get, in the order of their addresses.
func (s *span) dirtyPages() (all []*page) {
	for _, p := range s.pages {
		if p.dirty {
			all = append(all, p)
		}
	}
	slices.SortFunc(all, func(a, b *page) int { return int(a.at) - int(b.at) })
	return all
}
