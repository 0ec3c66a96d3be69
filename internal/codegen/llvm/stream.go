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
// accesses. Loops with little to compute look far enough ahead by themselves.
const (
	stripIterations = 256  // of a strip, and more where elements are narrow
	stripBytes      = 1024 // of the widest stream that a strip asks for
	leastStreamRow  = 2048 // iterations of a row that is worth cutting
	opsPerStream    = 12   // fewer ops than that for each stream are little to compute
	opsPerStreamed  = 32   // where the loop stores past the caches, which its prefetches would fill
	mostStreamLines = 64   // lines that a strip may ask for
)

// A stream is what a row accesses one after the other.
type stream struct {
	at     *ir.Value // the address, a value of the body
	stride int64     // in bytes from one iteration to the next
}

// streamsOf returns the streams of a task whose rows are to be cut into strips, else nil.
func (f *function) streamsOf(t *ir.Task, extent int64) []stream {
	if f.m.opts.Without.Has(option.Prefetch|option.Vectors) || f.m.opts.VectorBits == 0 || len(t.Lists) > 0 || extent >= 0 && extent < leastStreamRow {
		return nil
	}
	var streams []stream
	size, loops := 0, false
	known := map[stream]bool{}
	strides := ir.StridesOf(t)
	ir.Visit(t.Body, func(o *ir.Op) bool {
		size++
		loops = loops || o.Code.Is(ir.Loop) || o.Code == ir.OpPoll || o.Code == ir.OpPrefetch
		return !loops
	})
	if loops {
		return nil
	}
	bytes, widest := int64(0), int64(0) // of an iteration
	for _, o := range t.Body.Ops {
		if o.Code != ir.OpLoad && o.Code != ir.OpStore || o.Args[0].Type.Lanes > 1 || !f.shared(o.Args[0]) {
			continue
		}
		stride, ok := strides.Of(o.Args[0])
		if !ok || stride <= 0 || stride > 64 {
			continue
		}
		root, _ := ir.FixedOffset(o.Args[0])
		if whole := (stream{root, stride}); !known[whole] { // components of an element share lines
			known[whole] = true
			streams = append(streams, stream{o.Args[0], stride})
			bytes, widest = bytes+stride, max(widest, stride)
		}
	}
	least := opsPerStream
	if len(f.windows) > 0 {
		least = opsPerStreamed
	}
	if bytes*stripLengthOf(widest)/64 > mostStreamLines || size < least*len(streams) {
		return nil
	}
	return streams
}

// stripLengthOf returns how many iterations a strip has, by the stride of its widest stream. Strips of fewer bytes end
// before the processor has got far ahead: 256 iterations of u16 took an eighth longer than 512.
func stripLengthOf(widest int64) int64 {
	return max(stripIterations, stripBytes/max(widest, 1))
}

// strips writes a row from offset begin to offset end as strips of the loop, and goes to after. Each
// begins with prefetches of what the next accesses in the streams, and ends with the copying of what
// was stored in the windows.
func (f *function) strips(t *ir.Task, d dim, streams []stream, begin, end string, after *block) {
	strip, next, again := f.block("strip"), f.block("stripend"), f.block("stripnext")
	from := f.phi(strip, "i64")
	f.jump(strip, begin)
	f.cur = strip
	widest := int64(0)
	for _, s := range streams {
		widest = max(widest, s.stride)
	}
	length := stripLengthOf(widest)
	ahead := ""
	if len(f.windows) > 0 {
		length, ahead = f.openWindows(t, d, from.name)
	} else {
		ahead = f.inst("add i64 %s, %d", from.name, length)
	}
	more := f.inst("icmp slt i64 %s, %s", ahead, end)
	to := f.inst("select i1 %s, i64 %s, i64 %s", more, ahead, end)
	for _, s := range streams {
		f.askAhead(t, d, s, to, length)
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
