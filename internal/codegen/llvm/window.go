package llvm

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/target"
)

// Stores with the flag Streamed go past the caches: what would be written to a line of memory is not
// read into them first. Processors do so with aligned vectors that fill a line one right after the
// other. LLVM's vectoriser makes no such vectors, since it does not know where a line begins, so the
// loop stores to a local array (a window of the memory) that stays in the first cache. Rows are cut
// into strips that end where lines do, and after each strip its window is copied to the memory, whole
// lines past the caches, and pieces of lines at the ends of a row as usual.
const (
	windowBytes     = 1024 // of a strip
	askingBytes     = 512  // of a strip of narrow elements whose copying asks for lines: the requests are to be spread
	leastIterations = 8    // of a strip, where an iteration fills many bytes
	rowsAhead       = 2    // at which pieces of lines are asked for
	mostAsked       = 4    // lines that are asked for while one is copied
)

// A window stands for memory while a strip fills it.
type window struct {
	ir.Fill
	length int64    // iterations of a strip, of the first window
	beside []stream // of which lines are asked for while the first window is copied
	array  string   // of a strip, and one line
	to     string   // where the strip begins in memory
	at     string   // and in the array: as far from the begin of a line
	first  string   // the index of the strip's first iteration, an i64
	exact  string   // the no-wrap flag of the difference of indices
	asked  []line   // while it is copied
}

// A line is the first that the copying of a window asks for in a stream, and how many bytes the one is from it that
// belongs to the next line of the window.
type line struct {
	at   string
	step int64
}

// windowsOf makes the windows of the memory that t streams to.
func (f *function) windowsOf(t *ir.Task) []*window {
	if f.m.opts.Without.Has(option.Stream|option.Vectors) || f.m.opts.VectorBits == 0 || !f.m.opts.Provides(target.Streams) {
		return nil
	}
	var windows []*window
	for _, s := range ir.FillsOf(t, func(o *ir.Op) bool { return o.Flags.Has(ir.Streamed) }) {
		windows = append(windows, &window{Fill: s})
	}
	if len(windows) == 0 {
		return nil
	}
	bytes := int64(windowBytes)
	if windows[0].beside = f.streamsBeside(t, windows); windows[0].Stride <= 8 && len(windows[0].beside) > 0 {
		bytes = askingBytes
	}
	windows[0].length = max(bytes/windows[0].Stride, leastIterations)
	for _, w := range windows {
		w.array = f.name()
		size := windows[0].length*w.Stride + target.LineBytes
		if f.locals += size; f.locals > MaxLocal {
			return nil
		}
		fmt.Fprintf(&f.allocas, "  %s = alloca [%d x i8], align %d\n", w.array, size, target.LineBytes)
	}
	return windows
}

// askForPieces asks for the lines that hold the ends of the row after the next one. They are stored to in
// part, so they are read first, and all later stores wait for that.
func (f *function) askForPieces(t *ir.Task, dims []dim, index []string, begin, end string) {
	if len(f.windows) == 0 || len(index) == 0 {
		return
	}
	last := len(index) - 1
	outer, d := t.Body.Params[last], dims[last+1]
	here := f.values[outer]
	f.values[outer] = f.narrow(dims[last].kind, f.inst("add i64 %s, %d", index[last], rowsAhead))
	f.m.declare("void", "llvm.prefetch.p0", []string{"ptr", "i32", "i32", "i32"})
	for _, w := range f.windows {
		for _, at := range []string{begin, end} {
			p := f.inst("getelementptr i8, ptr %s, i64 %d", f.addressAt(t, d, w.Root, at), w.Low)
			f.do("call void @llvm.prefetch.p0(ptr %s, i32 1, i32 3, i32 1)", p)
		}
	}
	f.values[outer] = here
}

// openWindows places the windows for a strip from offset from on. It returns the offset at which the strip
// ends: where a line does, in the first window.
func (f *function) openWindows(t *ir.Task, d dim, from string) (end string) {
	first := f.plus(d, from)
	for i, w := range f.windows {
		p := f.addressAt(t, d, w.Root, from)
		w.to = f.inst("getelementptr inbounds i8, ptr %s, i64 %d", p, w.Low)
		inLine := f.inst("and i64 %s, %d", f.inst("ptrtoint ptr %s to i64", w.to), target.LineBytes-1)
		w.at = f.inst("getelementptr inbounds i8, ptr %s, i64 %s", w.array, inLine)
		w.first, w.exact = first, d.exact()
		if i == 0 {
			over := f.inst("udiv i64 %s, %d", inLine, w.Stride)
			end = f.inst("sub i64 %s, %s", f.inst("add i64 %s, %d", from, w.length), over)
		}
	}
	return end
}

