package spirv

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/site"
)

// record appends a record to the room of the dispatch, which all threads share. An atomic gives each record its words. A record that finds no room is
// counted, and the words that it was given become a gap. The count of words only grows, so what the same iteration records later finds no room either: the
// text that is kept of an iteration has no holes.
func (f *function) record(o *ir.Op) {
	prints := int(o.Aux) < len(f.sites) && f.sites[o.Aux].Kind == site.Print
	words := make([]id, 0, len(o.Args)+1)
	words = append(words, f.number(64, uint64(f.signature.Site(o.Aux))|uint64(len(o.Args))<<32))
	for _, v := range o.Args {
		words = append(words, f.asWord(v))
	}
	u32, yes := f.integer(32), f.kind(ir.Bool)
	limit, n := launch.DispatchEnd, f.word(uint32(len(words)))
	if prints {
		limit = launch.DispatchStop
	}
	end := f.loadAt(ir.U32, f.text(launch.DispatchEnd))
	most := f.loadAt(ir.U32, f.text(limit))
	next := f.placeOf(f.text(launch.DispatchNext), u32)
	at := f.variable(u32)
	f.do(opStore, at, f.inst(opAtomicLoad, u32, next, f.word(1), f.word(0)))
	// A full room is asked for no more words, so that their count does not wrap.
	f.when(f.inst(opULessThan, yes, f.inst(opLoad, u32, at), end), func() {
		first := f.inst(opAtomicIAdd, u32, next, f.word(1), f.word(0), n)
		f.do(opStore, at, first)
		behind := f.inst(opIAdd, u32, first, n)
		fits := f.inst(opULessThanEqual, yes, behind, most)
		f.when(fits, func() { f.storeWords(first, words) })
		gap := f.inst(opLogicalAnd, yes, f.inst(opLogicalNot, yes, fits), f.inst(opULessThan, yes, first, end))
		f.when(gap, func() {
			to := f.inst(opSelect, u32, f.inst(opULessThan, yes, behind, end), behind, end)
			values := f.inst(opISub, u32, f.inst(opISub, u32, to, first), f.word(1))
			head := f.inst(opShiftLeftLogical, f.integer(64), f.resized(32, 64, values), f.number(64, 32))
			f.storeWords(first, []id{f.inst(opBitwiseOr, f.integer(64), head, f.number(64, launch.TextGap))})
		})
	})
	lost := f.inst(opUGreaterThan, yes, f.inst(opIAdd, u32, f.inst(opLoad, u32, at), n), most)
	f.when(lost, func() { f.lose(prints, words) })
}

// lose counts a record that found no room.
func (f *function) lose(prints bool, words []id) {
	count := launch.DispatchLost
	if prints {
		count = launch.DispatchDrops
	}
	f.inst(opAtomicIAdd, f.integer(32), f.placeOf(f.text(count), f.integer(32)), f.word(1), f.word(0), f.word(1))
	if prints { // the first value is the number of the iteration
		f.capability(CapInt64Atomics)
		u64 := f.integer(64)
		f.inst(opAtomicUMin, u64, f.placeOf(f.text(launch.DispatchFirst), u64), f.word(1), f.word(0), words[1])
	}
}

// text is an address in the head of the room for records.
func (f *function) text(offset int64) id {
	return f.inst(opIAdd, f.integer(64), f.pushed(launch.PushText), f.number(64, uint64(offset)))
}

// storeWords writes words of the room from the one with number first on.
func (f *function) storeWords(first id, words []id) {
	u64 := f.integer(64)
	at := f.inst(opIAdd, u64, f.text(launch.DispatchWords), f.inst(opShiftLeftLogical, u64, f.resized(32, 64, first), f.number(64, 3)))
	for i, w := range words {
		f.storeAt(ir.U64, f.inst(opIAdd, u64, at, f.number(64, uint64(8*i))), w)
	}
}

// asWord is a value as a word with its bits: an integer extended, a float as it is.
func (f *function) asWord(v *ir.Value) id {
	k, n := v.Type.Kind, f.use(v)
	if k.IsFloat() {
		return f.resized(k.Bits(), 64, f.bits(k, map[int]ir.Kind{16: ir.U16, 32: ir.U32, 64: ir.U64}[k.Bits()], n))
	}
	return f.convert(k, ir.I64, n)
}
