package variant

import (
	"slices"

	"github.com/gotaichi/ti/internal/front"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/record"
)

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

func (w *Watching) ships() bool               { return true }
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
