package sparse

import (
	"math/bits"
	"sync"

	"github.com/gotaichi/ti/internal/device"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/memory"
)

const (
	entryBytes = 16
	leastLog   = 6

	tagEmpty   = 0
	tagRemoved = 1
)

// table is the table of a hash node: levels of entries, each twice as large as the one
// before. An entry is a tag, which mixes the coordinates, and the address of a block,
// which begins with them.
type table struct {
	door
	head    uint64 // address of the header
	rank    int
	axes    []int // of each axis in alphabetical order: which coordinate it is
	pool    *pool
	region  *memory.Region
	base    uint64
	removed int64 // entries removed since levels were last merged
	counted int64 // bytes that the budget knows of

	// shape is locked for reading by a look-up of a block, for writing by code that moves
	// entries: look-ups by the host may come at any time.
	shape sync.RWMutex
}

func newTable(c *layout.Container, head uint64, p *pool, space device.Space) (*table, error) {
	h := &table{door: p.door, head: head, rank: c.Into[0].Rank, axes: alphabetical(c.Node), pool: p}
	var err error
	for {
		log := bits.Len64(uint64(p.slots)) + 4 // all levels together, at 3/4 and with what was removed
		if h.region, err = space.Reserve(layout.TableLocks + entryBytes<<log); err == nil {
			break
		}
		if !p.halve() {
			return nil, err
		}
	}
	h.base = uint64(uintptr(h.region.Base()))
	h.set(layout.TableRegion, h.base)
	h.reset(leastLog)
	h.account()
	return h, nil
}

func (h *table) free() {
	_ = h.region.Free()
	h.pool.budget.Add(-h.counted)
	h.counted = 0
}

// reset notes that the table has one level of a size, without entries.
func (h *table) reset(log int) {
	for _, w := range [...]uint64{layout.TableLowest, layout.TableHighest, layout.TableUsed, layout.TableReach} {
		h.set(w, 0)
	}
	h.set(layout.TableLog, uint64(log))
	levels := uint64(0)
	for off, n := h.level(0); off+n*entryBytes <= h.region.Len(); off, n = h.level(levels) {
		levels++
	}
	h.set(layout.TableLevels, levels)
}

// get returns a word of the header, set changes it.
func (h *table) get(offset uint64) uint64    { return h.load(h.head + offset) }
func (h *table) set(offset uint64, v uint64) { h.change(h.head+offset, v) }

// account tells the budget how much the table has.
func (h *table) account() {
	n := roundUp(h.end(), pieceBytes)
	h.pool.budget.Add(n - h.counted)
	h.counted = n
}

// level returns where a level lies in the region, and its capacity.
func (h *table) level(l uint64) (offset, capacity int64) {
	c := int64(1) << h.get(layout.TableLog)
	return layout.TableLocks + entryBytes*c*(1<<l-1), c << l
}

// room returns how many entries may be put into the levels up to l: three quarters of
// what there is. With level l+1 a task begins when so many were put; see enter in
// internal/sparsert/table.go.
func (h *table) room(l uint64) uint64 {
	c := uint64(1) << h.get(layout.TableLog)
	return (c<<(l+1) - c) / 4 * 3
}

// end returns where the highest level ends.
func (h *table) end() int64 {
	off, n := h.level(h.get(layout.TableHighest))
	return off + n*entryBytes
}

// tagOf mixes coordinates.
func tagOf(coords []uint32) uint64 {
	t := uint64(0)
	for _, c := range coords {
		t = (t ^ uint64(c)) * 0x9E3779B97F4A7C15
		t ^= t >> 32
	}
	if t < 2 {
		t += 2
	}
	return t
}

// coordinate returns one of those that a block begins with.
func (h *table) coordinate(block uint64, i int) uint32 {
	h.read(block+uint64(4*i), 4)
	return *(*uint32)(at(block + uint64(4*i)))
}

