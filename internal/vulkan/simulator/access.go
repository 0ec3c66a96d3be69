package simulator

// This file compiles accesses to variables and memory.

// local compiles a variable of a function. It begins with numbers that nobody has written.
func (c *code) local(a []uint32) {
	t := c.module.typeOf(a[0]).to
	r := c.registers(t.leaves)
	c.places[a[1]] = &place{class: inFunction, base: r, index: -1, t: t, size: t.leaves}
	c.add(inst{op: opVariable, id: a[1], r: r, n: t.leaves, do: spoils})
	if len(a) > 3 {
		c.move(r, c.use(a[3]), t.leaves)
	}
}

// placeOf is where a pointer leads.
func (c *code) placeOf(id uint32) *place {
	if p := c.places[id]; p != nil {
		return p
	}
	v := c.vars[id]
	if v == nil {
		refuse("%d is no pointer that the simulator follows", id)
	}
	p := &place{class: v.class, index: -1, t: v.t, of: v, size: v.t.leaves}
	switch v.class {
	case inGroup:
		p.base = c.shared
		c.shared += v.t.leaves
	case inPrivate:
		if v.init == nil {
			refuse("a private variable that is no table")
		}
		p.table = v.init
	case inInput, inPush:
	default:
		refuse("a variable of class %d", v.class)
	}
	c.places[id] = p
	return p
}

// chain compiles an access chain: of constants, and at most one index that is none.
func (c *code) chain(a []uint32) {
	p := *c.placeOf(a[2])
	for _, id := range a[3:] {
		k := c.module.consts[id]
		switch {
		case p.class == inBuffer:
			refuse("an access chain in memory")
		case k == nil && (p.index >= 0 || p.t.members[0].leaves != 1):
			refuse("an access chain with several indices")
		case k == nil:
			p.index, p.t = c.use(id), p.t.members[0]
			p.member = nil
		default:
			n := int(k.leaves[0])
			if n >= len(p.t.members) {
				refuse("an access chain with index %d of %d", n, len(p.t.members))
			}
			for _, before := range p.t.members[:n] {
				p.base += c.step(p.class, before.leaves)
			}
			if p.class == inPush {
				p.base = p.t.offsets[n]
			}
			p.t = p.t.members[n]
		}
	}
	c.places[a[1]] = &p
}

// step is how much further the base of a place is for a number of scalars.
func (c *code) step(class uint32, leaves int) int {
	if class == inFunction {
		return leaves * c.lanes
	}
	return leaves
}

// load compiles one.
func (c *code) load(a []uint32) {
	p, t := c.placeOf(a[2]), c.module.typeOf(a[0])
	in := inst{op: opLoad, id: a[1], a: p.base, b: p.index, n: p.size, class: p.class}
	if p.class == inInput {
		in.r, in.n, in.do = c.define(a[1], t), int(p.of.builtIn), gives
		c.add(in)
		return
	}
	if p.class == inFunction && p.index < 0 {
		c.move(c.define(a[1], t), p.base, t.leaves)
		return
	}
	if t.leaves != 1 {
		refuse("a load of a composite")
	}
	in.r = c.define(a[1], t)
	switch p.class {
	case inFunction:
		in.do = loadsCell
	case inPrivate:
		in.do = func(g *subgroup, in *inst) { loadsTable(g, in, p.table) }
	case inPush:
		in.n, in.do = t.bits/8, loadsPush
	case inGroup:
		in.kind, in.do = touches, loadsShared
	case inBuffer:
		in.kind, in.a, in.n, in.do = touches, c.use(a[2]), t.bits/8, loadsMemory
		in.align = aligned(a[3:])
	}
	c.add(in)
}

// aligned is what an access to memory promises of its address.
func aligned(operands []uint32) int {
	if len(operands) != 2 || operands[0] != accessIsAligned {
		refuse("an access to memory that says nothing of how it is aligned")
	}
	return int(operands[1])
}

// store compiles one.
func (c *code) store(a []uint32) {
	p, t := c.placeOf(a[0]), c.is(a[1])
	in := inst{op: opStore, id: a[0], a: p.base, b: p.index, c: c.use(a[1]), n: p.size, class: p.class}
	if p.class == inFunction && p.index < 0 {
		c.move(p.base, in.c, t.leaves)
		return
	}
	if t.leaves != 1 {
		refuse("a store of a composite")
	}
	switch p.class {
	case inFunction:
		in.do = storesCell
	case inGroup:
		in.kind, in.do = touches, storesShared
	case inBuffer:
		in.kind, in.a, in.n, in.do = touches, c.use(a[0]), t.bits/8, storesMemory
		in.align = aligned(a[2:])
	default:
		refuse("a store to class %d", p.class)
	}
	c.add(in)
}

// number is a constant operand.
func (c *code) number(id uint32) uint32 { return uint32(c.constOf(id).leaves[0]) }

// atomic compiles one, if it is one.
func (c *code) atomic(i instruction) bool {
	if i.op < opAtomicLoad || i.op > opAtomicXor {
		return false
	}
	a := i.args
	in := inst{kind: touches, op: i.op, do: atomics}
	pointer := uint32(0)
	if i.op == opAtomicStore {
		pointer, in.scope, in.meaning, in.b = a[0], c.number(a[1]), c.number(a[2]), c.use(a[3])
		in.n, in.r = c.is(a[3]).bits/8, -1
	} else {
		t := c.module.typeOf(a[0])
		pointer, in.scope, in.meaning = a[2], c.number(a[3]), c.number(a[4])
		in.id, in.n = a[1], t.bits/8
		switch {
		case i.op == opAtomicCompareExchange:
			in.meaning |= c.number(a[5])
			in.b, in.c = c.use(a[6]), c.use(a[7])
		case len(a) > 5:
			in.b, in.f2 = c.use(a[5]), binaryOf(i.op, t.bits)
		case i.op != opAtomicLoad:
			refuse("the simulator does not know atomic %d", i.op)
		}
		in.r = c.define(a[1], t)
	}
	p := c.placeOf(pointer)
	in.class = p.class
	switch p.class {
	case inBuffer:
		in.a = c.use(pointer)
	case inGroup:
		in.a, in.no, in.yes = p.index, p.base, p.size
	default:
		refuse("an atomic on class %d", p.class)
	}
	c.add(in)
	return true
}

// barrier compiles those of memory and of execution.
func (c *code) barrier(i instruction) {
	a := i.args
	if i.op == opMemoryBarrier {
		c.add(inst{kind: touches, op: i.op, scope: c.number(a[0]), meaning: c.number(a[1]), do: fences})
		return
	}
	if c.number(a[0]) != scopeWorkgroup {
		refuse("a barrier of scope %d", c.number(a[0]))
	}
	c.add(inst{kind: waits, op: i.op, scope: c.number(a[1]), meaning: c.number(a[2])})
}
