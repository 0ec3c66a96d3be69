package spirv

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/launch"
)

// This file gives threads their iterations. How many threads a workgroup has along x, y and z, specialisation constants say, so that one module serves all.

// own returns the first number that a thread has of the iterations of a dispatch, or of its tiles, and the distance to the next.
func (f *function) own(t *ir.Task, tiled bool, bits int) (first, stride id) {
	switch {
	case tiled:
		g, n := f.parts(f.group, bits), f.parts(f.grid, bits)
		slice := f.add(bits, g[1], f.mul(bits, n[1], g[2]))
		return f.add(bits, g[0], f.mul(bits, n[0], slice)), f.mul(bits, n[0], f.mul(bits, n[1], n[2]))
	case inOrder(t):
		return f.threadOf(bits), f.number(bits, 1)
	}
	return f.threadOf(bits), f.mul(bits, f.parts(f.grid, bits)[0], f.resized(32, bits, f.threadCount()))
}

// tile sets the parameters of the body for the iteration of a tile that is this thread's, and goes on with the next tile if there is none. Its place in
// the workgroup is its place in the tile, so that neighbours along x are neighbours along the innermost dim. Dims beyond three are one along z.
func (f *function) tile(t *ir.Task, l *loop, number id, lows, sizes []id) {
	bits, yes := numberBits(t), f.kind(ir.Bool)
	whole := f.integer(bits)
	across, down := f.resized(64, bits, f.pushed(launch.PushTilesX)), f.resized(64, bits, f.pushed(launch.PushTilesY))
	row := f.inst(opUDiv, whole, number, across)
	tile := [3]id{f.inst(opUMod, whole, number, across), f.inst(opUMod, whole, row, down), f.inst(opUDiv, whole, row, down)}
	n, local := len(t.Dims), f.parts(f.local, bits)
	extents := [3]id{sizes[n-1], sizes[n-2], f.number(bits, 1)}
	for _, size := range sizes[:n-2] {
		extents[2] = f.mul(bits, extents[2], size)
	}
	var at [3]id
	inside := f.boolean(true)
	for d := range at {
		at[d] = f.add(bits, f.mul(bits, tile[d], f.resized(32, bits, f.block[d])), local[d])
		inside = f.inst(opLogicalAnd, yes, inside, f.inst(opULessThan, yes, at[d], extents[d]))
	}
	body, outside := f.id(), f.id()
	f.choose(inside, body, outside, body)
	f.label(outside)
	f.branch(l.cont)
	f.label(body)
	f.parameter(t, n-1, lows[n-1], at[0])
	f.parameter(t, n-2, lows[n-2], at[1])
	f.indices(t, n-3, at[2], lows, sizes)
}

// thread is the number of the thread, in a dispatch along x.
func (f *function) thread() id { return f.threadOf(64) }

// threadOf is the same as a number of so many bits.
func (f *function) threadOf(bits int) id {
	index := f.resized(32, bits, f.inst(opLoad, f.integer(32), f.index))
	return f.add(bits, f.mul(bits, f.parts(f.group, bits)[0], f.resized(32, bits, f.threadCount())), index)
}

// threads is how many threads a workgroup has.
func (f *function) threads() id {
	return f.resized(32, 64, f.threadCount())
}

// threadCount is the same as a word.
func (f *function) threadCount() id {
	u32 := f.integer(32)
	return f.inst(opIMul, u32, f.inst(opIMul, u32, f.block[0], f.block[1]), f.block[2])
}

// components reads a built-in vector.
func (f *function) components(of id) (all [3]id) { return f.parts(of, 64) }

// parts is the same in numbers of so many bits.
func (f *function) parts(of id, bits int) (all [3]id) {
	u32 := f.integer(32)
	v := f.inst(opLoad, f.global(opTypeVector, 0, u32, 3), of)
	for i := range all {
		all[i] = f.resized(32, bits, f.inst(opCompositeExtract, u32, v, uint32(i)))
	}
	return all
}

func (f *function) sum(a, b id) id           { return f.add(64, a, b) }
func (f *function) times(a, b id) id         { return f.mul(64, a, b) }
func (f *function) add(bits int, a, b id) id { return f.inst(opIAdd, f.integer(bits), a, b) }
func (f *function) mul(bits int, a, b id) id { return f.inst(opIMul, f.integer(bits), a, b) }
