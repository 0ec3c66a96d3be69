package autodiff

import "github.com/gotaichi/ti/internal/ir"

// adjoints are those of values of the normal form, in the order in which they came up.
type adjoints struct {
	of    map[*ir.Value]*ir.Value
	order []*ir.Value
}

func newAdjoints() *adjoints { return &adjoints{of: map[*ir.Value]*ir.Value{}} }

// add adds d to the adjoint of v.
func (r *reverser) add(v, d *ir.Value) {
	if d == nil || !r.active(v) {
		return
	}
	if was := r.adj.of[v]; was != nil {
		r.adj.of[v] = r.plus(was, d)
		return
	}
	if _, known := r.adj.of[v]; !known {
		r.adj.order = append(r.adj.order, v)
	}
	r.adj.of[v] = d
}

// take returns the adjoint of v, nil for zero, of which no more is to come.
func (r *reverser) take(v *ir.Value) *ir.Value {
	d := r.adj.of[v]
	if d != nil {
		r.adj.of[v] = nil
	}
	return d
}
