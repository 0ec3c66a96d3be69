package vulkan

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"unsafe"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/native"
	"github.com/gotaichi/ti/internal/threadblock"
)

// This file chooses the workgroups in which tasks run, and makes pipelines for them.

// subgroupProperties has how many threads run together.
type subgroupProperties struct {
	typ                     uint32
	next                    unsafe.Pointer
	size, stages, ops, quad uint32
}

const typeSubgroup = 1000094000

// Offsets in VkPhysicalDeviceProperties of what a compute shader may have.
const (
	offsetGrid    = 296 + 220
	offsetThreads = offsetGrid + 12
	offsetBlock   = offsetThreads + 4
)

// blockLimits asks for the limits of thread blocks.
func (d *device) blockLimits() (l threadblock.Limits) {
	subgroups := &subgroupProperties{typ: typeSubgroup}
	props := &properties2{typ: typeProperties2, next: unsafe.Pointer(subgroups)}
	d.call(getPhysicalDeviceProperties2, uintptr(d.physical), uintptr(unsafe.Pointer(props)))
	begin := unsafe.Offsetof(props.rest) - unsafe.Offsetof(props.api)
	word := func(offset uintptr) int {
		return int(min(binary.NativeEndian.Uint32(props.rest[offset-begin:]), math.MaxInt32))
	}
	l.Warp, l.Threads = int(subgroups.size), word(offsetThreads)
	for i := range uintptr(3) {
		l.Block[i], l.Grid[i] = word(offsetBlock+4*i), word(offsetGrid+4*i)
	}
	return l
}

// A code is that of a task: a module, and the pipelines of the blocks in which it has run.
type code struct {
	module    handle
	pipelines map[[3]int]handle
}

// alone is the block of a task that one thread runs.
var alone = [3]int{launch.DispatchThreads, 1, 1}

// likely is the block that a task has if the program asks for none, as far as that is known before the launch.
func (d *device) likely(t *launch.Task) [3]int {
	if t.InOrder() || t.Partial != nil {
		return alone
	}
	extent := [3]int{2, 1, 1}
	for i := range t.Dims {
		if at := min(2, len(t.Dims)-1-i); t.Tiled() {
			b := &t.Dims[i]
			if extent[at] = 2; b.Lo.From == launch.Const && b.Hi.From == launch.Const {
				extent[at] = int(max(0, b.Hi.Const-b.Lo.Const))
			}
		}
	}
	size, _, err := asked(t).Resolve(extent, d.blocks)
	if err != nil {
		size, _, _ = threadblock.Block{}.Resolve(extent, d.blocks)
	}
	return size
}

// asked is the block that the source asks for.
func asked(t *launch.Task) threadblock.Block {
	if t.BlockDim > 0 {
		return threadblock.Block{Size: [3]int{t.BlockDim}, Policy: threadblock.Exact}
	}
	return threadblock.Block{}
}

// block returns block and grid of a parallel task: those that the source asks for, else those of the program.
func (w *launcher) block(i int, extent [3]int) (size, grid [3]int, err error) {
	t, limits := &w.k.Tasks[i], w.m.d.blocks
	want := asked(t)
	if t.BlockDim == 0 && w.data.Block != nil {
		want = w.data.Block(t.First) // loops of several parts that were fused are the first one's
	}
	if size, grid, err = want.Resolve(extent, limits); err == nil {
		return size, grid, nil
	}
	place := w.k.Names[i].Place
	if _, large := errors.AsType[*threadblock.TooLarge](err); large && want.Policy != threadblock.Exact {
		if size, grid, err2 := (threadblock.Block{}).Resolve(extent, limits); err2 == nil {
			w.m.tell(place, fmt.Sprintf("kernel %s: %v, so the loop runs in blocks of %s", w.k.Name, err, threadblock.Text(size)))
			return size, grid, nil
		}
	}
	return size, grid, &launch.BlockError{Place: place, Err: err}
}

// tell writes a line about a loop to standard error, once.
func (m *Machine) tell(at launch.Place, text string) {
	if !m.told[at] {
		if m.told == nil {
			m.told = map[launch.Place]bool{}
		}
		m.told[at] = true
		fmt.Fprintf(os.Stderr, "ti: %s:%d:%d: %s\n", at.File, at.Line, at.Column, text)
	}
}

// A dispatch has at most mostGroups workgroups, whose threads have at most mostRounds iterations each: longer loops are several dispatches. On llvmpipe
// each has one, since rounds are scarce there.
const (
	mostGroups  = 1 << 12
	mostRounds  = 64
	orderRounds = 1 << 10 // of the only thread of a loop that keeps its order
)

// A plan is how a task is dispatched. Units are iterations, or tiles.
type plan struct {
	pipeline handle
	block    [3]int
	units    int64    // in all
	most     int64    // of a dispatch
	per      int64    // units of a workgroup at once
	least    int64    // of a piece
	grid     [3]int64 // of a dispatch
	tiles    [2]int64 // along x and y
	each     int64    // iterations of a unit, at most
	threads  int64    // of a workgroup
	came     *uint64  // where the device notes how many units there are, if the host knows no more than a bound; nil if it knows
}

// learn takes the number of units over that the device has noted.
func (p *plan) learn() {
	if p.came != nil {
		p.units, p.came = min(p.units, int64(*p.came)), nil
	}
}

// groups is the grid of a dispatch of n units: one that is along x alone is no longer than it needs to be.
func (p *plan) groups(n int64) [3]int64 {
	if p.grid[1] == 1 && p.grid[2] == 1 {
		return [3]int64{min(p.grid[0], (n-1)/p.per+1), 1, 1}
	}
	return p.grid
}

