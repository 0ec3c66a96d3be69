package gradient

import (
	"io"
	"sync"
	"sync/atomic"

	"github.com/gotaichi/ti/internal/flow"
	"github.com/gotaichi/ti/internal/store"
	"github.com/gotaichi/ti/internal/variant"
)

// Gradients are the tapes, tangents and what else a runtime knows of derivatives.
type Gradients struct {
	Way   *flow.Way
	Maker *variant.Maker

	taping atomic.Bool                     // Tape records or goes back
	custom atomic.Pointer[variant.Numbers] // the numbers before the launches in whose place CustomGrad's backward runs; nil while none does

	mu           sync.Mutex             // guards fieldNumbers
	fieldNumbers map[*store.Field]int64 // of fields that launches under a tape touched, in debug mode

	endsMu       sync.Mutex              // guards what follows
	constants    map[*store.Field]uint64 // components of fields that are meant to be constant to derivatives
	endsReported [2][]*store.Field       // by Role, those of which a warning was written
	endsFound    []string                // what the last tape has found
	warnings     io.Writer               // nil for standard error
}

// usable returns an error for gradients of no runtime, or of one that has been closed; what names the call.
func (g *Gradients) usable(what string) error {
	if g == nil {
		return (*variant.Maker)(nil).Usable(what)
	}
	return g.Maker.Usable(what)
}

// tape is the one that records, nil for none.
func (g *Gradients) tape() *tape {
	for _, o := range g.Way.Observing() {
		if t, is := o.(*tape); is {
			return t
		}
	}
	return nil
}

// tangents reports whether launches carry tangents.
func (g *Gradients) tangents() bool {
	for _, o := range g.Way.Observing() {
		if _, is := o.(*tangents); is {
			return true
		}
	}
	return false
}
