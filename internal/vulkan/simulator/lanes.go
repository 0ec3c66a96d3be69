package simulator

import (
	"encoding/binary"
	"math/bits"
)

// This file has what instructions do in the lanes of a subgroup that are active.

// each calls f for the active lanes.
func (g *subgroup) each(f func(lane int)) {
	for m := g.active; m != 0; m &= m - 1 {
		f(bits.TrailingZeros64(m))
	}
}

// eachFrom does so from another lane on, so that lanes come in different orders at memory.
func (g *subgroup) eachFrom(f func(lane int)) {
	first := g.w.random.IntN(g.lanes)
	for m := g.active >> first << first; m != 0; m &= m - 1 {
		f(bits.TrailingZeros64(m))
	}
	for m := g.active &^ (g.active >> first << first); m != 0; m &= m - 1 {
		f(bits.TrailingZeros64(m))
	}
}

func copies(g *subgroup, in *inst) {
	to, from := g.regs[in.r:in.r+g.lanes], g.regs[in.a:in.a+g.lanes]
	for m := g.active; m != 0; m &= m - 1 {
		l := bits.TrailingZeros64(m)
		to[l] = from[l]
	}
}

func computes2(g *subgroup, in *inst) {
	r, a, b := g.regs[in.r:in.r+g.lanes], g.regs[in.a:in.a+g.lanes], g.regs[in.b:in.b+g.lanes]
	for m := g.active; m != 0; m &= m - 1 {
		l := bits.TrailingZeros64(m)
		v, ok := in.f2(a[l], b[l])
		if !ok {
			g.report(in, l, "is not defined for %#x and %#x", a[l], b[l])
		}
		r[l] = v
	}
}

func computes1(g *subgroup, in *inst) {
	r, a := g.regs[in.r:in.r+g.lanes], g.regs[in.a:in.a+g.lanes]
	for m := g.active; m != 0; m &= m - 1 {
		l := bits.TrailingZeros64(m)
		v, ok := in.f1(a[l])
		if !ok {
			g.report(in, l, "is not defined for %#x", a[l])
		}
		r[l] = v
	}
}

func selects(g *subgroup, in *inst) {
	g.each(func(l int) {
		if g.regs[in.a+l] != 0 {
			g.regs[in.r+l] = g.regs[in.b+l]
		} else {
			g.regs[in.r+l] = g.regs[in.c+l]
		}
	})
}

// spoils gives a variable numbers that nobody has written.
func spoils(g *subgroup, in *inst) {
	for i := range in.n {
		g.each(func(l int) {
			g.noise = g.noise*6364136223846793005 + 1442695040888963407
			g.regs[in.r+i*g.lanes+l] = g.noise >> 7
		})
	}
}

func elect(g *subgroup, in *inst) {
	first := bits.TrailingZeros64(g.active)
	g.each(func(l int) { g.regs[in.r+l], _ = truth(l == first) })
}

// reduces gives all active lanes what an operation makes of all of their numbers.
func reduces(g *subgroup, in *inst) {
	v, begun := uint64(0), false
	g.eachFrom(func(l int) {
		if a := g.regs[in.a+l]; !begun {
			v, begun = a, true
		} else {
			v, _ = in.f2(v, a)
		}
	})
	g.each(func(l int) { g.regs[in.r+l] = v })
}

// gives reads a built-in variable.
func gives(g *subgroup, in *inst) {
	size := g.w.run.code.size
	three := func(v [3]uint32) {
		for i, n := range v {
			g.each(func(l int) { g.regs[in.r+i*g.lanes+l] = uint64(n) })
		}
	}
	one := func(n int) { g.each(func(l int) { g.regs[in.r+l] = uint64(n) }) }
	switch in.n {
	case givenGrid:
		three(g.w.run.groups)
	case givenGroup:
		three(g.w.at)
	case givenLocal:
		g.each(func(l int) {
			n := g.index[l]
			g.regs[in.r+l] = uint64(n % size[0])
			g.regs[in.r+g.lanes+l] = uint64(n / size[0] % size[1])
			g.regs[in.r+2*g.lanes+l] = uint64(n / size[0] / size[1])
		})
	case givenIndex:
		g.each(func(l int) { g.regs[in.r+l] = uint64(g.index[l]) })
	case givenWidth:
		one(g.lanes)
	case givenSubgroups:
		one(len(g.w.groups))
	case givenSubgroup:
		one(g.number)
	case givenLane:
		g.each(func(l int) { g.regs[in.r+l] = uint64(l) })
	default:
		fail("the simulator has no built-in variable %d", in.n)
	}
}

