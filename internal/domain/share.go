package domain

import (
	"encoding/binary"
	"math"

	"github.com/gotaichi/ti/internal/job"
	"github.com/gotaichi/ti/internal/launch"
)

// A share is the part of a kernel's launches that this rank has. It is a [launch.Share] and a [launch.Sink].
type share struct {
	w       *World
	k       *launch.Kernel
	plans   []*plan
	fails   bool // some parted task can fail, or one that a few ranks run
	pointer map[int]bool
	before  snapshot
	sink
}

// Bind returns the share of a kernel whose fields lie as at says, with the sink that takes the records of its launches.
func (w *World) Bind(k *launch.Kernel, at job.Layout, to launch.Sink) (launch.Share, launch.Sink, error) {
	s := &share{w: w, k: k, plans: make([]*plan, len(k.Tasks)), pointer: map[int]bool{}}
	for _, m := range k.Memory { // addresses differ between ranks
		s.pointer[m.Slot] = true
	}
	s.sink = sink{Sink: to, share: s}
	p := planner{w, k, at}
	for i := range k.Tasks {
		if k.Tasks[i].Helper {
			continue
		}
		made, err := p.plan(&k.Tasks[i], k.Names[i])
		if err != nil {
			return nil, nil, err
		}
		s.plans[i] = made
		s.fails = s.fails || made.fails && made.way != everywhere
	}
	return s, &s.sink, nil
}

// Begin notes a launch.
func (s *share) Begin(number uint64, args []uint64) error {
	values := []uint64{number}
	for i, v := range args {
		if !s.pointer[i] {
			values = append(values, v)
		}
	}
	s.w.called(s.k.Name, values...)
	return nil
}

// Enter brings what a task reads.
func (s *share) Enter(task int, outer launch.Range, each int64) (launch.Portion, error) {
	p := s.plans[task]
	all := launch.Range{From: math.MinInt64 / 4, To: math.MaxInt64 / 4}
	if each == 0 {
		all = launch.Range{}
	}
	s.current = p
	s.parts = s.parts || p.prints && p.way != everywhere
	s.w.spoil()
	if err := s.w.bring(s.needs(p, outer)); err != nil {
		return launch.Portion{}, err
	}
	p.noted()
	portion := launch.Portion{Rows: all}
	switch p.way {
	case parted:
		portion = p.portion(s.w.comm.Rank())
		portion.Cut = true
	case bound:
		if !p.mine(s.w.comm.Rank()) {
			portion.Rows = launch.Range{}
		}
	}
	portion.Echo = s.fails && !p.reports(s.w.comm.Rank())
	s.before.take(s.w, p)
	return portion, nil
}

// needs returns what ranks read in a task, without rows around their own that are valid on each of them.
func (s *share) needs(p *plan, outer launch.Range) (needs []need) {
	held := false
	for _, a := range p.reads {
		if m := p.margin(a); p.way == parted && a.kind == near && a.strip.valid.holds(m) {
			held = held || m != margin{}
			continue
		}
		needs = append(needs, need{a.strip, p.rowsOf(a, outer, s.w.comm.Size())})
	}
	if held && len(needs) == 0 {
		s.w.stats.Needless++
	}
	return needs
}

// rowsOf returns the rows of an access that each rank needs.
func (p *plan) rowsOf(a access, outer launch.Range, ranks int) func(rank int) []rows {
	n := a.strip.of.grid.Rows
	certain := []rows{}
	if a.kind == at {
		certain = nonEmpty(rows{a.reach.Lo, a.reach.Hi + 1}.and(rows{0, n}))
	}
	run := rows{outer.From*p.rows.Step + p.rows.Low - a.strip.low, outer.To*p.rows.Step + p.rows.Low - a.strip.low}
	if a.kind != at && p.way != parted { // relative to an iteration of a task that runs as a whole
		certain = run.around(-a.reach.Lo, a.reach.Hi, n, a.kind == onRing)
	}
	return func(rank int) []rows {
		switch {
		case p.way == parted && a.kind != at:
			m := p.margin(a)
			near := a.strip.own(rank).around(m.lo, m.hi, n, a.kind == onRing)
			if a.kind == onRing {
				near = append(near, subtract(p.beyond(a, rank, ranks, run), near)...)
			}
			return near
		case p.way == bound && !p.mine(rank):
			return nil
		}
		return certain
	}
}

// beyond returns the rows of a ring that iterations beyond the field read, which the first and the last rank run.
func (p *plan) beyond(a access, rank, ranks int, run rows) (all []rows) {
	n := a.strip.of.grid.Rows
	if below := (rows{run.lo, min(run.hi, -p.near.Hi)}); rank == 0 && !below.empty() {
		all = below.around(-a.reach.Lo, a.reach.Hi, n, true)
	}
	if above := (rows{max(run.lo, n-p.near.Lo), run.hi}); rank == ranks-1 && !above.empty() {
		all = append(all, subtract(above.around(-a.reach.Lo, a.reach.Hi, n, true), all)...)
	}
	return all
}

