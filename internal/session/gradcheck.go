package session

import (
	"bytes"

	"github.com/gotaichi/ti/internal/store"
)

// FieldOf returns what is behind a field of package ti.
func (rt *Runtime) FieldOf(public any) *store.Field { return rt.api.Field(public) }

// WithAdjoints returns the fields of rt that have an adjoint.
func (rt *Runtime) WithAdjoints() (all []*store.Field) {
	for _, g := range rt.maker.store.Adjoints() {
		of, _ := g.CompanionOf()
		all = append(all, of)
	}
	return all
}

// A State is what the trees of a runtime hold, and the number of its last launch.
type State struct {
	rt     *Runtime
	trees  []*store.Tree
	held   []bytes.Buffer
	number uint64
}

// Save keeps the state of rt.
func (rt *Runtime) Save() (*State, error) {
	if err := rt.usable("a state"); err != nil {
		return nil, err
	}
	s := &State{rt: rt, trees: rt.maker.store.Lasting()}
	s.held = make([]bytes.Buffer, len(s.trees))
	for i, t := range s.trees {
		if _, err := t.WriteTo(&s.held[i]); err != nil {
			return nil, err
		}
	}
	rt.maker.eng.Lock()
	defer rt.maker.eng.Unlock()
	s.number = rt.maker.numbers.last
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
	return s.rt.maker.numbers.resume(s.rt.maker.eng, s.number, f)
}

// A Launch is one that a function of the host has come to, or what CustomGrad puts in the place of several.
type Launch struct {
	Kernel    string // its name
	Clears    bool   // Back clears the adjoints of what is overwritten
	Run, Back func() error
}

// Visit runs f, and calls visit before each of its launches. What visit launches is not visited.
func (rt *Runtime) Visit(f func() error, visit func(Launch) error) error {
	if err := rt.usable("a visit"); err != nil {
		return err
	}
	return rt.record(&tape{visit: visit}, f)
}

// unrecorded runs f without the tape.
func (rt *Runtime) unrecorded(t *tape, f func() error) error {
	rt.tape.Store(nil)
	defer rt.tape.Store(t)
	return f()
}

// visitCustom visits what CustomGrad puts in the place of launches.
func (rt *Runtime) visitCustom(t *tape, forward, backward func() error) error {
	first := rt.maker.numbers.last
	back := func() error { return rt.customBack(first, backward) }
	return rt.unrecorded(t, func() error {
		if err := t.visit(Launch{Kernel: "CustomGrad", Run: forward, Back: back}); err != nil {
			return err
		}
		return forward()
	})
}

// visitStep is visited for a launch. The caller holds the launch lock.
func (rt *Runtime) visitStep(t *tape, s step) error {
	s.number = rt.maker.numbers.last + 1
	rt.maker.eng.Unlock()
	defer rt.maker.eng.Lock()
	inst := s.inst
	if r, err := s.kernel().recording(); err != nil {
		return err
	} else if r != nil {
		inst = r
	}
	return rt.unrecorded(t, func() error {
		return t.visit(Launch{
			Kernel: s.inst.k.name,
			Clears: true,
			Run:    func() error { return rt.again(inst, &s) },
			Back:   func() error { return rt.backStep(&s, true, nil) },
		})
	})
}
