package gradient

import (
	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/variant"
)

// The second run of a checkpoint must launch what the first run launched. Each launch is noted with its variant, which
// stands for the kernel, its compile-time arguments, the host's constants and the fields that the host's pointers led
// to. The second run takes the variants of the first, so that constants and pointers that the program has changed
// since are as they were. What the function says by itself, the kernels and their arguments, is compared.

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
