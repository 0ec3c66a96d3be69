package session

import (
	"slices"

	"github.com/gotaichi/ti/internal/front"

	"github.com/gotaichi/ti/internal/job"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/record"
)

// A role says what launches of an instance are for: each is a type. What all instances have is in [instance], and what one has
// for its role is in the role.
type role interface {
	// compile says what is compiled otherwise.
	compile(o *front.Options)
	// derivative is what the instance has as a derivative, nil if it is none.
	derivative() *derivative
}

// ships reports whether code of the instance belongs into files of code that a program records.
func (inst *instance) ships() bool {
	switch inst.role.(type) {
	case copying, *counting:
		return false
	}
	return true
}

// A place in [instance.others]: that of the instance in a role. A derivative has its mode for it.
const (
	watchingPlace = int(job.Modes) + iota
	countingPlace

	places // their number
)

// A plain instance is what a program launches.
type plain struct{}

func (plain) compile(*front.Options)  {}
func (plain) derivative() *derivative { return nil }

// A copying instance copies elements of a field for the host, which knows nothing of it.
type copying struct{ plain }

func (copying) compile(o *front.Options) { o.Unchecked, o.CheckNaN = true, false }

// A spare has no sums apart, for launches that find no room for them. It takes the place of a plain instance or a derivative: code
// that watches or counts has no such sums.
type spare struct{ of role }

func (s spare) compile(o *front.Options) {
	s.of.compile(o)
	o.Without |= option.Apart
}

func (s spare) derivative() *derivative { return s.of.derivative() }

// A derivative is an adjoint, a kernel with tangents, or a kernel that stores old values for its adjoint.
type derivative struct {
	*job.Derivative

	loads      map[job.FieldAccess]bool // of an adjoint, the accesses of the kernel that it makes again
	asks       []job.TopologyUse        // what has to be as it was at the launch
	recordedAt *launch.Place            // where the first of the old values that are stored or needed is returned; nil without one
}

// noteTopology adds a use of the topology while the derivative is lowered.
func (d *derivative) noteTopology(field string, p launch.Place, changes bool) {
	u := job.TopologyUse{Field: field, Place: p, Changes: changes}
	if !slices.Contains(d.asks, u) {
		d.asks = append(d.asks, u)
	}
}

// noteLoad remembers, while an adjoint is lowered, that it reads what the kernel reads at a place.
func (d *derivative) noteLoad(field string, p launch.Place) {
	if d.loads == nil {
		d.loads = map[job.FieldAccess]bool{}
	}
	d.loads[job.FieldAccess{Field: field, Place: p}] = true
}

// noteRecorded is called where old values are needed, while a derivative is lowered.
func (d *derivative) noteRecorded(p launch.Place) {
	if d.recordedAt == nil {
		d.recordedAt = &p
	}
}

// write adds what was noted to what a cache keeps.
func (d *derivative) write(a *job.Answer) {
	a.Asks = d.asks
	for l := range d.loads {
		a.Loads = append(a.Loads, l)
	}
	slices.SortFunc(a.Loads, job.FieldAccess.Compare)
	if d.recordedAt != nil {
		a.Recorded = []launch.Place{*d.recordedAt}
	}
}

// read takes what a cache has kept.
func (d *derivative) read(a *job.Answer) {
	d.asks, d.loads = a.Asks, map[job.FieldAccess]bool{}
	for _, l := range a.Loads {
		d.loads[l] = true
	}
	if len(a.Recorded) > 0 {
		d.recordedAt = &a.Recorded[0]
	}
}

// another returns what notes the same by itself: d is lowered once more, otherwise.
func (d *derivative) another() *derivative {
	of := *d.Derivative
	a := &derivative{Derivative: &of}
	a.Topology, a.Loads = a.noteTopology, a.noteLoad
	if d.Recorded != nil {
		a.Recorded = a.noteRecorded
	}
	return a
}

func (d *derivative) compile(o *front.Options) { o.Derivative = d.Derivative }
func (d *derivative) derivative() *derivative  { return d }

// A watching instance records, under a tape in debug mode, all accesses to fields.
type watching struct {
	touch     func(inst *instance, field string, site int, slots []uint64)
	stores    *derivative // of a kernel whose launches store old values, too; else nil
	sites     []launch.Site
	described *record.Watched
}

func (w *watching) compile(o *front.Options) {
	if w.stores != nil {
		w.stores.compile(o)
	}
	o.Accesses, o.Without = true, o.Without|option.Races
}

func (w *watching) derivative() *derivative { return w.stores }

// watched returns the instance that takes the place of inst where launches are watched: touch takes all accesses.
func (inst *instance) watched(touch func(inst *instance, field string, site int, slots []uint64)) (*instance, error) {
	p := inst.k.p
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.alive(inst.k); err != nil || inst.others[watchingPlace] != nil {
		return inst.others[watchingPlace], err
	}
	as := &watching{touch: touch}
	w := inst.in(as)
	if r := inst.old.with; r != nil { // it stores old values too
		w.scope, w.trees = r.scope.Clone(), slices.Clone(r.trees)
		as.stores = r.role.derivative().another()
	}
	inst.others[watchingPlace] = w
	return w, nil
}

func (n *counting) compile(o *front.Options) { o.Measure = n.comps }
func (*counting) derivative() *derivative    { return nil }
