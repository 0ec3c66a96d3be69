package variant

import (
	"github.com/gotaichi/ti/internal/front"
	"github.com/gotaichi/ti/internal/option"
)

// options are those for code that reads extents at launch as late says.
func (v *Variant) options(late map[string]string) *front.Options {
	o := v.optionsAsked(late)
	if v.reduced.Load() {
		o.Without = option.All
	}
	return o
}

// optionsAsked are the same as the program has them, whatever the compiler can do.
func (v *Variant) optionsAsked(late map[string]string) *front.Options {
	m := v.Kernel.Program.Maker
	o := &front.Options{Options: m.Opt.Compiler(), Compiler: m.Exec.compiler(), Slots: m.Slots, Time: m.Opt.Time, Late: late, Flows: v.noteFlows, Followers: v.followers()}
	o.Strict = o.Strict || v.isComparedAgain()
	o.Gradient = v.Kernel.Program.Maker.judge != nil
	v.Role.compile(o)
	return o
}
