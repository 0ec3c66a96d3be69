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
	stripIterations = 256  // of a strip: a kilobyte of f32
	leastStreamRow  = 2048 // iterations of a row that is worth cutting
	opsPerStream    = 32   // fewer ops than that for each stream are little to compute
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
	s := strider{index: t.Body.Params[len(t.Dims)-1], inside: insideOf(t.Body), strides: map[*ir.Value]int64{}}
	ir.Visit(t.Body, func(o *ir.Op) bool {
		size++
		loops = loops || o.Code.Is(ir.Loop) || o.Code == ir.OpPoll || o.Code == ir.OpPrefetch
		return !loops
	})
	if loops {
		return nil
	}
	lines := int64(0)
	for _, o := range t.Body.Ops {
		if o.Code != ir.OpLoad && o.Code != ir.OpStore || o.Args[0].Type.Lanes > 1 || !f.shared(o.Args[0]) {
			continue
		}
		stride, ok := s.of(o.Args[0])
		if !ok || stride <= 0 || stride > 64 {
			continue
		}
		if whole := (stream{rootOf(o.Args[0]), stride}); !known[whole] { // components of an element share lines
			known[whole] = true
			streams = append(streams, stream{o.Args[0], stride})
			lines += stripIterations * stride / 64
		}
	}
	if lines > mostStreamLines || size < opsPerStream*len(streams) {
		return nil
	}
	return streams
}

// insideOf is the set of ops of b itself.
func insideOf(b *ir.Block) map[*ir.Op]bool {
	inside := make(map[*ir.Op]bool, len(b.Ops))
	for _, o := range b.Ops {
		inside[o] = true
	}
	return inside
}

// rootOf is an address without the constants that are added to it.
func rootOf(v *ir.Value) *ir.Value {
	for v.Def != nil && v.Def.Code == ir.OpOffset {
		if _, constant := ir.IntOf(v.Def.Args[1]); !constant {
			break
		}
		v = v.Def.Args[0]
	}
	return v
}

// A strider finds by how much values of a body change from one iteration to the next.
type strider struct {
	index   *ir.Value
	inside  map[*ir.Op]bool // what may change from one iteration to the next
	strides map[*ir.Value]int64
}

// of returns the change of v, if that is constant and v follows from the index by arithmetic.
func (s *strider) of(v *ir.Value) (stride int64, ok bool) {
	o := v.Def
	switch {
	case v == s.index:
		return 1, true
	case !s.inside[o]: // an index of an outer dimension, or a value of the prologue
		return 0, true
	}
	if d, known := s.strides[v]; known {
		return d, true
	}
	if !o.Code.Is(ir.Pure) || len(o.Regions) > 0 || len(o.Args) > 2 {
		return 0, false
	}
	var d [2]int64
	for i, a := range o.Args {
		if d[i], ok = s.of(a); !ok {
			return 0, false
		}
	}
	switch o.Code {
	case ir.OpAdd, ir.OpOffset:
		stride = d[0] + d[1]
	case ir.OpSub:
		stride = d[0] - d[1]
	case ir.OpConvert:
		stride = d[0]
	case ir.OpMul:
		n, constant := ir.IntOf(o.Args[1])
		if d[1] != 0 || d[0] != 0 && !constant {
			return 0, false
		}
		stride = d[0] * n
	default:
		if d != [2]int64{} {
			return 0, false
		}
	}
	s.strides[v] = stride
	return stride, true
}

// strips writes a row from offset begin to offset end as strips of the loop, and goes to after.
func (f *function) strips(t *ir.Task, d dim, streams []stream, begin, end string, after *block) {
	strip, next, again := f.block("strip"), f.block("stripend"), f.block("stripnext")
	from := f.phi(strip, "i64")
	f.jump(strip, begin)
	f.cur = strip
	ahead := f.inst("add i64 %s, %d", from.name, stripIterations)
	more := f.inst("icmp slt i64 %s, %s", ahead, end)
	to := f.inst("select i1 %s, i64 %s, i64 %s", more, ahead, end)
	for _, s := range streams {
		f.askAhead(t, d, s, to)
	}
	f.iterations(t, d, from.name, to, next)
	f.enter(next)
	f.branch(more, again, after)
	f.cur = again
	f.jump(strip, to)
}

// askAhead asks for the lines that a strip from offset from on accesses in a stream.
func (f *function) askAhead(t *ir.Task, d dim, s stream, from string) {
	index := t.Body.Params[len(t.Dims)-1]
	f.values[index] = f.narrow(d.kind, f.plus(d, from))
	c, inside := ir.NewCloner(nil), insideOf(t.Body)
	var copied func(v *ir.Value) *ir.Value
	copied = func(v *ir.Value) *ir.Value {
		if o := v.Def; inside[o] && c.Values[v] == nil {
			for _, a := range o.Args {
				copied(a)
			}
			f.op(c.Op(o))
		}
		return c.Value(v)
	}
	p := f.use(copied(s.at))
	f.m.declare("void", "llvm.prefetch.p0", []string{"ptr", "i32", "i32", "i32"})
	for at := int64(0); at < stripIterations*s.stride; at += 64 {
		line := f.inst("getelementptr i8, ptr %s, i64 %d", p, at)
		f.do("call void @llvm.prefetch.p0(ptr %s, i32 0, i32 3, i32 1)", line)
	}
}
