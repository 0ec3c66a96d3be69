package simulator

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
)

// A run is a dispatch under way.
type run struct {
	d      *Driver
	code   *code
	cmd    *command
	push   []byte
	groups [3]uint32
	syncs  map[syncKey]clocks
	left   int64 // instructions of lanes that may still be run
	free   []*subgroup
	random *rand.Rand
	chosen []uint32 // the order of the workgroups
}

// A workgroup is one that is under way.
type workgroup struct {
	run    *run
	number uint32
	at     [3]uint32
	groups []*subgroup
	shared []uint64
	cells  []cell
	random *rand.Rand
}

// A thread is what is kept of one to know what comes before what it does.
type thread struct {
	epoch    uint32
	known    clocks
	released clocks // by its last release
	pending  clocks // what it may acquire
}

func (t *thread) nextEpoch() {
	if t.epoch++; t.epoch >= 1<<epochBits {
		fail("a thread releases more than %d times", t.epoch)
	}
}

// A subgroup is some threads of a workgroup, which run in lanes: those at the same instruction run it together.
type subgroup struct {
	w       *workgroup
	number  int
	lanes   int
	regs    []uint64
	index   []uint32 // numbers of the threads in the workgroup
	threads []thread
	has     uint64 // lanes with a thread
	alive   uint64 // threads that have not ended
	active  uint64 // those that run now
	at      int    // where
	next    [64]int
	back    [64][]int // where calls return to
	waiting *inst     // the barrier that it waits at
	noise   uint64
}

// id is the number of a thread in the dispatch.
func (g *subgroup) id(l int) uint32 {
	size := g.w.run.code.size
	return g.w.number*size[0]*size[1]*size[2] + g.index[l]
}

func (g *subgroup) access(l, kind int) *access {
	r := g.w.run
	t := &g.threads[l]
	return &access{record: newRecord(r.cmd.serial, g.id(l), t.epoch, kind), known: t.known.memory, cmd: r.cmd, per: r.per()}
}

func (g *subgroup) accessShared(l, kind int) *access {
	a := g.access(l, kind)
	a.known = g.threads[l].known.shared
	return a
}

func (r *run) per() uint32 { return r.code.size[0] * r.code.size[1] * r.code.size[2] }

// report notes a fault of a thread, which goes on.
func (g *subgroup) report(in *inst, l int, format string, args ...any) {
	g.w.run.d.noteOf(fmt.Sprintf("%p", in), "%s: %s", g.where(in, l), fmt.Sprintf(format, args...))
}

// stop ends the work of the device.
func (g *subgroup) stop(in *inst, l int, format string, args ...any) {
	fail("%s: %s", g.where(in, l), fmt.Sprintf(format, args...))
}

// where names an instruction of a thread.
func (g *subgroup) where(in *inst, l int) string {
	name := opNames[in.op]
	if name == "" {
		name = fmt.Sprint("instruction ", in.op)
	}
	return fmt.Sprintf("command %d, thread %d (lane %d of subgroup %d of workgroup %v), %s with id %d", g.w.run.cmd.serial, g.id(l), l, g.number, g.w.at, name, in.id)
}

// The numbers of a dispatch that are chosen at random have these limits.
const (
	mostResident = 3  // workgroups at once
	mostTurn     = 12 // accesses to memory of a subgroup before another one's turn
)

// dispatch runs a dispatch.
func (r *run) dispatch() {
	total := r.groups[0] * r.groups[1] * r.groups[2]
	r.chosen = make([]uint32, total)
	for i := range r.chosen {
		r.chosen[i] = uint32(i)
	}
	r.random.Shuffle(len(r.chosen), func(i, j int) { r.chosen[i], r.chosen[j] = r.chosen[j], r.chosen[i] })
	var under []*workgroup
	most := 1 + r.random.IntN(mostResident)
	for len(r.chosen) > 0 || len(under) > 0 {
		for len(under) < most && len(r.chosen) > 0 {
			under = append(under, r.open(r.chosen[0]))
			r.chosen = r.chosen[1:]
		}
		i := r.random.IntN(len(under))
		w := under[i]
		w.turn()
		if w.ended() {
			r.free = append(r.free, w.groups...)
			under[i] = under[len(under)-1]
			under = under[:len(under)-1]
		}
	}
}

// open begins a workgroup.
func (r *run) open(number uint32) *workgroup {
	w := &workgroup{run: r, number: number, random: r.random}
	w.at = [3]uint32{number % r.groups[0], number / r.groups[0] % r.groups[1], number / r.groups[0] / r.groups[1]}
	w.shared, w.cells = make([]uint64, r.code.shared), make([]cell, r.code.shared)
	for i := range w.shared {
		w.shared[i] = r.random.Uint64()
	}
	per, lanes := int(r.per()), r.code.lanes
	for first := 0; first < per; first += lanes {
		g := r.subgroup()
		g.w, g.number = w, first/lanes
		g.start(first, min(lanes, per-first))
		w.groups = append(w.groups, g)
	}
	return w
}