// has reports whether a block is that of the coordinates.
func (h *table) has(block uint64, coords []uint32) bool {
	if block == 0 {
		return false
	}
	for i, c := range coords {
		if h.coordinate(block, i) != c {
			return false
		}
	}
	return true
}

// find returns the address of the entry with coordinates, 0 if there is none.
func (h *table) find(coords []uint32) uint64 {
	tag := tagOf(coords)
	for l := h.get(layout.TableHighest); ; l-- {
		off, n := h.level(l)
		for i := range n {
			e := h.base + uint64(off+(int64(tag>>6)+i)&(n-1)*entryBytes)
			h.read(e, entryBytes)
			got := peek(e)
			if got == tag && h.has(peek(e+wordBytes), coords) {
				return e // an entry that is being written or removed has no block
			}
			if got == tagEmpty {
				break
			}
		}
		if l == h.get(layout.TableLowest) {
			return 0
		}
	}
}

// block returns the block of coordinates, 0 if there is none.
func (h *table) block(coords []uint32) uint64 {
	h.shape.RLock()
	defer h.shape.RUnlock()
	if e := h.find(coords); e != 0 {
		return h.load(e + wordBytes)
	}
	return 0
}

// put adds a block, which is not there yet, and writes its coordinates.
func (h *table) put(coords []uint32, block uint64) {
	for i, c := range coords {
		h.write(block+uint64(4*i), 4)
		*(*uint32)(at(block + uint64(4*i))) = c
	}
	if h.get(layout.TableUsed) >= h.room(h.get(layout.TableHighest)) {
		h.merge(1)
	}
	h.insert(tagOf(coords), block)
}

// insert puts an entry into the highest level, which has room.
func (h *table) insert(tag, block uint64) {
	off, n := h.level(h.get(layout.TableHighest))
	for i := range n {
		e := h.base + uint64(off+(int64(tag>>6)+i)&(n-1)*entryBytes)
		if h.load(e) == tagEmpty {
			h.store(e+wordBytes, block)
			h.store(e, tag)
			h.set(layout.TableUsed, h.get(layout.TableUsed)+1)
			h.set(layout.TableReach, max(h.get(layout.TableReach), uint64(i+1)))
			return
		}
	}
}

// remove takes the block of coordinates out and returns it, 0 if there is none.
func (h *table) remove(coords []uint32) uint64 {
	e := h.find(coords)
	if e == 0 {
		return 0
	}
	block := h.load(e + wordBytes)
	h.removeEntry(e)
	return block
}

func (h *table) removeEntry(e uint64) {
	h.store(e, tagRemoved)
	h.store(e+wordBytes, 0)
	h.removed++
}

// entries calls f with the address of each entry and its block.
func (h *table) entries(f func(entry, block uint64)) {
	for l := h.get(layout.TableLowest); l <= h.get(layout.TableHighest); l++ {
		off, n := h.level(l)
		for e := h.base + uint64(off); n > 0; n-- {
			h.read(e, entryBytes)
			if peek(e) > tagRemoved {
				f(e, peek(e+wordBytes))
			}
			e += entryBytes
		}
	}
}

// settle merges the levels that a task has added.
func (h *table) settle() {
	if h.get(layout.TableHighest) > h.get(layout.TableLowest) {
		h.merge(0)
	}
}

// tidy merges the levels if much was removed.
func (h *table) tidy() {
	if off, _ := h.level(0); h.removed*4 > (h.end()-off)/entryBytes {
		h.merge(0)
	}
}

// merge makes one level of all, at most half full, with room for some more.
func (h *table) merge(more int64) {
	h.shape.Lock()
	defer h.shape.Unlock()
	type entry struct{ tag, block uint64 }
	var all []entry
	h.entries(func(e, block uint64) { all = append(all, entry{h.load(e), block}) })
	h.zeroRange(h.region, layout.TableLocks, h.end()-layout.TableLocks)
	h.reset(max(leastLog, bits.Len64(uint64(2*(int64(len(all))+more)))))
	for _, e := range all {
		h.insert(e.tag, e.block)
	}
	h.removed = 0
	h.account()
}