// linesAhead returns the lines that the copying of the first window asks for, of a strip that ends at offset to.
func (f *function) linesAhead(t *ir.Task, d dim, to string) (lines []line) {
	stride := f.windows[0].Stride
	for _, s := range f.windows[0].beside {
		if len(lines) < mostAsked {
			first := f.addressAt(t, d, s.at, f.inst("add i64 %s, %d", to, bytesAhead/s.stride))
			lines = append(lines, line{first, target.LineBytes * s.stride / stride})
		}
	}
	return lines
}

// windowOf returns the window that a store belongs to, or nil.
func windowOf(windows []*window, o *ir.Op) *window {
	for _, w := range windows {
		if slices.Contains(w.Stores, o) {
			return w
		}
	}
	return nil
}

// storeToWindow writes a store to the window that it belongs to, if there is one.
func (f *function) storeToWindow(o *ir.Op) bool {
	w := windowOf(f.windows, o)
	if w == nil {
		return false
	}
	index := f.task.Body.Params[len(f.task.Dims)-1]
	n := f.convert(index.Type, ir.Scalar(ir.I64), f.use(index))
	passed := f.inst("mul nuw nsw i64 %s, %d", f.inst("sub %s i64 %s, %s", w.exact, n, w.first), w.Stride)
	_, off := ir.FixedOffset(o.Args[0])
	own := f.inst("getelementptr inbounds i8, ptr %s, i64 %s", w.at, passed)
	p := &ir.Value{Type: ir.Scalar(ir.Ptr)}
	f.values[p] = f.inst("getelementptr inbounds i8, ptr %s, i64 %d", own, off-w.Low)
	f.store(o.Args[1].Type, p, f.use(o.Args[1]), "", f.marks(o))
	return true
}

// storeLines writes a store past the caches that needs no window, as it fills whole lines by itself.
func (f *function) storeLines(o *ir.Op) bool {
	if !o.Flags.Has(ir.Streamed) || !ir.FillsLines(o, target.LineBytes) || f.m.opts.VectorBits == 0 || !f.m.opts.Provides(target.Streams) {
		return false
	}
	t := o.Args[1].Type
	f.do("store %s %s, ptr %s, align %d, !nontemporal %s", memTyp(t), f.use(o.Args[1]), f.use(o.Args[0]), target.LineBytes, f.m.pastCaches())
	f.streamed = true
	return true
}

// closeWindow copies what the iterations from one offset to another have stored.
func (f *function) closeWindow(w *window, from, to string) {
	i64 := ir.Scalar(ir.I64)
	n := f.intrinsic(i64, "llvm.smax.i64", i64, f.inst("sub nsw i64 %s, %s", to, from), "0")
	size := f.inst("mul nuw nsw i64 %s, %d", n, w.Stride)
	name, asked := "stream", ""
	if n := len(w.asked); n > 0 {
		name = fmt.Sprint(name, n)
		f.m.declare("void", "llvm.prefetch.p0", []string{"ptr", "i32", "i32", "i32"})
	}
	for _, l := range w.asked {
		asked += fmt.Sprintf(", ptr %s, i64 %d", l.at, l.step)
	}
	f.m.helper(name, func() string { return f.m.streamHelper(name, len(w.asked)) })
	f.do("call void @%s(ptr %s, ptr %s, i64 %s%s)", name, w.to, w.at, size, asked)
}

// orderStreamed makes what was streamed visible before what the thread stores from here on, by which
// others learn that the task has ended.
func (f *function) orderStreamed() {
	if (len(f.windows) > 0 || f.streamed) && f.cur != nil {
		f.m.declare("void", "llvm.x86.sse.sfence", nil)
		f.do("call void @llvm.x86.sse.sfence()")
	}
}

// streamHelper is the text of the function that copies bytes between places as far from the begin of a
// line: what comes before the first whole line, the lines, and what comes after the last. For each whole line it asks
// for as many other ones as asked says.
func (m *module) streamHelper(name string, asked int) string {
	vector := min(m.opts.VectorBits/8, target.LineBytes)
	var params, phis, ask strings.Builder
	for i := range asked {
		fmt.Fprintf(&params, ", ptr %%first.%[1]d, i64 %%step.%[1]d", i)
		fmt.Fprintf(&phis, "  %%ahead.%[1]d = phi ptr [ %%first.%[1]d, %%before.next.1 ], [ %%ahead.next.%[1]d, %%copy ]\n", i)
		fmt.Fprintf(&ask, "  call void @llvm.prefetch.p0(ptr %%ahead.%[1]d, i32 0, i32 3, i32 1)\n"+
			"  %%ahead.next.%[1]d = getelementptr i8, ptr %%ahead.%[1]d, i64 %%step.%[1]d\n", i)
	}
	return fmt.Sprintf(windowText, target.LineBytes-1, m.copyPiece("before", "%to", "%from", "%before"), phis.String(), ask.String()+m.copyLine(vector),
		target.LineBytes, m.copyPiece("after", "%tail", "%tail.from", "%after"), name, params.String())
}