// cellAt is the register of an element of a local array.
func (g *subgroup) cellAt(in *inst, l int) int {
	i := g.regs[in.b+l]
	if i >= uint64(in.n) {
		g.report(in, l, "has element %d of a local array of %d", i, in.n)
		i = 0
	}
	return in.a + int(i)*g.lanes + l
}

func loadsCell(g *subgroup, in *inst) {
	g.each(func(l int) { g.regs[in.r+l] = g.regs[g.cellAt(in, l)] })
}

func storesCell(g *subgroup, in *inst) {
	g.each(func(l int) { g.regs[g.cellAt(in, l)] = g.regs[in.c+l] })
}

func loadsTable(g *subgroup, in *inst, table *constant) {
	g.each(func(l int) {
		i := in.a
		if in.b >= 0 {
			i += int(g.regs[in.b+l])
		}
		if i < 0 || i >= len(table.leaves) {
			g.report(in, l, "has element %d of a table of %d", i, len(table.leaves))
			i = 0
		}
		g.regs[in.r+l] = table.leaves[i]
	})
}

func loadsPush(g *subgroup, in *inst) {
	push := g.w.run.push
	v := uint64(0)
	switch {
	case in.a+in.n > len(push):
		fail("a load of push constants from byte %d on: %d bytes were set", in.a, len(push))
	case in.n == 8:
		v = binary.LittleEndian.Uint64(push[in.a:])
	case in.n == 4:
		v = uint64(binary.LittleEndian.Uint32(push[in.a:]))
	default:
		fail("a load of %d bytes of push constants", in.n)
	}
	g.each(func(l int) { g.regs[in.r+l] = v })
}

// address checks the address of an access.
func (g *subgroup) address(in *inst, l, align int) uint64 {
	at := g.regs[in.a+l]
	if at%uint64(align) != 0 || at%uint64(in.n) != 0 {
		g.stop(in, l, "%d bytes at address %#x, which is no multiple of %d", in.n, at, max(align, in.n))
	}
	return at
}

func loadsMemory(g *subgroup, in *inst) {
	g.eachFrom(func(l int) {
		p, offset := g.w.run.d.pageAt(g.address(in, l, in.align), in.n)
		a := g.access(l, kindPlain)
		if why := a.check(p, offset, in.n, (*access).read); why != "" {
			g.report(in, l, "%s", why)
		}
		g.regs[in.r+l] = p.get(offset, in.n)
	})
}

func storesMemory(g *subgroup, in *inst) {
	g.eachFrom(func(l int) {
		p, offset := g.w.run.d.pageAt(g.address(in, l, in.align), in.n)
		a := g.access(l, kindPlain)
		v := g.regs[in.c+l]
		if why := a.check(p, offset, in.n, (*access).wrote); why != "" {
			same := ""
			if p.get(offset, in.n) == v {
				same = ", by the same value"
			}
			g.report(in, l, "%s%s", why, same)
		}
		p.put(offset, in.n, v)
	})
}

// sharedAt is the number of a scalar in the memory of the group.
func (g *subgroup) sharedAt(in *inst, l, base, index, size int) int {
	if index < 0 {
		return base
	}
	i := g.regs[index+l]
	if i >= uint64(size) {
		g.report(in, l, "has element %d of a shared array of %d", i, size)
		i = 0
	}
	return base + int(i)
}

func loadsShared(g *subgroup, in *inst) {
	g.eachFrom(func(l int) {
		at := g.sharedAt(in, l, in.a, in.b, in.n)
		a := g.accessShared(l, kindPlain)
		if why := a.read(&g.w.cells[at]); why != "" {
			g.report(in, l, "%s", why)
		}
		g.regs[in.r+l] = g.w.shared[at]
	})
}

func storesShared(g *subgroup, in *inst) {
	g.eachFrom(func(l int) {
		at := g.sharedAt(in, l, in.a, in.b, in.n)
		a := g.accessShared(l, kindPlain)
		if why := a.wrote(&g.w.cells[at]); why != "" {
			g.report(in, l, "%s", why)
		}
		g.w.shared[at] = g.regs[in.c+l]
	})
}