// subgroup returns one with registers.
func (r *run) subgroup() *subgroup {
	if n := len(r.free); n > 0 {
		g := r.free[n-1]
		r.free = r.free[:n-1]
		return g
	}
	lanes := r.code.lanes
	g := &subgroup{lanes: lanes, regs: make([]uint64, r.code.regs*lanes), index: make([]uint32, lanes), noise: r.random.Uint64()}
	for i, at := range r.code.consts {
		for l := range lanes {
			g.regs[at+l] = r.code.values[i]
		}
	}
	return g
}

// start gives a subgroup its threads.
func (g *subgroup) start(first, n int) {
	g.threads = make([]thread, g.lanes)
	g.has = mask(n)
	g.alive, g.active, g.at, g.waiting = g.has, g.has, g.w.run.code.main.entry, nil
	for l := range n {
		g.index[l], g.back[l] = uint32(first+l), g.back[l][:0]
	}
}

func (w *workgroup) ended() bool {
	for _, g := range w.groups {
		if g.alive != 0 {
			return false
		}
	}
	return true
}

// turn runs a subgroup for a while, or opens the barrier that all wait at.
func (w *workgroup) turn() {
	first := w.random.IntN(len(w.groups))
	for i := range w.groups {
		if g := w.groups[(first+i)%len(w.groups)]; g.alive != 0 && g.waiting == nil {
			g.run(1 + w.random.IntN(mostTurn))
			return
		}
	}
	at := w.groups[first].waiting
	for _, g := range w.groups {
		switch {
		case g.waiting == nil:
			fail("command %d: threads of workgroup %v wait at a barrier, and others have ended", w.run.cmd.serial, w.at)
		case g.waiting != at:
			fail("command %d: threads of workgroup %v wait at different barriers", w.run.cmd.serial, w.at)
		}
	}
	w.meets(at)
	for _, g := range w.groups {
		g.waiting = nil
	}
}

// run runs instructions up to a number of accesses to memory.
func (g *subgroup) run(quota int) {
	code := g.w.run.code.all
	left := &g.w.run.left
	for g.alive != 0 {
		in := &code[g.at]
		if *left -= int64(bits.OnesCount64(g.active)); *left < 0 {
			g.stop(in, bits.TrailingZeros64(g.active), "the dispatch does not end")
		}
		switch in.kind {
		case goesOn:
			in.do(g, in)
			g.at++
		case touches:
			in.do(g, in)
			g.at++
			if quota--; quota <= 0 {
				return
			}
		case jumps:
			g.at = in.yes
			g.regroup()
		case branches:
			g.branch(in)
		case calls:
			g.each(func(l int) { g.back[l] = append(g.back[l], g.at+1) })
			g.at = in.callee.entry
		case returns:
			g.leave()
		case waits:
			if g.active != g.has {
				g.stop(in, bits.TrailingZeros64(g.active), "not all threads of the subgroup come to the barrier together: %b of %b", g.active, g.has)
			}
			g.waiting = in
			g.at++
			return
		default:
			g.stop(in, bits.TrailingZeros64(g.active), "it was reached")
		}
	}
}

// branch sends lanes to either side.
func (g *subgroup) branch(in *inst) {
	yes := uint64(0)
	for m := g.active; m != 0; m &= m - 1 {
		if l := bits.TrailingZeros64(m); g.regs[in.a+l] != 0 {
			yes |= 1 << l
		}
	}
	switch yes {
	case g.active:
		g.at = in.yes
	case 0:
		g.at = in.no
	default:
		g.each(func(l int) {
			if g.next[l] = in.no; yes>>l&1 != 0 {
				g.next[l] = in.yes
			}
		})
		g.choose()
		return
	}
	g.regroup()
}

// regroup looks whether other threads have come to where the active ones are, or lie behind.
func (g *subgroup) regroup() {
	if g.active == g.alive {
		return
	}
	g.each(func(l int) { g.next[l] = g.at })
	g.choose()
}

// leave returns from a function, or ends threads.
func (g *subgroup) leave() {
	g.each(func(l int) {
		if n := len(g.back[l]); n > 0 {
			g.next[l], g.back[l] = g.back[l][n-1], g.back[l][:n-1]
		} else {
			g.alive &^= 1 << l
		}
	})
	g.choose()
}

// choose has the threads run that are deepest in calls, and of these the ones that are furthest behind. Blocks of a construct stand before its merge block, so
// threads come together there.
func (g *subgroup) choose() {
	depth, at := -1, 0
	for m := g.alive; m != 0; m &= m - 1 {
		l := bits.TrailingZeros64(m)
		if d := len(g.back[l]); d > depth || d == depth && g.next[l] < at {
			depth, at = d, g.next[l]
		}
	}
	g.active = 0
	for m := g.alive; m != 0; m &= m - 1 {
		if l := bits.TrailingZeros64(m); len(g.back[l]) == depth && g.next[l] == at {
			g.active |= 1 << l
		}
	}
	g.at = at
}