// plan plans a task with a number of iterations, at least one, and sees to it that there is a pipeline.
func (w *launcher) plan(i int, total int64, p *plan) (err error) {
	if err = w.dispatches(i, total, p); err != nil {
		return err
	}
	if _, made := w.code[i].pipelines[p.block]; !made { // llvmpipe makes none while it works
		if err := w.m.ring.finish(); err != nil {
			return err
		}
	}
	p.pipeline, err = w.pipelineOf(i, p.block)
	return err
}

// dispatches plans the dispatches of a task.
func (w *launcher) dispatches(i int, total int64, p *plan) error {
	t := &w.k.Tasks[i]
	*p = plan{block: alone, units: total, most: orderRounds, per: orderRounds, grid: [3]int64{1, 1, 1}, each: 1, least: 1, threads: launch.DispatchThreads}
	switch {
	case t.InOrder():
		return nil
	case t.Partial != nil: // each thread has a chunk
		p.per, p.least, p.grid[0] = launch.DispatchThreads, launch.DispatchThreads, mostGroups
		p.limit(t.Local)
		return nil
	}
	extent := [3]int{int(total), 1, 1}
	if t.Tiled() {
		extent = w.axes(t)
	}
	size, grid, err := w.block(i, extent)
	if err != nil {
		return err
	}
	p.block = size
	if t.Tiled() {
		p.tile(extent, size, grid)
	} else {
		p.per, p.grid[0] = int64(threadblock.Threads(size)), int64(min(mostGroups, grid[0]))
	}
	p.threads, p.least = int64(threadblock.Threads(size)), p.per
	p.limit(t.Local)
	p.most = p.grid[0] * p.grid[1] * p.grid[2] * p.per
	if w.m.d.driver != driverLlvmpipe {
		p.most *= mostRounds
	}
	return nil
}

// local is how many bytes the large local arrays of all threads in flight have.
func (p *plan) local(t *launch.Task) int64 {
	return t.Local * p.threads * p.grid[0] * p.grid[1] * p.grid[2]
}

// tile makes tiles of the iterations, one for a workgroup at a time.
func (p *plan) tile(extent, size, grid [3]int) {
	p.units, p.per, p.each = 1, 1, int64(threadblock.Threads(size))
	for d := range extent {
		n := int64((extent[d]-1)/size[d] + 1)
		if p.units *= n; d < len(p.tiles) {
			p.tiles[d] = n
		}
		p.grid[d] = int64(grid[d])
	}
	if threadblock.Threads(grid) > mostGroups {
		p.grid = [3]int64{mostGroups, 1, 1}
	}
}

// localMost is how many bytes the large local arrays of all threads in flight may have, about.
const localMost = 256 << 20

// limit has fewer workgroups in flight where each of their threads has large local arrays of so many bytes.
func (p *plan) limit(local int64) {
	if most := max(1, localMost/max(1, local*p.threads)); p.grid[0]*p.grid[1]*p.grid[2] > most {
		p.grid = [3]int64{most, 1, 1}
	}
}

// axes are the extents of a task with tiles along x, y and z: those of the innermost dims, and the iterations of all others together.
func (w *launcher) axes(t *launch.Task) [3]int {
	extent := [3]int{1, 1, 1}
	for i, d := range t.Dims {
		n := d.Hi.Value(w.args, w.frame, nil) - d.Lo.Value(w.args, w.frame, nil)
		extent[min(2, len(t.Dims)-1-i)] *= int(n)
	}
	return extent
}

// pipelineOf returns the pipeline of a task for a block.
func (l *loaded) pipelineOf(i int, block [3]int) (handle, error) {
	c := &l.code[i]
	if p, made := c.pipelines[block]; made {
		return p, nil
	}
	p, err := l.m.d.pipeline(c.module, block, map[ir.Kind]bool{ir.F32: l.m.d.floats.exactly(ir.F32), ir.F64: l.m.d.floats.exactly(ir.F64)})
	if err != nil {
		return 0, fmt.Errorf("kernel %s on %s: %w", l.k.Name, l.m.d.name, err)
	}
	c.pipelines[block] = p
	return p, nil
}

// pipeline makes one of a module, which computes quotients and roots of some kinds by integers if it is one under strict maths.
func (d *device) pipeline(module handle, block [3]int, exact map[ir.Kind]bool) (p handle, err error) {
	var values [launch.SpecConstants]uint32
	values[launch.RoundSlots] = 1
	if d.driver == driverLlvmpipe {
		values[launch.RoundLimit], values[launch.RoundSlots] = llvmpipeRounds, uint32(threadblock.Threads(block))
	}
	values[launch.BlockX], values[launch.BlockY], values[launch.BlockZ] = uint32(block[0]), uint32(block[1]), uint32(block[2])
	if exact[ir.F32] {
		values[launch.ExactF32] = 1
	}
	if exact[ir.F64] {
		values[launch.ExactF64] = 1
	}
	var entries [launch.SpecConstants]specEntry
	for i := range entries {
		entries[i] = specEntry{constant: uint32(i), offset: uint32(4 * i), size: 4}
	}
	spec := &specInfo{entries: launch.SpecConstants, entry: unsafe.Pointer(&entries), size: 4 * launch.SpecConstants, data: unsafe.Pointer(&values)}
	info := &pipelineInfo{typ: typePipeline, layout: d.layout, baseIndex: -1, stage: stageInfo{
		typ: typeStage, stage: stageCompute, module: module, name: unsafe.Pointer(native.CString("main")), spec: unsafe.Pointer(spec)}}
	if err := d.try(createComputePipelines, uintptr(d.dev), uintptr(d.pipelines.handle), 1, uintptr(unsafe.Pointer(info)), 0, uintptr(unsafe.Pointer(&p))); err != nil {
		return 0, err
	}
	d.pipelines.added(d)
	return p, nil
}
