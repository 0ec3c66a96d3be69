package variant

import (
	"context"

	"github.com/gotaichi/ti/internal/job"
	"github.com/gotaichi/ti/internal/launch"
)

// A Concurrent is launches of one kernel as a machine runs them concurrently with others (launch.Schedule). The caller of its methods holds the
// launch lock, or is the queue.
type Concurrent struct {
	of     *Variant
	linked *Linked // nil for a launch by itself
}

// Concurrent returns a launch of v by itself. Kernel is its descriptor.
func (v *Variant) Concurrent() Concurrent { return Concurrent{of: v} }

// Concurrent returns the launches that are linked.
func (l *Linked) Concurrent() Concurrent { return Concurrent{of: l.parts[0], linked: l} }

// Layout is where the fields of the kernel lie, by their names in it.
func (c *Concurrent) Layout() job.Layout {
	if c.linked != nil {
		return c.linked.Layout
	}
	return c.of.Scope.Layout
}

// Launcher is what the machine launches; nil where kernels are interpreted.
func (c *Concurrent) Launcher() launch.Launcher {
	if c.linked != nil {
		return c.linked.code
	}
	return c.of.Exe.launcher()
}

// Set gives a part its arguments, and the number of its launch.
func (c *Concurrent) Set(part int, args []uint64, number uint64) {
	if c.linked != nil {
		c.linked.Set(part, args, number)
		return
	}
	copy(c.of.Frame.Args, args)
}

// SetAll gives all parts their arguments, which lie behind each other in args. It reports false, and has done nothing, if each part is to be given its own.
func (c *Concurrent) SetAll(args []uint64) bool { return c.linked != nil && c.linked.setAll(args) }

// Ended returns the error of launches that have ended so, and the number of the one that failed among them.
func (c *Concurrent) Ended(ctx context.Context, end *launch.End) (part int, err error) {
	v, sites := c.of, func() []launch.Site { return c.of.Descriptor().Sites }
	if l := c.linked; l != nil {
		if part = end.Part; end.Err == nil && end.Fault != nil {
			part = end.Fault.Part
		}
		v, sites = l.parts[part], func() []launch.Site { return l.Kernel.Sites }
	}
	switch {
	case end.Err != nil:
		return part, v.ended(ctx, end.Err)
	case end.Fault != nil:
		return part, failureOf(v.Kernel.Name, sites(), c.Launcher().Args(), end.Fault)
	}
	return part, nil
}