// margin is how many rows around its own a rank of a parted task reads.
func (p *plan) margin(a access) margin {
	more := p.rows.Step - 1 // of iterations that run with others
	return margin{max(0, p.near.Hi-a.reach.Lo) + more, max(0, a.reach.Hi-p.near.Lo) + more}
}

// noted notes what is valid behind the exchange.
func (p *plan) noted() {
	for _, a := range p.reads {
		if p.way != parted || a.kind == at || a.strip.handed {
			continue
		}
		m := p.margin(a)
		a.strip.valid = a.strip.valid.join(m)
		if a.kind == onRing {
			a.strip.ring = a.strip.ring.join(m)
		}
	}
}

// mine reports whether a rank owns rows that a bound task writes.
func (p *plan) mine(rank int) bool {
	for _, a := range p.writes {
		if !a.strip.own(rank).and(rows{a.reach.Lo, a.reach.Hi + 1}).empty() {
			return true
		}
	}
	return false
}

// reports reports whether a rank says what its iterations print, and how they fail. Of those that run the same ones, the lowest does.
func (p *plan) reports(rank int) bool {
	switch p.way {
	case parted:
		return true
	case bound:
		for below := range rank {
			if p.mine(below) {
				return false
			}
		}
		return p.mine(rank)
	}
	return rank == 0
}

// portion is what a rank runs of a parted task: the iterations that write its rows.
func (p *plan) portion(rank int) launch.Portion {
	own, step := p.grid.Own(rank), p.rows.Step
	lo, hi := own.lo-p.near.Hi+p.low-p.rows.Low, own.hi-p.near.Lo+p.low-p.rows.Low
	if rank == 0 {
		lo = math.MinInt64 / 4 // rows that are not in the field, in which a check may fail
	}
	if rank == len(p.grid.Cuts)-2 {
		hi = math.MaxInt64 / 4
	}
	r := launch.Portion{Rows: launch.Range{From: floorDiv(lo, step), To: floorDiv(hi+step-1, step)}, Shared: p.once}
	if p.once {
		r.Chunk, r.Origin = p.grid.Tile/step, (p.low-p.rows.Low)/step
	}
	return r
}

func floorDiv(a, b int64) int64 {
	if a < 0 {
		return -((b - 1 - a) / b)
	}
	return a / b
}

// Leave notes what a task has changed, and merges its sums.
func (s *share) Leave(task int) error {
	p := s.plans[task]
	for _, a := range p.writes {
		if p.way != everywhere { // else all ranks have written the same
			a.strip.wrote()
		}
	}
	return s.before.merge(s.w, p)
}

// Gather returns the partial results of all ranks.
func (s *share) Gather(task, words int, own []uint64, first, all int64) ([]uint64, error) {
	b := binary.LittleEndian.AppendUint64(nil, uint64(first))
	for _, v := range own {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	got, err := s.w.all(b)
	if err != nil {
		return nil, err
	}
	merged := make([]uint64, all*int64(words))
	for _, b := range got {
		at := int64(binary.LittleEndian.Uint64(b)) * int64(words)
		for b = b[8:]; len(b) > 0; b = b[8:] {
			merged[at] = binary.LittleEndian.Uint64(b)
			at++
		}
	}
	return merged, nil
}

// Fail returns the failure of the first task that has one, and of the lowest rank, with the counts of all.
func (s *share) Fail(own *launch.Fault, task int) (*launch.Fault, error) {
	if !s.fails {
		return own, nil
	}
	got, err := s.w.all(appendFault(nil, own, task))
	if err != nil {
		return nil, err
	}
	var first *launch.Fault
	lowest, count := 0, int64(0)
	for _, b := range got {
		f, task := readFault(b)
		if f == nil {
			continue
		}
		if first == nil || task < lowest {
			first, lowest = f, task
		}
		count += f.Count
	}
	if first != nil {
		first.Count = count
	}
	return first, nil
}

func appendFault(b []byte, f *launch.Fault, task int) []byte {
	if f == nil {
		return b
	}
	b = binary.LittleEndian.AppendUint64(b, uint64(task))
	b = binary.LittleEndian.AppendUint64(b, uint64(f.Site))
	b = binary.LittleEndian.AppendUint64(b, uint64(f.Count))
	b = binary.LittleEndian.AppendUint64(b, uint64(f.Part))
	for _, n := range f.Index {
		b = binary.LittleEndian.AppendUint64(b, uint64(n))
	}
	for _, n := range f.Loop {
		b = binary.LittleEndian.AppendUint64(b, uint64(n))
	}
	return b
}

func readFault(b []byte) (f *launch.Fault, task int) {
	if len(b) == 0 {
		return nil, 0
	}
	next := func() int64 {
		n := binary.LittleEndian.Uint64(b)
		b = b[8:]
		return int64(n)
	}
	task = int(next())
	f = &launch.Fault{Site: int(next()), Count: next(), Part: int(next())}
	for i := range f.Index {
		f.Index[i] = next()
	}
	for len(b) > 0 {
		f.Loop = append(f.Loop, next())
	}
	return f, task
}
