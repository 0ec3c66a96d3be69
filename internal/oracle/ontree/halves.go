package ontree

import (
	"fmt"

	"github.com/gotaichi/ti/internal/typed"
)

// A parallel loop adds up halves in single precision at a place that is the same in all iterations. Here each step is
// rounded, so a loop in which the two could differ is not covered: one that adds to, or multiplies, a half at a place of several iterations,
// or several times at a place that does not depend on the iteration.

// halves are the places of halves that a parallel loop has changed, by the iteration that did.
type halves struct {
	by        map[string]uint64
	iteration uint64
}

func (m *machine) beginHalves() { m.halves = &halves{by: map[string]uint64{}} }

func (m *machine) nextHalves() { m.halves.iteration++ }

func (m *machine) endHalves() { m.halves = nil }

// noteHalves notes a sum or product at a place.
func (m *machine) noteHalves(p *place, op typed.Op) {
	if m.halves == nil || op != typed.Add && op != typed.Sub && op != typed.Mul {
		return
	}
	for _, c := range p.comps {
		if p.kinds[c] != typed.F16 {
			continue
		}
		key := fmt.Sprintf("%p %d", p.object, c)
		if el := p.element; el != nil {
			if el.slice != nil || el.typed.View != nil {
				continue
			}
			key = fmt.Sprintf("%s %d %d", el.name, el.index, c)
		}
		by, known := m.halves.by[key]
		if known && (by != m.halves.iteration || p.element == nil || !p.element.varied) {
			notCovered("a sum of halves in a parallel loop")
		}
		m.halves.by[key] = m.halves.iteration
	}
}
