package variant

import (
	"maps"
	"slices"

	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/job"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/store"
)

// Queued is what the queue of launches (package batch) keeps of a variant. The launch lock guards it, also where kernels run.
type Queued struct {
	Known   bool   // what follows has been found
	Never   string // why no launch can be queued, as in "has results"; "" if they can
	Sparse  bool   // it uses sparse fields
	Slots   int    // of the arguments
	Tasks   int    // that a launch runs
	Ranges  []int  // those of the arguments from which ranges of its loops follow
	Handed  uint64 // [store.Store.Handed] when Shares was found
	Shares  bool   // the host has memory of one of its fields
	Bypass  uint64 // the round of the queue's bypass in which a launch was queued last; 0 for none
	Guarded uint64 // the period of the queue in which its fields were guarded
}

// Queue returns what the queue keeps, found at the first call. The variant is compiled, and the caller holds the launch lock.
func (v *Variant) Queue() *Queued {
	if q := &v.queued; q.Known && q.Handed == v.Kernel.Program.Maker.Store.Handed() {
		return q
	}
	return v.findQueued()
}

// Queued is what Queue has returned.
func (v *Variant) Queued() *Queued { return &v.queued }

func (v *Variant) findQueued() *Queued {
	q, m := &v.queued, v.Kernel.Program.Maker
	if !q.Known {
		plan := v.Plan()
		plainly := false
		switch role := v.Role.(type) {
		case plain, unshipped:
			plainly = true
		case *derivative:
			plainly = role.Mode == job.Reverse || role.Mode == job.Reverse.With(true, false)
		}
		*q = Queued{Known: true, Sparse: len(plan.Sparse) > 0, Slots: plan.Slots, Tasks: v.Exe.tasks(), Guarded: ^uint64(0), Handed: ^uint64(0)}
		if d := v.Exe.descriptor(); d != nil {
			q.Ranges = slices.DeleteFunc(slices.Clone(d.Ranges), func(slot int) bool { return slot >= q.Slots })
		}
		switch {
		case len(v.Checked.Kernel(v.Kernel.Name).Results) > 0:
			q.Never = "has results"
		case len(plan.Memory) > 0:
			q.Never = "takes memory of the caller"
		case v.Exe.prints():
			q.Never = "prints"
		case !plainly || v.Kernel.Program.Instrument != nil:
			q.Never = "is observed"
		}
	}
	if now := m.Store.Handed(); now != q.Handed {
		q.Handed = now
		q.Shares = slices.ContainsFunc(v.touched(), (*store.Field).Handed)
	}
	return q
}

// Descriptor is what the machine knows of the kernel; nil where it is interpreted. The variant is compiled, and the caller holds the launch lock
// or is the queue.
func (v *Variant) Descriptor() *launch.Kernel { return v.Exe.descriptor() }

// LeaveOut has the next launch run without some of its tasks, if the machine can do that, and returns how many they are. The caller is the queue.
func (v *Variant) LeaveOut(without []bool) (tasks int) {
	l, can := v.Exe.launcher().(launch.SparingLauncher)
	if !can {
		return 0
	}
	l.LeaveOut(without)
	for i, left := range without {
		if left && !v.Exe.descriptor().Tasks[i].Helper {
			tasks++
		}
	}
	return tasks
}

// touched are the fields that launches may touch.
func (v *Variant) touched() (fields []*store.Field) {
	add := func(name string) {
		if c := v.Scope.Named(name); c != nil && !slices.Contains(fields, c) {
			fields = append(fields, c)
		}
	}
	for _, f := range v.Checked.Kernel(v.Kernel.Name).Fields {
		add(f.Name)
	}
	for _, name := range v.followers() {
		add(name)
	}
	if d := v.Role.AsDerivative(); d != nil {
		for _, names := range []map[string]string{d.Of, d.Keys, d.Dual} {
			for _, name := range slices.Sorted(maps.Values(names)) {
				add(name)
			}
		}
		add(d.Record)
	}
	return fields
}

// Follows reports whether values in trees that the kernel may not name become zero with cells that it deactivates.
func (v *Variant) Follows() bool {
	return slices.ContainsFunc(v.trees, func(t *store.Tree) bool { return t.Following() > 0 })
}

// Changes returns how often the topology of its trees has changed.
func (v *Variant) Changes() (n int64) {
	for _, t := range v.trees {
		if s := t.Sparse(); s != nil {
			n += s.Changes()
		}
	}
	return n
}

// TakesArgsAlone reports whether a launch of a derivative needs nothing that its forward launch has left but for fields and its arguments: no topology, no old
// values.
func (v *Variant) TakesArgsAlone() bool {
	d := v.Role.AsDerivative()
	return d != nil && !d.Mode.Records() && d.RecordedAt == nil && len(d.Asks) == 0
}

// Guard has the host wait for the queue before it touches an element of a tree that launches use.
func (v *Variant) Guard() {
	for _, t := range v.trees {
		t.Guard()
	}
}

// Shares reports whether launches may touch elements of a field, or of one in the same memory.
func (v *Variant) Shares(c *store.Field) bool {
	root := c.Root()
	return slices.ContainsFunc(v.touched(), func(f *store.Field) bool {
		return f.Root() == root || f.LayoutNode() != nil && f.Elem() == nil && slices.ContainsFunc(f.Trees(), func(t *store.Tree) bool { return slices.Contains(root.Trees(), t) })
	})
}

// Now returns the variant for what the host holds now, of the same kernel and compile-time arguments.
func (v *Variant) Now() (*Variant, error) {
	switch {
	case v.current() || v.Of != nil && v.Of.current():
		if slices.ContainsFunc(v.trees, (*store.Tree).Closed) {
			return nil, v.closed()
		}
		return v, nil
	case v.Of != nil:
		return nil, diag.Errorf(diag.ErrArgs, "what the host holds has changed since an adjoint of %s was recorded; make the plan again", v.Kernel.Name)
	case v.Kernel.Template != nil:
		return v.Kernel.Template.Find(v.Static)
	}
	return v.Kernel.Now()
}

// ErrClosed is the error of a launch for which the runtime, or a tree, has been closed.
func (v *Variant) ErrClosed() error { return v.closed() }
