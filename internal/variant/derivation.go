package variant

import (
	"slices"

	"github.com/gotaichi/ti/internal/front"
	"github.com/gotaichi/ti/internal/job"
	"github.com/gotaichi/ti/internal/launch"
)

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

func (d *derivative) compile(o *front.Options) { o.Derivative = d.Derivative }

func (d *derivative) ships() bool               { return true }
func (d *derivative) AsDerivative() *derivative { return d }
