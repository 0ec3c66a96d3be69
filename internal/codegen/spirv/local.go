package spirv

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/launch"
)

// largeAlloc gives a large local array a place in memory of the device, since threads have little of their own. There is a place for each thread of a
// dispatch. The next dispatch begins when this one has ended, so it has the same places.
func (f *function) largeAlloc(o *ir.Op, n int64) {
	if f.task == nil {
		f.unsupported(o, "local arrays of more than 16 KiB in functions that are called")
		return
	}
	if f.large == nil {
		f.large, f.largeBytes = ir.LargeLocals(f.task, launch.LocalMost)
	}
	own := f.once("local", func() id {
		g, n := f.components(f.group), f.components(f.grid)
		group := f.sum(g[0], f.times(n[0], f.sum(g[1], f.times(n[1], g[2]))))
		index := f.inst(opUConvert, f.integer(64), f.inst(opLoad, f.integer(32), f.index))
		thread := f.sum(f.times(group, f.threads()), index)
		return f.sum(f.pushed(launch.PushLocal), f.times(thread, f.number(64, uint64(f.largeBytes))))
	})
	place := f.sum(own, f.number(64, uint64(f.large[o])))
	f.values[o.Results[0]] = place
	if !o.Flags.Has(ir.Unset) {
		f.clear(place, n*int64(o.Kind.Size()))
	}
}

// clear zeroes bytes of memory, and those behind them up to a multiple of 8.
func (f *function) clear(place id, bytes int64) {
	u64 := f.integer(64)
	at, end := f.variable(u64), f.sum(place, f.number(64, uint64(bytes)))
	f.do(opStore, at, place)
	l, head := &loop{}, f.id()
	f.enter(l, head)
	p := f.inst(opLoad, u64, at)
	body, done := f.id(), f.id()
	f.choose(f.inst(opULessThan, f.kind(ir.Bool), p, end), body, done, body)
	f.label(done)
	f.branch(l.merge)
	f.label(body)
	f.storeAt(ir.U64, p, f.number(64, 0))
	f.branch(l.cont)
	f.label(l.cont)
	f.do(opStore, at, f.sum(f.inst(opLoad, u64, at), f.number(64, 8)))
	f.close(l, head)
}
