package llvm

import (
	"fmt"
	"strings"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/site"
)

// record translates record: a call of a function out of the way, which appends to
// the buffer of the thread.
func (f *function) record(o *ir.Op) {
	name, text := fmt.Sprintf("record.%d", len(o.Args)), recordText
	if sites := f.m.k.Sites; int(o.Aux) < len(sites) && sites[o.Aux].Kind == site.Print {
		name, text = fmt.Sprintf("print.%d", len(o.Args)), printText
	}
	f.m.helper(name, func() string { return text(name, len(o.Args)) })
	call := fmt.Sprintf("call void @%s(ptr %s, i64 %d", name, f.context(launch.CtxText), int64(f.signature.Site(o.Aux))|int64(len(o.Args))<<32)
	for _, v := range o.Args {
		call += ", i64 " + f.word(v)
	}
	f.do("%s)", call)
}

// word is v as a word with its bits: an integer extended, a float as it is.
func (f *function) word(v *ir.Value) string {
	t, s := v.Type, f.use(v)
	if t.Kind.IsFloat() {
		bits := fmt.Sprintf("i%d", t.Kind.Bits())
		s = f.inst("bitcast %s %s to %s", typ(t), s, bits)
		if t.Kind.Bits() < 64 {
			s = f.inst("zext %s %s to i64", bits, s)
		}
		return s
	}
	return f.convert(t, ir.Scalar(ir.I64), s)
}

// recordText is the function that appends a record of n values, or counts it where
// there is no room.
func recordText(name string, n int) string {
	return appendText(name, n, launch.TextEnd, fmt.Sprintf(`  %%count = getelementptr inbounds i8, ptr %%text, i64 %d
  %%n = load i64, ptr %%count, align 8
  %%more = add i64 %%n, 1
  store i64 %%more, ptr %%count, align 8
`, launch.TextLost))
}

// printText is recordText for a record of printing, which may be dropped. The first value
// is the number of the iteration. After the first dropped record all others are dropped,
// even short ones that would fit: so the text kept of an iteration has no gaps.
func printText(name string, n int) string {
	return appendText(name, n, launch.TextStop, fmt.Sprintf(`  store ptr null, ptr %%at, align 8
  %%count = getelementptr inbounds i8, ptr %%text, i64 %d
  %%n = load i64, ptr %%count, align 8
  %%more = add i64 %%n, 1
  store i64 %%more, ptr %%count, align 8
  %%firstat = getelementptr inbounds i8, ptr %%text, i64 %d
  %%first = load i64, ptr %%firstat, align 8
  %%earlier = icmp ult i64 %%a0, %%first
  %%least = select i1 %%earlier, i64 %%a0, i64 %%first
  store i64 %%least, ptr %%firstat, align 8
`, launch.TextDrops, launch.TextFirst))
}

// appendText is a function that appends a record of n values to the buffer. Offset end
// of the buffer holds the address that the record must not reach beyond; if it would, the
// function runs the code full instead. The address may lie before the next record, so the
// end of the record is compared and not the room that is left.
func appendText(name string, n int, end int64, full string) string {
	var params, stores strings.Builder
	for i := range n {
		fmt.Fprintf(&params, ", i64 %%a%d", i)
		fmt.Fprintf(&stores, "  %%p%d = getelementptr inbounds i8, ptr %%next, i64 %d\n  store i64 %%a%d, ptr %%p%d, align 8\n", i, 8*(i+1), i, i)
	}
	return fmt.Sprintf(`define internal void @%s(ptr %%text, i64 %%head%s) #2 {
entry:
  %%next = load ptr, ptr %%text, align 8
  %%at = getelementptr inbounds i8, ptr %%text, i64 %d
  %%end = load ptr, ptr %%at, align 8
  %%start = ptrtoint ptr %%next to i64
  %%stop = ptrtoint ptr %%end to i64
  %%behind = add i64 %%start, %d
  %%fits = icmp ule i64 %%behind, %%stop
  br i1 %%fits, label %%write, label %%full
write:
  store i64 %%head, ptr %%next, align 8
%s  %%after = getelementptr inbounds i8, ptr %%next, i64 %d
  store ptr %%after, ptr %%text, align 8
  ret void
full:
%s  ret void
}

`, name, params.String(), end, 8*(n+1), stores.String(), 8*(n+1), full)
}
