package session

import (
	"io"

	"github.com/gotaichi/ti/internal/flow"
	"github.com/gotaichi/ti/internal/observe"
	"github.com/gotaichi/ti/internal/store"
)

// Count runs f and counts what fields hold and what kernels store in them meanwhile.
func (rt *Runtime) Count(f func() error, fields []*store.Field) ([]observe.FieldCount, error) {
	if err := rt.usable("Ranges"); err != nil {
		return nil, err
	}
	return observe.Count(&rt.way, f, fields)
}

// Profile runs f and returns the time of each task in the launches made meanwhile, the longest
// total first, together with the error of f.
func (rt *Runtime) Profile(f func() error) ([]observe.TaskTime, error) {
	if err := rt.usable("Profile"); err != nil {
		return nil, err
	}
	return observe.Profile(rt.maker, f)
}

// Trace is [Runtime.Profile] that also writes which thread ran what and when.
func (rt *Runtime) Trace(w io.Writer, f func() error) ([]observe.TaskTime, error) {
	if err := rt.usable("Profile"); err != nil {
		return nil, err
	}
	return observe.Trace(rt.maker, w, f)
}

// WriteGraph runs f, whose launches are queued, and writes the state-flow graph of their batches.
func (rt *Runtime) WriteGraph(w io.Writer, f func() error) error {
	if err := rt.usable("WriteGraph"); err != nil {
		return err
	}
	return rt.way.WriteGraph(w, f)
}

// Plan records the launches that f makes.
func (rt *Runtime) Plan(f func()) (*flow.Plan, error) {
	if err := rt.usable("Plan"); err != nil {
		return nil, err
	}
	return rt.way.Plan(f)
}
