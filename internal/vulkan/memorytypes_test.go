package vulkan

import "testing"

// TestForAreas chooses types of memory on devices of several kinds.
func TestForAreas(t *testing.T) {
	const local, visible, coherent, cached, lazy = memoryDeviceLocal, memoryHostVisible, memoryHostCoherent, memoryHostCached, 16
	type types [][2]uint32 // flags and heap
	type heaps []uint64    // megabytes
	for _, c := range []struct {
		device        string
		types         types
		heaps         heaps
		shared, local int
	}{
		{"software", types{{local | visible | coherent | cached, 0}}, heaps{2048}, 0, 0},
		{"a card with a window", types{{0, 1}, {local, 0}, {visible | coherent, 1}, {visible | coherent | cached, 1}, {local | visible | coherent, 2}}, heaps{8192, 16384, 256}, -1, 1},
		{"a card that the host maps", types{{0, 1}, {local, 0}, {visible | coherent | cached, 1}, {local | visible | coherent, 0}}, heaps{8192, 16384}, 3, 1},
		{"a heap of its own for the host", types{{local, 0}, {local | visible | coherent, 1}}, heaps{8192, 4096}, 1, 0},
		{"a processor with graphics", types{{local, 0}, {local | visible | coherent, 0}, {local | visible | coherent | cached, 0}}, heaps{12000}, 2, 0},
		{"not coherent", types{{local | visible, 0}}, heaps{4000}, -1, 0},
		{"memory of tiles", types{{local | lazy, 0}, {local, 0}}, heaps{4000}, -1, 1},
		{"no memory of its own", types{{visible | coherent, 0}}, heaps{4000}, -1, -1},
	} {
		m := &memoryProperties{types: uint32(len(c.types)), heaps: uint32(len(c.heaps))}
		for i, typ := range c.types {
			m.typ[i].flags, m.typ[i].heap = typ[0], typ[1]
		}
		for i, size := range c.heaps {
			m.heap[i].size = size << 20
		}
		if got := m.forAreas(); got.shared != c.shared || got.local != c.local {
			t.Errorf("%s: shared in %d and apart in %d, want %d and %d", c.device, got.shared, got.local, c.shared, c.local)
		}
	}
}
