package variant

import (
	"slices"

	"github.com/gotaichi/ti/internal/front"

	"github.com/gotaichi/ti/internal/job"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/record"
)

// A role says what launches of a variant are for: each is a type. What all variants have is in [Variant], and what one has
// for its role is in the role.
type role interface {
	// compile says what is compiled otherwise.
	compile(o *front.Options)
	// derivative is what the variant has as a derivative, nil if it is none.
	AsDerivative() *derivative
}

// ships reports whether code of the variant belongs into files of code that a program records.
func (v *Variant) ships() bool {
	switch v.Role.(type) {
	case aside, *counting:
		return false
	}
	return true
}

// A place in [variant.others]: that of the variant in a role. A derivative has its mode for it.
const (
	watchingPlace = int(job.Modes) + iota
	countingPlace

	places // their number
)

// A plain variant is what a program launches.
type plain struct{}

func (plain) compile(*front.Options)    {}
func (plain) AsDerivative() *derivative { return nil }

// A variant aside is launched by the product for the host, which knows nothing of it.
type aside struct{ plain }

func (aside) compile(o *front.Options) { o.Unchecked, o.CheckNaN = true, false }

// A spare has no sums apart, for launches that find no room for them. It takes the place of a plain variant or a derivative: code
// that watches or counts has no such sums.
type spare struct{ of role }

func (s spare) compile(o *front.Options) {
	s.of.compile(o)
	o.Without |= option.Apart
}

func (s spare) AsDerivative() *derivative { return s.of.AsDerivative() }

// A derivative is an adjoint, a kernel with tangents, or a kernel that stores old values for its adjoint.
type derivative struct {
	*job.Derivative

	LoadsAgain map[job.FieldAccess]bool // of an adjoint, the accesses of the kernel that it makes again
	Asks       []job.TopologyUse        // what has to be as it was at the launch
	RecordedAt *launch.Place            // where the first of the old values that are stored or needed is returned; nil without one
}

// noteTopology adds a use of the topology while the derivative is lowered.
func (d *derivative) noteTopology(field string, p launch.Place, changes bool) {
	u := job.TopologyUse{Field: field, Place: p, Changes: changes}
	if !slices.Contains(d.Asks, u) {
		d.Asks = append(d.Asks, u)
	}
}

// noteLoad remembers, while an adjoint is lowered, that it reads what the kernel reads at a place.
func (d *derivative) noteLoad(field string, p launch.Place) {
	if d.LoadsAgain == nil {
		d.LoadsAgain = map[job.FieldAccess]bool{}
	}
	d.LoadsAgain[job.FieldAccess{Field: field, Place: p}] = true
}

// noteRecorded is called where old values are needed, while a derivative is lowered.
func (d *derivative) noteRecorded(p launch.Place) {
	if d.RecordedAt == nil {
		d.RecordedAt = &p
	}
}

// write adds what was noted to what a cache keeps.
func (d *derivative) write(a *job.Answer) {
	a.Asks = d.Asks
	for l := range d.LoadsAgain {
		a.Loads = append(a.Loads, l)
	}
	slices.SortFunc(a.Loads, job.FieldAccess.Compare)
	if d.RecordedAt != nil {
		a.Recorded = []launch.Place{*d.RecordedAt}
	}
}

// read takes what a cache has kept.
func (d *derivative) read(a *job.Answer) {
	d.Asks, d.LoadsAgain = a.Asks, map[job.FieldAccess]bool{}
	for _, l := range a.Loads {
		d.LoadsAgain[l] = true
	}
	if len(a.Recorded) > 0 {
		d.RecordedAt = &a.Recorded[0]
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

func (d *derivative) compile(o *front.Options)  { o.Derivative = d.Derivative }
func (d *derivative) AsDerivative() *derivative { return d }

// A Watching variant records, under a tape in debug mode, all accesses to fields.
type Watching struct {
	touch     func(v *Variant, field string, site int, slots []uint64)
	stores    *derivative // of a kernel whose launches store old values, too; else nil
	Sites     []launch.Site
	Described *record.Watched
}

func (w *Watching) compile(o *front.Options) {
	if w.stores != nil {
		w.stores.compile(o)
	}
	o.Accesses, o.Without = true, o.Without|option.Races
}

func (w *Watching) AsDerivative() *derivative { return w.stores }

// Watched returns the variant that takes the place of v where launches are watched: touch takes all accesses.
func (v *Variant) Watched(touch func(v *Variant, field string, site int, slots []uint64)) (*Variant, error) {
	p := v.Kernel.Program
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.alive(v.Kernel); err != nil || v.others[watchingPlace] != nil {
		return v.others[watchingPlace], err
	}
	as := &Watching{touch: touch}
	w := v.in(as)
	if r := v.Old.with; r != nil { // it stores old values too
		w.Scope, w.trees = r.Scope.Clone(), slices.Clone(r.trees)
		as.stores = r.Role.AsDerivative().another()
	}
	v.others[watchingPlace] = w
	return w, nil
}

func (n *counting) compile(o *front.Options) { o.Measure = n.comps }
func (*counting) AsDerivative() *derivative  { return nil }
