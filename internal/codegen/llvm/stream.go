package llvm

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/option"
)

// A loop that computes much for each element has only a few iterations under way at once, so
// it waits for memory wherever the processor does not foresee by itself what the loop reads
// next. Processors cease to do that while others keep the memory busy, on a shared machine
// without the program's doing: the same loop then takes more than twice as long. So a long row
// of such a loop is cut into strips, and before each strip the loop asks for what the next one
// accesses. Loops with little to compute look far enough ahead by themselves, but for those that
// store past the caches: these copy line by line what a strip has stored (window.go), and ask at each
// line for what comes two kilobytes later. Stencils of five points on 64 MB take 0.82 of the time.
const (
	stripIterations = 256  // of a strip, and more where elements are narrow
	stripBytes      = 1024 // of the widest stream that a strip asks for
	leastStreamRow  = 2048 // iterations of a row that is worth cutting
	opsPerStream    = 12   // fewer ops than that for each stream are little to compute
	mostStreamLines = 64   // lines that a strip may ask for
	bytesAhead      = 2048 // of a stream, at which lines are asked for one by one
)

// A stream is what a row accesses one after the other.
type stream struct {
	at     *ir.Value // the address, a value of the body
	stride int64     // in bytes from one iteration to the next
}

// streamsOf returns the streams of a task whose rows are to be cut into strips that ask for the next one's, else nil.
func (f *function) streamsOf(t *ir.Task, extent int64) []stream {
	if extent >= 0 && extent < leastStreamRow {
		return nil
	}
	streams, size := f.accessed(t, 64, nil)
	bytes := int64(0) // of an iteration
	for _, s := range streams {
		bytes += s.stride
	}
	if bytes*lengthOfStrips(streams)/64 > mostStreamLines || size < opsPerStream*len(streams) {
		return nil
	}
	return streams
}

// streamsBeside returns the streams of which lines are asked for while windows are copied. Wider ones than the first
// window have several lines for each of its, and the processor foresees these better than requests in bursts.
func (f *function) streamsBeside(t *ir.Task, windows []*window) []stream {
	streams, _ := f.accessed(t, windows[0].Stride, windows)
	return streams
}

// accessed returns the streams of a task that advance by at most widest bytes, without those that fill windows, and
// how many ops an iteration has. Of places that differ by constants it takes the one that comes to new memory first.
func (f *function) accessed(t *ir.Task, widest int64, windows []*window) (streams []stream, size int) {
	if f.m.opts.Without.Has(option.Prefetch|option.Vectors) || f.m.opts.VectorBits == 0 || len(t.Lists) > 0 {
		return nil, 0
	}
	loops := false
	ir.Visit(t.Body, func(o *ir.Op) bool {
		size++
		loops = loops || o.Code.Is(ir.Loop) || o.Code == ir.OpPoll || o.Code == ir.OpPrefetch
		return !loops
	})
	if loops {
		return nil, 0
	}
	known, strides := map[stream]int{}, ir.StridesOf(t)
	for _, o := range t.Body.Ops {
		if o.Code != ir.OpLoad && o.Code != ir.OpStore || o.Args[0].Type.Lanes > 1 || !f.shared(o.Args[0]) || windowOf(windows, o) != nil {
			continue
		}
		stride, ok := strides.Of(o.Args[0])
		if !ok || stride <= 0 || stride > widest {
			continue
		}
		root, off := ir.FixedOffset(o.Args[0])
		whole := stream{root, stride} // components of an element share lines
		if i, ok := known[whole]; !ok {
			known[whole] = len(streams)
			streams = append(streams, stream{o.Args[0], stride})
		} else if _, other := ir.FixedOffset(streams[i].at); off > other {
			streams[i].at = o.Args[0]
		}
	}
	return streams, size
}

// lengthOfStrips returns how many iterations a strip has, by the stride of its widest stream. Strips of fewer bytes end
// before the processor has got far ahead: 256 iterations of u16 took an eighth longer than 512.
func lengthOfStrips(streams []stream) int64 {
	widest := int64(1)
	for _, s := range streams {
		widest = max(widest, s.stride)
	}
	return max(stripIterations, stripBytes/widest)
}

// strips writes a row from offset begin to offset end as strips of the loop, and goes to after. Each
// begins with prefetches of what the next accesses in the streams, or ends with the copying of what
// was stored in the windows, which asks for lines of the streams.
func (f *function) strips(t *ir.Task, d dim, streams []stream, begin, end string, after *block) {
	strip, next, again := f.block("strip"), f.block("stripend"), f.block("stripnext")
	from := f.phi(strip, "i64")
	f.jump(strip, begin)
	f.cur = strip
	length, ahead := lengthOfStrips(streams), ""
	if len(f.windows) > 0 {
		ahead = f.openWindows(t, d, from.name)
	} else {
		ahead = f.inst("add i64 %s, %d", from.name, length)
	}
	more := f.inst("icmp slt i64 %s, %s", ahead, end)
	to := f.inst("select i1 %s, i64 %s, i64 %s", more, ahead, end)
	if len(f.windows) > 0 {
		f.windows[0].asked = f.linesAhead(t, d, to)
	} else {
		for _, s := range streams {
			f.askAhead(t, d, s, to, length)
		}
	}
	f.iterations(t, d, from.name, to, next)
	f.enter(next)
	for _, w := range f.windows {
		f.closeWindow(w, from.name, to)
	}
	f.branch(more, again, after)
	f.cur = again
	f.jump(strip, to)
}

// askAhead asks for the lines that a strip from offset from on accesses in a stream.
func (f *function) askAhead(t *ir.Task, d dim, s stream, from string, length int64) {
	p := f.addressAt(t, d, s.at, from)
	f.m.declare("void", "llvm.prefetch.p0", []string{"ptr", "i32", "i32", "i32"})
	for at := int64(0); at < length*s.stride; at += 64 {
		line := f.inst("getelementptr i8, ptr %s, i64 %d", p, at)
		f.do("call void @llvm.prefetch.p0(ptr %s, i32 0, i32 3, i32 1)", line)
	}
}

// addressAt is what the iteration at offset at computes for v, an address of t's body.
func (f *function) addressAt(t *ir.Task, d dim, v *ir.Value, at string) string {
	index := t.Body.Params[len(t.Dims)-1]
	f.values[index] = f.narrow(d.kind, f.plus(d, at))
	c, strides := ir.NewCloner(nil), ir.StridesOf(t)
	var copied func(v *ir.Value) *ir.Value
	copied = func(v *ir.Value) *ir.Value {
		if o := v.Def; strides.Inside(o) && c.Values[v] == nil {
			for _, a := range o.Args {
				copied(a)
			}
			f.op(c.Op(o))
		}
		return c.Value(v)
	}
	return f.use(copied(v))
}