// pastCaches is the metadata of a store past the caches.
func (m *module) pastCaches() string {
	if m.past == "" {
		m.past = m.node("!{i32 1}")
	}
	return m.past
}

// copyLine is code that copies the line at %line.from to %line past the caches, in vectors of so many bytes.
func (m *module) copyLine(vector int) string {
	past := m.pastCaches()
	var loads, stores strings.Builder
	for at := 0; at < target.LineBytes; at += vector {
		fmt.Fprintf(&loads, `  %%from.%[1]d = getelementptr inbounds i8, ptr %%line.from, i64 %[1]d
  %%to.%[1]d = getelementptr inbounds i8, ptr %%line, i64 %[1]d
  %%v.%[1]d = load <%[2]d x float>, ptr %%from.%[1]d, align %[3]d
`, at, vector/4, vector)
		fmt.Fprintf(&stores, "  store <%[2]d x float> %%v.%[1]d, ptr %%to.%[1]d, align %[3]d, !nontemporal %[4]s\n", at, vector/4, vector, past)
	}
	return loads.String() + stores.String()
}

// copyPiece is code that copies a piece of a line, size bytes: for each bit of size as many bytes as it stands for.
func (m *module) copyPiece(label, to, from, size string) string {
	var text strings.Builder
	for n := target.LineBytes / 2; n > 0; n /= 2 {
		fmt.Fprintf(&text, `  %%%[1]s.bit.%[2]d = and i64 %[5]s, %[2]d
  %%%[1]s.set.%[2]d = icmp ne i64 %%%[1]s.bit.%[2]d, 0
  br i1 %%%[1]s.set.%[2]d, label %%%[1]s.copy.%[2]d, label %%%[1]s.next.%[2]d
%[1]s.copy.%[2]d:
  %%%[1]s.at.%[2]d = and i64 %[5]s, %[6]d
  %%%[1]s.from.%[2]d = getelementptr inbounds i8, ptr %[4]s, i64 %%%[1]s.at.%[2]d
  %%%[1]s.to.%[2]d = getelementptr inbounds i8, ptr %[3]s, i64 %%%[1]s.at.%[2]d
  %%%[1]s.v.%[2]d = load i%[7]d, ptr %%%[1]s.from.%[2]d, align 1
  store i%[7]d %%%[1]s.v.%[2]d, ptr %%%[1]s.to.%[2]d, align 1
  br label %%%[1]s.next.%[2]d
%[1]s.next.%[2]d:
`, label, n, to, from, size, -2*n, 8*n)
	}
	return text.String()
}

// Operands: 1 mask of a place in a line, 2 copy of what is before the lines, 3 lines asked for, 4 copy of a line, 5 bytes of
// a line, 6 copy of what is after them, 7 name, 8 further parameters.
const windowText = `define internal void @%[7]s(ptr nocapture writeonly %%to, ptr nocapture readonly %%from, i64 %%size%[8]s) #0 noinline {
entry:
  %%address = ptrtoint ptr %%to to i64
  %%negative = sub i64 0, %%address
  %%gap = and i64 %%negative, %[1]d
  %%short = icmp ult i64 %%size, %%gap
  %%before = select i1 %%short, i64 %%size, i64 %%gap
%[2]s  %%rest = sub i64 %%size, %%before
  %%after = and i64 %%rest, %[1]d
  %%whole = sub i64 %%rest, %%after
  %%lines = getelementptr inbounds i8, ptr %%to, i64 %%before
  %%lines.from = getelementptr inbounds i8, ptr %%from, i64 %%before
  %%tail = getelementptr inbounds i8, ptr %%lines, i64 %%whole
  %%tail.from = getelementptr inbounds i8, ptr %%lines.from, i64 %%whole
  %%some = icmp ne i64 %%whole, 0
  br i1 %%some, label %%copy, label %%end
copy:
  %%line = phi ptr [ %%lines, %%before.next.1 ], [ %%line.next, %%copy ]
  %%line.from = phi ptr [ %%lines.from, %%before.next.1 ], [ %%line.from.next, %%copy ]
%[3]s%[4]s  %%line.next = getelementptr inbounds i8, ptr %%line, i64 %[5]d
  %%line.from.next = getelementptr inbounds i8, ptr %%line.from, i64 %[5]d
  %%more = icmp ne ptr %%line.next, %%tail
  br i1 %%more, label %%copy, label %%end
end:
%[6]s  ret void
}

`
