package llvm

import (
	"fmt"
	"strings"

	"github.com/gotaichi/ti/internal/ir"
)

// record translates record: a call of a function out of the way, which appends to
// the buffer of the thread.
func (f *function) record(o *ir.Op) {
	name := fmt.Sprintf("record.%d", len(o.Args))
	f.m.helper(name, func() string { return recordText(name, len(o.Args)) })
	call := fmt.Sprintf("call void @%s(ptr %s, i64 %d", name, f.context(CtxText), o.Aux|int64(len(o.Args))<<32)
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
  %%room = sub i64 %%stop, %%start
  %%fits = icmp uge i64 %%room, %d
  br i1 %%fits, label %%write, label %%full
write:
  store i64 %%head, ptr %%next, align 8
%s  %%after = getelementptr inbounds i8, ptr %%next, i64 %d
  store ptr %%after, ptr %%text, align 8
  ret void
full:
  %%count = getelementptr inbounds i8, ptr %%text, i64 %d
  %%n = load i64, ptr %%count, align 8
  %%more = add i64 %%n, 1
  store i64 %%more, ptr %%count, align 8
  ret void
}

`, name, params.String(), TextEnd, 8*(n+1), stores.String(), 8*(n+1), TextLost)
}
