package llvm

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/launch"
)

// poll writes a return from the function if the stop word is set. Another thread sets the
// word, so that each poll must load it anew: the load is atomic, and monotonic because it
// orders no other access.
func (f *function) poll() {
	if f.stopped == nil {
		f.stopped = f.block("stopped")
		here := f.cur
		f.cur = f.stopped
		f.stop()
		f.cur = here
	}
	word := f.inst("load atomic i32, ptr %s monotonic, align 4", f.context(launch.CtxStop))
	set := f.inst("icmp ne i32 %s, 0", word)
	on := f.block("on")
	f.weighed(set, f.stopped, on, f.m.hardlyEver())
	f.cur = on
}

// polls reports whether fn, or a function that it calls, polls. Such a function takes the
// context as its last parameter.
func (m *module) polls(fn *ir.Func) bool {
	known, ok := m.polling[fn]
	if ok {
		return known
	}
	ir.Visit(fn.Body, func(o *ir.Op) bool {
		known = known || o.Code == ir.OpPoll || o.Code == ir.OpCall && m.polls(o.Func)
		return !known
	})
	m.polling[fn] = known
	return known
}
