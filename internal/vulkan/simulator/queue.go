package simulator

import "math/rand/v2"

// This file records commands, and runs them when a fence is waited for: so nothing has happened before.

// A submission is one that has not been run.
type submission struct {
	of    *commands
	fence *fence
}

func (d *Driver) recording(h uintptr) *commands {
	c := object[*commands](d, h)
	if c.state != stateRecording {
		fail("a command is recorded to a buffer in state %d", c.state)
	}
	return c
}

func (d *Driver) beginCommands(a [10]uintptr) uintptr {
	c := object[*commands](d, a[0])
	if c.state == statePending || c.state == stateRecording {
		fail("a command buffer begins in state %d", c.state)
	}
	*c = commands{state: stateRecording, once: pointer(a[1]).u32(16)&1 != 0}
	return 0
}

func (d *Driver) endCommands(a [10]uintptr) uintptr {
	d.recording(a[0]).state = stateReady
	return 0
}

func (d *Driver) bindPipeline(a [10]uintptr) uintptr {
	c := d.recording(a[0])
	if a[1] != 1 {
		fail("a pipeline is bound at point %d", a[1])
	}
	c.bound = object[*pipeline](d, a[2])
	return 0
}

func (d *Driver) pushConstants(a [10]uintptr) uintptr {
	c, l := d.recording(a[0]), object[*layout](d, a[1])
	at, n := int(a[3]), int(a[4])
	if a[2] != stageOfCompute || at%4 != 0 || n%4 != 0 || n == 0 || at+n > l.pushes {
		fail("%d bytes of push constants from byte %d on, of %d, for stages %#x", n, at, l.pushes, a[2])
	}
	if c.push == nil {
		c.push, c.pushed = make([]byte, l.pushes), make([]bool, l.pushes)
	}
	copy(c.push[at:], pointer(a[5]).bytes(n))
	for i := range n {
		c.pushed[at+i] = true
	}
	return 0
}

func (d *Driver) dispatch(a [10]uintptr) uintptr {
	c := d.recording(a[0])
	groups := [3]uint32{uint32(a[1]), uint32(a[2]), uint32(a[3])}
	most := d.limits().grid
	if c.bound == nil || groups[0] > most[0] || groups[1] > most[1] || groups[2] > most[2] {
		fail("a dispatch of %v workgroups, at most %v, with a pipeline: %t", groups, most, c.bound != nil)
	}
	p := c.bound
	for i := range p.code.pushes {
		if i >= len(c.pushed) || !c.pushed[i] {
			fail("a dispatch without byte %d of its push constants", i)
		}
	}
	push := append([]byte{}, c.push...)
	c.all = append(c.all, func(d *Driver) {
		r := &run{d: d, code: p.code, cmd: d.begin(stageCompute), push: push, groups: groups, syncs: map[syncKey]clocks{}, left: d.Most, random: rand.New(rand.NewPCG(d.random.Uint64(), 1))}
		r.dispatch()
	})
	return 0
}

func (d *Driver) barrier(a [10]uintptr) uintptr {
	c := d.recording(a[0])
	if a[3] != 0 || a[6] != 0 || a[8] != 0 {
		fail("a barrier with flags %d, %d buffers and %d images", a[3], a[6], a[8])
	}
	from, to := uint32(a[1]), uint32(a[2])
	const known = bitCompute | bitTransfer | bitHost | bitAll
	if from&^known != 0 || to&^known != 0 || from == 0 || to == 0 {
		fail("a barrier from stages %#x to %#x", from, to)
	}
	var accesses [][2]uint32
	for i := range int(a[4]) {
		b := pointer(a[5] + uintptr(24*i))
		if b.u32(0) != structMemoryBarrier {
			fail("a barrier of structure %d", b.u32(0))
		}
		accesses = append(accesses, [2]uint32{b.u32(16), b.u32(20)})
	}
	b := &Barrier{from, to, accesses}
	if d.Options.Barrier != nil && !d.Options.Barrier(b) {
		return 0
	}
	c.all = append(c.all, func(d *Driver) { d.order.barrier(uint32(len(d.stages))+1, b.From, b.To, b.Accesses) })
	return 0
}

// bufferOf is a buffer with memory.
func (d *Driver) bufferOf(h uintptr) *buffer {
	b := object[*buffer](d, h)
	if b.memory == nil {
		fail("a command on a buffer without memory")
	}
	return b
}

