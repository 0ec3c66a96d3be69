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

// takesContext reports whether fn takes the context as its last parameter.
func (m *module) takesContext(fn *ir.Func) bool { return m.polls(fn) || m.asksWorker(fn) }

// asksWorker reports whether fn, or a function that it calls, asks for the number of the
// thread.
func (m *module) asksWorker(fn *ir.Func) bool { return m.contains(fn, m.asking, ir.OpWorker) }

// polls reports whether fn, or a function that it calls, polls.
func (m *module) polls(fn *ir.Func) bool { return m.contains(fn, m.polling, ir.OpPoll) }

// contains reports whether an op with a code stands in fn or in a function that it calls.
func (m *module) contains(fn *ir.Func, known map[*ir.Func]bool, code ir.Code) bool {
	found, ok := known[fn]
	if ok {
		return found
	}
	ir.Visit(fn.Body, func(o *ir.Op) bool {
		found = found || o.Code == code || o.Code == ir.OpCall && m.contains(o.Func, known, code)
		return !found
	})
	known[fn] = found
	return found
}
