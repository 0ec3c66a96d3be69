package gradient

import (
	"bytes"

	"github.com/gotaichi/ti/internal/flow"
	"github.com/gotaichi/ti/internal/store"
	"github.com/gotaichi/ti/internal/variant"
)

// WithAdjoints returns the fields of rt that have an adjoint.
func (g *Gradients) WithAdjoints() (all []*store.Field) {
	for _, c := range g.Maker.Store.Adjoints() {
		of, _ := c.CompanionOf()
		all = append(all, of)
	}
	return all
}

// A State is what the trees of a runtime hold, and the numbers of its last launches.
type State struct {
	maker   *variant.Maker
	trees   []*store.Tree
	held    []bytes.Buffer
	numbers variant.Numbers // of its last launches
}

// Save keeps the state of g.
func (g *Gradients) Save() (*State, error) {
	if err := g.usable("a state"); err != nil {
		return nil, err
	}
	s := &State{maker: g.Maker, trees: g.Maker.Store.Lasting()}
	s.held = make([]bytes.Buffer, len(s.trees))
	for i, t := range s.trees {
		if _, err := t.WriteTo(&s.held[i]); err != nil {
			return nil, err
		}
	}
	g.Maker.Turn.Lock()
	defer g.Maker.Turn.Unlock()
	s.numbers = g.Maker.Numbers
	return s, nil
}

// Restore makes the trees hold again what they held.
func (s *State) Restore() error {
	for i, t := range s.trees {
		if _, err := t.ReadFrom(bytes.NewReader(s.held[i].Bytes())); err != nil {
			return err
		}
	}
	return nil
}

// Again runs f from the state on, with the random numbers that came next then.
func (s *State) Again(f func() error) error {
	if err := s.Restore(); err != nil {
		return err
	}
	return s.Resume(f)
}

// Resume runs f with the random numbers that came next when the state was saved.
func (s *State) Resume(f func() error) error {
	return s.maker.Numbers.Resume(&s.maker.Turn, s.numbers, f)
}

// A Launch is one of a function of the host, or the function that CustomGrad has instead of several.
type Launch struct {
	Kernel    string // its name
	Clears    bool   // Back clears the adjoints of what is overwritten
	Run, Back func() error
}

// Visit runs f, and calls visit before each of its launches. What visit launches is not visited.
func (g *Gradients) Visit(f func() error, visit func(Launch) error) error {
	if err := g.usable("a visit"); err != nil {
		return err
	}
	return g.record(&tape{visit: visit}, f)
}

// unrecorded runs f without the tape.
func (g *Gradients) unrecorded(t *tape, f func() error) error {
	g.Way.Leave(t)
	defer func() { _ = g.Way.Join(t, func(flow.Observer) error { return nil }) }()
	return f()
}

// visitCustom visits the functions that CustomGrad has instead of launches.
func (g *Gradients) visitCustom(t *tape, forward, backward func() error) error {
	first := g.Maker.Numbers.Now(&g.Maker.Turn)
	back := func() error { return g.customBack(first, backward) }
	return g.unrecorded(t, func() error {
		if err := t.visit(Launch{Kernel: "CustomGrad", Run: forward, Back: back}); err != nil {
			return err
		}
		return forward()
	})
}

// visitStep is visited for a launch. The caller holds the launch lock.
func (g *Gradients) visitStep(t *tape, s step) error {
	next := g.Maker.Numbers
	s.number = next.Next(s.variant.Kernel.Program)
	g.Maker.Turn.Unlock()
	defer g.Maker.Turn.Lock()
	v := s.variant
	if r, err := s.kernel().Recording(); err != nil {
		return err
	} else if r != nil {
		v = r
	}
	return g.unrecorded(t, func() error {
		return t.visit(Launch{
			Kernel: s.variant.Kernel.Name,
			Clears: true,
			Run:    func() error { return g.again(v, &s) },
			Back:   func() error { return g.backStep(&s, true, nil) },
		})
	})
}
