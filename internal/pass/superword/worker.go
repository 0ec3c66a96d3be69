package superword

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
)

// A worker vectorises one block.
type worker struct {
	*maker
	b      *ir.Block
	at     map[*ir.Op]int // the positions of its ops
	uses   map[*ir.Value]int
	refs   map[*ir.Op]*ref // of the loads of single floats, and of stores at places far apart
	events []event
	far    func(p *ir.Value) bool

	packs     map[string]*pack
	numbers   map[*ir.Value]int
	constants map[constant]*ir.Value
	fresh     []*ir.Op // constants that are new
	inRow     map[*ir.Op]place
	jobs      []*job
	job       *job                    // the job being planned
	values    map[*ir.Value]*ir.Value // the replacements of sums
}

// newWorker scans b.
func newWorker(m *maker, b *ir.Block, far func(p *ir.Value) bool) *worker {
	w := &worker{maker: m, b: b, far: far, at: map[*ir.Op]int{}, uses: map[*ir.Value]int{}, refs: map[*ir.Op]*ref{},
		packs: map[string]*pack{}, numbers: map[*ir.Value]int{}, constants: map[constant]*ir.Value{}, inRow: map[*ir.Op]place{}, values: map[*ir.Value]*ir.Value{}}
	for i, o := range b.Ops {
		w.at[o] = i
		within(o, func(o *ir.Op) {
			for _, v := range o.Args {
				w.uses[v]++
			}
		})
	}
	return w
}

// here reports whether an op of the block computes v.
func (w *worker) here(v *ir.Value) bool {
	if v.Def == nil {
		return false
	}
	_, ok := w.at[v.Def]
	return ok
}

// plan makes the plan. It reports whether there are any vectors.
func (w *worker) plan() bool {
	loads, stores := w.survey()
	if len(loads)+len(stores) == 0 {
		return false
	}
	w.events = events(w.r, w.b)
	gain := w.try(stores, false)
	if w.strict || len(loads) == 0 {
		return gain > 0
	}
	// A vector of stores of sums may be better than vectors of the terms of each sum, or the other way round.
	if summed := w.try(stores, true); summed >= gain {
		return summed > 0
	}
	return w.try(stores, false) > 0
}

// survey finds the runs of loads and of stores.
func (w *worker) survey() (loads, stores []run) {
	var from, to []*ir.Op
	for _, o := range w.b.Ops {
		if o.Code != ir.OpLoad && o.Code != ir.OpStore || o.Order != ir.Plain || o.Flags&(ir.More|ir.Streamed) != 0 || len(o.Args) != operands(o.Code) {
			continue
		}
		if t := valueOf(o).Type; t.Lanes != 1 || !t.Kind.IsFloat() || t.Kind.Size() < 4 || o.Code == ir.OpStore && !w.far(o.Args[0]) {
			continue
		}
		x := refOf(w.r, o, valueOf(o).Type)
		w.refs[o] = &x
		if o.Code == ir.OpLoad {
			from = append(from, o)
		} else {
			to = append(to, o)
		}
	}
	loads, stores = w.runs(from), w.runs(to)
	for _, row := range loads {
		far := w.far(row[0].Args[0])
		for i, o := range row {
			w.inRow[o] = place{row, i, far}
		}
	}
	return loads, stores
}

// try plans the vectors that are stored and, if summed, those that are added up. It returns the gain; 0 if they do not pay.
func (w *worker) try(stores []run, summed bool) int {
	w.packs, w.jobs = map[string]*pack{}, nil
	for _, row := range stores {
		if j := w.store(row); j != nil {
			w.jobs = append(w.jobs, j)
		}
	}
	if summed {
		w.jobs = append(w.jobs, w.sums()...)
	}
	slices.SortStableFunc(w.jobs, func(a, b *job) int { return a.at - b.at })
	for _, j := range w.jobs {
		w.planJob(j)
	}
	return w.gain()
}

// planJob plans the vectors of a job. Those of earlier jobs exist already.
func (w *worker) planJob(j *job) {
	w.job = j
	if j.stores != nil {
		j.value = w.pack(j.values(), j.at, 0)
		j.value.use()
	}
	for _, g := range j.sums {
		for _, r := range g.rows {
			r.value = w.pack(r.lanes, j.at, 0)
			r.value.use()
		}
	}
}

// operands returns the number of operands of an access without a mask.
func operands(c ir.Code) int {
	if c == ir.OpStore {
		return 2
	}
	return 1
}

// A place is where an access stands in its row.
type place struct {
	row run
	i   int
	far bool
}
