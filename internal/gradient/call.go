package gradient

import (
	"fmt"
	"slices"

	"github.com/gotaichi/ti/internal/variant"
)

// A call is something that a run of a checkpoint's function did: a launch, or the begin or end of CustomGrad or
// Checkpoint.
type call struct {
	variant  *variant.Variant // that was launched; nil for anything else
	event    string           // what else it was
	args     []uint64
	topology []topologyVersion // of the launch in the very first run
}

// String is how messages call it.
func (c *call) String() string {
	if c.variant == nil {
		return c.event
	}
	return c.variant.Kernel.Name
}

// numbered is String with the number of the launch that the call is, or that comes next.
func (c *call) numbered(n int) string {
	if c.variant == nil {
		return fmt.Sprintf("%s before launch %d", c, n)
	}
	return fmt.Sprintf("launch %d, %s,", n, c)
}

// differs says how a call differs from the one that should be like it; "" if they are alike.
func (was *call) differs(is *call) string {
	switch {
	case was.String() != is.String() || (was.variant == nil) != (is.variant == nil):
		return "is " + is.String()
	case was.variant == nil || was.variant == is.variant && slices.Equal(was.args, is.args):
		return ""
	case was.variant.Kernel != is.variant.Kernel:
		return "is a kernel of another program"
	}
	for i := range min(len(was.variant.Static), len(is.variant.Static)) {
		a, b := &was.variant.Static[i], &is.variant.Static[i]
		if a.Same(b) {
			continue
		}
		what := was.variant.Kernel.Template.Params[a.Param].Name
		if a.Core != nil && b.Core != nil {
			return fmt.Sprintf("has %s for %s, which was %s,", b.Core.Name(), what, a.Core.Name())
		}
		return fmt.Sprintf("has another value for %s", what)
	}
	if !slices.Equal(was.args, is.args) {
		return "has other arguments"
	}
	return "has other constants or fields, since several goroutines launch"
}
