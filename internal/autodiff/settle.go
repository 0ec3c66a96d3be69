package autodiff

import (
	"github.com/gotaichi/ti/internal/ir"
)

// settle emits a loop that completes the adjoints of stored elements before gathers read them. An iteration that reads
// again what it has stored adds to the adjoint of that element:
//
//	V[i] = f(X[i], X[i+1]); Y[i] = g(V[i])
//
// The gather of X takes the adjoint of V, and what the adjoint of Y adds to it, from the iterations around an element. With both in
// memory, none of them computes the second part again. And the loop of the iterations, which would add it, writes to nothing that the
// gather reads of neighbours, so that passes can make one loop of the two.
func (r *reverser) settle(o *ir.Op, groups []*gathering) {
	if r.Clear { // the adjoints of what was stored become 0
		return
	}
	stores := map[*ir.Op]bool{}
	for _, a := range groups {
		way := r.changedBy(o, a)
		for store, back := range r.readback {
			if r.contains(o, store) && way[store.Args[1]] && r.useful[back.Results[0]] {
				stores[store] = true
			}
		}
	}
	if len(stores) == 0 {
		return
	}
	adj := r.adj
	r.adj, r.into, r.settling = newAdjoints(), func(*ir.Op) *ir.Value { return nil }, stores
	r.iterationsBack(o, func() {})
	r.adj, r.into, r.settling = adj, nil, nil
	if r.settled == nil {
		r.settled = map[*ir.Op]bool{}
	}
	for store := range stores {
		r.settled[store] = true
	}
}
