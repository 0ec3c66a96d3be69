package simulator

// atomics does an atomic in each active lane, one behind the other.
func atomics(g *subgroup, in *inst) {
	kind := kindAtomic
	if in.scope != scopeDevice {
		kind = kindAtomicInGroup
	}
	g.eachFrom(func(l int) {
		if in.meaning&releases != 0 {
			g.release(l, in.meaning)
		}
		if in.class == inBuffer {
			g.atomicMemory(in, l, kind)
		} else {
			g.atomicShared(in, l, kind)
		}
		if in.meaning&acquires != 0 {
			g.acquire(l, in.meaning)
		}
	})
}

// outcome is what an atomic makes of an old value, and whether it writes.
func (g *subgroup) outcome(in *inst, l int, old uint64) (v uint64, writes bool) {
	switch in.op {
	case opAtomicLoad:
		return old, false
	case opAtomicStore:
		return g.regs[in.b+l], true
	case opAtomicCompareExchange:
		if old != g.regs[in.c+l] {
			return old, false
		}
		return g.regs[in.b+l], true
	}
	v, _ = in.f2(old, g.regs[in.b+l])
	return v, true
}

func (g *subgroup) atomicMemory(in *inst, l, kind int) {
	d := g.w.run.d
	at := g.address(in, l, in.n)
	p, offset := d.pageAt(at, in.n)
	if in.op == opAtomicLoad {
		d.lastOf.refresh(p, offset, in.n)
	}
	old := p.get(offset, in.n)
	v, writes := g.outcome(in, l, old)
	a := g.access(l, kind)
	why := ""
	if in.op != opAtomicStore {
		why = a.check(p, offset, in.n, (*access).read)
	}
	if writes {
		if s := a.check(p, offset, in.n, (*access).wrote); s != "" {
			why = s
		}
		p.put(offset, in.n, v)
	}
	if why != "" {
		g.report(in, l, "%s", why)
	}
	g.passes(in, l, syncKey{at: at}, writes)
	if in.r >= 0 {
		g.regs[in.r+l] = old
	}
}

func (g *subgroup) atomicShared(in *inst, l, kind int) {
	at := g.sharedAt(in, l, in.no, in.a, in.yes)
	old := g.w.shared[at]
	v, writes := g.outcome(in, l, old)
	a := g.accessShared(l, kind)
	why := ""
	if in.op != opAtomicStore {
		why = a.read(&g.w.cells[at])
	}
	if writes {
		if s := a.wrote(&g.w.cells[at]); s != "" {
			why = s
		}
		g.w.shared[at] = v
	}
	if why != "" {
		g.report(in, l, "%s", why)
	}
	g.passes(in, l, syncKey{group: g.w, at: uint64(at)}, writes)
	if in.r >= 0 {
		g.regs[in.r+l] = old
	}
}

// A syncKey is a place at which threads may have left what others acquire: in memory, or in that of a group.
type syncKey struct {
	group *workgroup
	at    uint64
}

// clocks are those of the two kinds of memory.
type clocks struct{ memory, shared *clock }

func (c clocks) joined(o clocks) clocks {
	return clocks{joined(c.memory, o.memory), joined(c.shared, o.shared)}
}

// passes hands over what a thread has released before an atomic write, and takes what others have left where it reads.
func (g *subgroup) passes(in *inst, l int, key syncKey, writes bool) {
	t, there := &g.threads[l], g.w.run.syncs[key]
	if in.op != opAtomicStore {
		t.pending = t.pending.joined(there)
	}
	if !writes {
		return
	}
	now := t.released
	if in.op != opAtomicStore {
		now = now.joined(there)
	}
	if now != there {
		g.w.run.syncs[key] = now
	}
}

// release has what a thread did before come before what those do that acquire what it writes from now on.
func (g *subgroup) release(l int, meaning uint32) {
	t, me := &g.threads[l], g.id(l)
	if meaning&ofBuffers != 0 {
		t.released.memory = t.known.memory.with(me, t.epoch)
	}
	if meaning&ofGroup != 0 {
		t.released.shared = t.known.shared.with(me, t.epoch)
	}
	t.nextEpoch()
}

// acquire has what others have released come before what the thread does from now on, if it has read what they wrote then.
func (g *subgroup) acquire(l int, meaning uint32) {
	t := &g.threads[l]
	if meaning&ofBuffers != 0 {
		t.known.memory = joined(t.known.memory, t.pending.memory)
	}
	if meaning&ofGroup != 0 {
		t.known.shared = joined(t.known.shared, t.pending.shared)
	}
}

// fences is a barrier of memory.
func fences(g *subgroup, in *inst) {
	if in.scope != scopeDevice && in.scope != scopeWorkgroup {
		fail("a memory barrier of scope %d", in.scope)
	}
	g.each(func(l int) {
		if in.meaning&acquires != 0 {
			g.acquire(l, in.meaning)
		}
		if in.meaning&releases != 0 {
			g.release(l, in.meaning)
		}
	})
}

// meets orders what the threads of a group did before a barrier of execution before what they do behind it, in the memory that the barrier names.
func (w *workgroup) meets(in *inst) {
	if in.meaning&acquires == 0 || in.meaning&releases == 0 {
		return
	}
	var all clocks
	ends := &clock{map[uint32]uint32{}}
	for _, g := range w.groups {
		for l := range g.threads {
			if g.has>>l&1 != 0 {
				ends.upTo[g.id(l)] = g.threads[l].epoch
				all = all.joined(g.threads[l].known)
			}
		}
	}
	all = all.joined(clocks{ends, ends})
	for _, g := range w.groups {
		for l := range g.threads {
			t := &g.threads[l]
			if in.meaning&ofBuffers != 0 {
				t.known.memory = all.memory
			}
			if in.meaning&ofGroup != 0 {
				t.known.shared = all.shared
			}
			t.nextEpoch()
		}
	}
}
