package wasm

import (
	"fmt"
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/site"
)

// record calls a function that appends to the buffer of the thread.
func (f *function) record(o *ir.Op) {
	n := len(o.Args)
	prints := int(o.Aux) < len(f.sites) && f.sites[o.Aux].Kind == site.Print
	name := fmt.Sprint("record.", n)
	if prints {
		name = fmt.Sprint("print.", n)
	}
	f.get(f.context(launch.CtxText, i32))
	f.long(int64(f.signature.Site(o.Aux)) | int64(n)<<32)
	for _, v := range o.Args {
		f.bitsOf(v)
	}
	f.helper(name, signature{params: words(i32, 1+n)}, func(h *function) { h.appendRecord(n, prints) })
}

// words are types of parameters: the first, and n numbers of 64 bits.
func words(first valType, n int) []valType {
	return append([]valType{first}, slices.Repeat([]valType{i64}, n)...)
}

// bitsOf puts a value on the stack as a word of 64 bits: an integer extended, a float as it is.
func (f *function) bitsOf(v *ir.Value) {
	f.push(v)
	switch k := v.Type.Kind; {
	case k == ir.F64:
		f.do("i64.reinterpret_f64")
	case k == ir.F32:
		f.do("i32.reinterpret_f32")
		f.extend(ir.U32)
	case f.typeOf(v) == i32:
		f.extend(k)
	}
}

// appendRecord is the body of a function that appends a record of n values. Its parameters are the buffer, the head of the record and the values. The address that
// the record must not reach beyond may lie before the next record, so the end of the record is compared and not the room that is left.
//
// Records of printing may be dropped. The first value is the number of the iteration. After the first dropped record all others are dropped, even short ones that
// would fit: so the text kept of an iteration has no gaps.
func (f *function) appendRecord(n int, prints bool) {
	const buffer, head, first = 0, 1, 2
	limit := launch.TextEnd
	if prints {
		limit = launch.TextStop
	}
	next, at := f.fresh(i64), f.fresh(i32)
	behind := func() {
		f.get(next)
		f.long(int64(8 * (n + 1)))
		f.do("i64.add")
	}
	f.get(buffer)
	f.access("i64.load", uint64(launch.TextNext))
	f.set(next)
	behind()
	f.get(buffer)
	f.access("i64.load", uint64(limit))
	f.do("i64.le_u")
	f.open("if")
	f.get(next)
	f.do("i32.wrap_i64")
	f.set(at)
	for i := range n + 1 {
		f.get(at)
		f.get(uint32(head + i))
		f.access("i64.store", uint64(8*i))
	}
	f.get(buffer)
	behind()
	f.access("i64.store", uint64(launch.TextNext))
	f.do("else")
	count := launch.TextLost
	if prints {
		count = launch.TextDrops
		f.get(buffer)
		f.long(0)
		f.access("i64.store", uint64(launch.TextStop))
		f.get(buffer)
		f.get(first)
		f.get(buffer)
		f.access("i64.load", uint64(launch.TextFirst))
		f.get(first)
		f.get(buffer)
		f.access("i64.load", uint64(launch.TextFirst))
		f.do("i64.lt_u")
		f.do("select")
		f.access("i64.store", uint64(launch.TextFirst))
	}
	f.get(buffer)
	f.get(buffer)
	f.access("i64.load", uint64(count))
	f.long(1)
	f.do("i64.add")
	f.access("i64.store", uint64(count))
	f.end()
}

// fail calls a function that counts a failure and describes the first one.
func (f *function) fail(o *ir.Op) {
	index, loop := o.Args[:o.Bits], o.Args[o.Bits:]
	index, loop = index[:min(len(index), launch.MaxValues)], loop[:min(len(loop), launch.MaxRank)]
	f.get(f.context(launch.CtxErrs, i32))
	f.long(int64(f.signature.Site(o.Aux) + 1))
	for _, v := range slices.Concat(index, loop) {
		f.push(v)
		if f.typeOf(v) == i32 {
			f.extend(v.Type.Kind)
		}
	}
	name := fmt.Sprintf("fail.%d.%d", len(index), len(loop))
	f.helper(name, signature{params: words(i32, 1+len(index)+len(loop))}, func(h *function) { h.describe(len(index), len(loop)) })
}

// describe is the body of that function. Its parameters are the error record, the number of the site plus 1, and the values.
func (f *function) describe(index, loop int) {
	const record, number, first = 0, 1, 2
	f.get(record)
	f.long(1)
	f.access("i64.atomic.rmw.add", uint64(launch.ErrCount))
	f.do("drop")
	f.get(record)
	f.long(0)
	f.get(number)
	f.access("i64.atomic.rmw.cmpxchg", uint64(launch.ErrSite))
	f.do("i64.eqz")
	f.when(func() {
		for i := range index + loop {
			at := launch.ErrValues + int64(8*i)
			if i >= index {
				at = launch.ErrLoop + int64(8*(i-index))
			}
			f.get(record)
			f.get(uint32(first + i))
			f.access("i64.store", uint64(at))
		}
		f.get(record)
		f.long(int64(loop))
		f.access("i64.store", uint64(launch.ErrRank))
	})
}
