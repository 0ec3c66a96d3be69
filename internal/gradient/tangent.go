package gradient

import (
	"context"

	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/flow"
	"github.com/gotaichi/ti/internal/job"
	"github.com/gotaichi/ti/internal/store"
	"github.com/gotaichi/ti/internal/variant"
)

// tangents have launches carry tangents.
type tangents struct {
	flow.Idle
	ends *endings // finds fields that end their tangents
}

func (t *tangents) Cast(_ context.Context, asked, chosen *variant.Variant) (*variant.Variant, error) {
	d, err := asked.Derived(job.Tangent)
	if d == nil {
		d = chosen
	}
	return d, err
}

func (t *tangents) Before(l *flow.Launch) error {
	t.ends.launch(l.Variant)
	return nil
}

func (t *tangents) Overwritten(c *store.Field) { t.ends.forget(c) }

// Tangent runs f, whose launches carry tangents; see ti.Runtime.Tangent.
func (g *Gradients) Tangent(f func() error) error {
	if err := g.usable("tangents"); err != nil {
		return err
	}
	switch {
	case f == nil:
		return diag.Errorf(diag.ErrArgs, "Tangent of a nil function")
	}
	ends := newEndings(store.Dual)
	t := &tangents{ends: ends}
	err := g.Way.Join(t, func(other flow.Observer) error {
		switch other.(type) {
		case *tape:
			return diag.Errorf(diag.ErrBusy, "Tangent while a tape records")
		case *tangents:
			return diag.Errorf(diag.ErrBusy, "Tangent within another")
		}
		return nil
	})
	if err != nil {
		return err
	}
	defer g.Way.Leave(t)
	if err := flow.Joined(f()); err != nil {
		return err
	}
	return g.report(ends, nil)
}
