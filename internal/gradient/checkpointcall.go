package gradient

import (
	"fmt"
	"slices"

	"github.com/gotaichi/ti/internal/variant"

	"github.com/gotaichi/ti/internal/diag"
)

// The second run of a checkpoint must launch what the first run launched. Each launch is noted with its variant, which
// stands for the kernel, its compile-time arguments, the host's constants and the fields that the host's pointers led to. The second run
// takes the variants of the first, so that constants and pointers that the program has changed since are as they were. What the
// function says by itself, the kernels and their arguments, is compared.

// A call is something that a run of a checkpoint's function did: a launch, or the begin or end of CustomGrad or Checkpoint.
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

// compares reports whether launches under t are compared with those of another run.
func (t *tape) compares() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.notes != nil
}

// noteLaunch notes a launch if a checkpoint is under way. It needs t.mu.
func (t *tape) noteLaunch(s *step) {
	if t.notes == nil {
		return
	}
	v := s.kernel()
	c := call{variant: v, args: v.PlainArgs(s.args)}
	if s.held != nil {
		c.topology = s.held.topology
	}
	if t.at < len(t.first) && t.first[t.at].variant == v && c.topology != nil {
		c.topology = t.first[t.at].topology // what nested checkpoints compare with, too
		s.held.first = c.topology
	}
	t.note(c)
}

// note adds a call if a checkpoint is under way. It needs t.mu.
func (t *tape) note(c call) {
	if t.notes != nil {
		*t.notes = append(*t.notes, c)
		t.at++
	}
}

// noteEvent is note for what is no launch.
func (t *tape) noteEvent(event string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.note(call{event: event})
}

// noteIn has what is launched noted in calls, and returns what did so before.
func (t *tape) noteIn(calls *[]call) (before *[]call) {
	t.mu.Lock()
	defer t.mu.Unlock()
	before, t.notes = t.notes, calls
	return before
}

// Expects returns the variant that the first run of a checkpoint has launched where the second launches k with these
// compile-time arguments; nil if this is no second run, or if the first one did something else.
func (t *tape) Expects(k *variant.Kernel, args []variant.Arg) *variant.Variant {
	if t.first == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.at >= len(t.first) {
		return nil
	}
	if v := t.first[t.at].variant; v != nil && v.Kernel == k && v.BoundTo(args) {
		return v
	}
	return nil
}

// sameCalls compares two runs of a function.
func sameCalls(was, is []call) error {
	launches := 0 // before call i
	for i := range max(len(was), len(is)) {
		switch {
		case i >= len(is):
			return diag.Errorf(diag.ErrAccess, "the second run of a checkpoint ends before %s", was[i].numbered(launches+1))
		case i >= len(was):
			return diag.Errorf(diag.ErrAccess, "the second run of a checkpoint comes to %s after all that the first one launched", is[i].numbered(launches+1))
		}
		if why := was[i].differs(&is[i]); why != "" {
			return diag.Errorf(diag.ErrAccess, "%s of a checkpoint %s in the second run", was[i].numbered(launches+1), why)
		}
		if was[i].variant != nil {
			launches++
		}
	}
	return nil
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