func (d *Driver) copyBuffer(a [10]uintptr) uintptr {
	c, from, to := d.recording(a[0]), d.bufferOf(a[1]), d.bufferOf(a[2])
	if a[3] != 1 {
		fail("%d copies at once", a[3])
	}
	p := pointer(a[4])
	at, there, n := p.u64(0), p.u64(8), p.u64(16)
	if n == 0 || at+n > from.size || there+n > to.size || from == to {
		fail("a copy of %d bytes from %d of %d to %d of %d", n, at, from.size, there, to.size)
	}
	c.all = append(c.all, func(d *Driver) {
		t := d.transfer()
		for i := uint64(0); i < n; {
			k := 1
			if n-i >= 4 && (at+i)%4 == 0 && (there+i)%4 == 0 {
				k = 4
			}
			t.write(to.span.base+there+i, k, t.read(from.span.base+at+i, k))
			i += uint64(k)
		}
	})
	return 0
}

func (d *Driver) fillBuffer(a [10]uintptr) uintptr {
	c, to := d.recording(a[0]), d.bufferOf(a[1])
	from, end := uint64(a[2]), uint64(a[2]+a[3])
	if a[3] == ^uintptr(0) {
		end = to.size &^ 3
	}
	if from%4 != 0 || end%4 != 0 || from >= end || end > to.size {
		fail("a fill of %d bytes from %d on, of %d", a[3], a[2], to.size)
	}
	c.all = append(c.all, func(d *Driver) {
		t := d.transfer()
		for i := from; i < end; i += 4 {
			t.write(to.span.base+i, 4, uint64(uint32(a[4])))
		}
	})
	return 0
}

// A transfer is a copy or a fill.
type transfer struct {
	d *Driver
	access
}

func (d *Driver) transfer() *transfer {
	cmd := d.begin(stageTransfer)
	return &transfer{d, access{record: newRecord(cmd.serial, 0, 0, kindPlain), cmd: cmd}}
}

func (t *transfer) read(at uint64, n int) uint64 {
	p, offset := t.d.pageAt(at, n)
	if why := t.check(p, offset, n, (*access).read); why != "" {
		t.d.note("command %d, a copy, %s", t.serial(), why)
	}
	return p.get(offset, n)
}

func (t *transfer) write(at uint64, n int, v uint64) {
	p, offset := t.d.pageAt(at, n)
	if why := t.check(p, offset, n, (*access).wrote); why != "" {
		t.d.note("command %d, a copy, %s", t.serial(), why)
	}
	p.put(offset, n, v)
}

func (d *Driver) submit(a [10]uintptr) uintptr {
	object[*queue](d, a[0])
	info, f := pointer(a[2]), object[*fence](d, a[3])
	if d.lost {
		return result(resultLost)
	}
	if a[1] != 1 || info.u32(16) != 0 || info.u32(40) != 1 || info.u32(56) != 0 {
		fail("%d submissions, of %d command buffers, with %d semaphores to wait for, and %d to signal", a[1], info.u32(40), info.u32(16), info.u32(56))
	}
	c := object[*commands](d, uintptr(info.to(48).u64(0)))
	if c.state != stateReady || f.pending || f.signalled {
		fail("a command buffer in state %d is submitted, with a fence that is signalled: %t, or will be: %t", c.state, f.signalled, f.pending)
	}
	c.state, f.pending = statePending, true
	d.work = append(d.work, submission{c, f})
	return 0
}

// wait runs what is submitted.
func (d *Driver) wait(a [10]uintptr) uintptr {
	if a[1] != 1 {
		fail("a wait for %d fences", a[1])
	}
	f := object[*fence](d, uintptr(pointer(a[2]).u64(0)))
	if !f.pending && !f.signalled {
		fail("a wait for a fence that nobody signals")
	}
	for len(d.work) > 0 {
		s := d.work[0]
		d.work = d.work[1:]
		s.fence.pending, s.fence.signalled = false, true
		s.of.state = stateDone
		if !s.of.once {
			s.of.state = stateReady
		}
		d.submission++
		d.lastPage, d.lastSpan = nil, nil
		for _, do := range s.of.all {
			do(d)
		}
		d.finish()
	}
	return 0
}

// finish lets the host see what barriers have made visible to it.
func (d *Driver) finish() {
	host := &command{d: d, stage: stageHost, order: d.order}
	for _, s := range d.spans {
		if s.host == 0 {
			continue
		}
		for _, p := range s.dirtyPages() {
			s.toHost(p, host.sees)
		}
	}
	d.order.fence(uint32(len(d.stages)))
}

func (d *Driver) reset(a [10]uintptr) uintptr {
	f := object[*fence](d, uintptr(pointer(a[2]).u64(0)))
	if f.pending {
		fail("a fence is reset that a submission will signal")
	}
	f.signalled = false
	return 0
}
