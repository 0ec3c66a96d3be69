package session

import (
	"bytes"
	"encoding/binary"
	"math"
	"reflect"
	"slices"

	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/half"
	"github.com/gotaichi/ti/internal/layout"
)

// FieldOf returns what is behind a field of package ti.
func (rt *Runtime) FieldOf(public any) *Field { return rt.api.Field(public) }

// Adjoint returns the adjoint of c, an error if it is not placed.
func (c *Field) Adjoint() (*Field, error) {
	if err := c.ready(); err != nil {
		return nil, err
	}
	g, err := c.readyCompanion(Grad)
	if err == nil && g == nil {
		err = diag.Errorf(diag.ErrPlace, "the adjoint of %s; place %s.Grad() too, as by ti.WithGrad", c.Name(), c.Name())
	}
	return g, err
}

// WithAdjoints returns the fields of rt that have an adjoint.
func (rt *Runtime) WithAdjoints() (all []*Field) {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	for _, g := range rt.adjoints {
		if g.alive() == nil {
			all = append(all, g.of)
		}
	}
	return all
}

// Precise reports whether all numbers of c are f64.
func (c *Field) Precise() bool {
	return !slices.ContainsFunc(c.lay.Elem.Comps[c.lo:c.hi], func(p layout.Component) bool { return p.Kind != layout.F64 })
}

// MemberSizes returns how many numbers each member of an element has; what is no struct has one member.
func (c *Field) MemberSizes() (sizes []int) {
	if c.lo == 0 && c.hi == len(c.lay.Elem.Comps) && c.typ.Kind() == reflect.Struct {
		for i := range c.typ.NumField() {
			sizes = append(sizes, scalars(c.typ.Field(i).Type))
		}
		return sizes
	}
	return []int{c.hi - c.lo}
}

// scalars counts the scalars of a type.
func scalars(t reflect.Type) (n int) {
	switch t.Kind() {
	case reflect.Array:
		return t.Len() * scalars(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			n += scalars(t.Field(i).Type)
		}
		return n
	}
	return 1
}

// Elements are the elements of a field of real numbers that a check looks at: all of a field in dense trees, in row-major
// order, and those of a sparse field that were active.
type Elements struct {
	of    *Field
	cells []Index // nil for all
}

// Elements returns the elements of c. The tree tells which ones are active now; the list does not change later.
func (c *Field) Elements() (*Elements, error) {
	if err := c.ready(); err != nil {
		return nil, err
	}
	e := &Elements{of: c}
	if !c.sparse() {
		return e, nil
	}
	e.cells = []Index{}
	for idx := range c.leader().home.cells(c.leader().node) {
		if active, err := c.isActive(idx[:c.Rank]); err != nil {
			return nil, err
		} else if active {
			e.cells = append(e.cells, idx)
		}
	}
	return e, nil
}

// In returns the elements of g, as the adjoint, at the same places.
func (e *Elements) In(g *Field) *Elements { return &Elements{of: g, cells: e.cells} }

// Numbers returns the numbers of the elements; those of an inactive one are 0.
func (e *Elements) Numbers() ([]float64, error) {
	if e.cells == nil {
		return e.of.Numbers()
	}
	raw := make([]byte, len(e.cells)*e.of.streamed())
	for i, idx := range e.cells {
		if err := e.of.pack(raw[i*e.of.streamed():], idx[:e.of.Rank]); err != nil {
			return nil, err
		}
	}
	return e.of.decode(raw), nil
}

// SetNumbers sets the numbers of the elements, rounded to the field's type. It activates nothing: an inactive element is
// passed over.
func (e *Elements) SetNumbers(all []float64) error {
	c := e.of
	raw := c.encode(all)
	if e.cells == nil && !c.sparse() {
		_, err := c.ReadFrom(bytes.NewReader(raw))
		return err
	}
	places := slices.Values(e.cells)
	if e.cells == nil {
		if err := c.bounded(); err != nil {
			return err
		}
		places = c.rowMajor()
	}
	for idx := range places {
		active, err := c.isActive(idx[:c.Rank])
		if err == nil && active {
			err = c.unpack(idx[:c.Rank], raw[:c.streamed()])
		}
		if err != nil {
			return err
		}
		raw = raw[c.streamed():]
	}
	return nil
}

// isActive reports whether all components of an element have memory.
func (c *Field) isActive(idx []int) (active bool, err error) {
	err = c.locked(func() error {
		active = !slices.ContainsFunc(c.parts, func(p part) bool { return p.find(idx) == nil })
		return nil
	})
	return active, err
}

// Numbers returns the numbers of a field of real numbers in row-major order.
func (c *Field) Numbers() ([]float64, error) {
	var raw bytes.Buffer
	if _, err := c.WriteTo(&raw); err != nil {
		return nil, err
	}
	return c.decode(raw.Bytes()), nil
}

// decode returns the numbers of elements as a stream has them.
func (c *Field) decode(b []byte) (all []float64) {
	for len(b) > 0 {
		for _, p := range c.lay.Elem.Comps[c.lo:c.hi] {
			v, n := 0.0, 4
			switch p.Kind {
			case layout.F16:
				v, n = half.To64(binary.LittleEndian.Uint16(b)), 2
			case layout.F64:
				v, n = math.Float64frombits(binary.LittleEndian.Uint64(b)), 8
			default:
				v = float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
			}
			all, b = append(all, v), b[n:]
		}
	}
	return all
}

// encode is the inverse of decode.
func (c *Field) encode(all []float64) (raw []byte) {
	comps := c.lay.Elem.Comps[c.lo:c.hi]
	for i, v := range all {
		switch comps[i%len(comps)].Kind {
		case layout.F16:
			raw = binary.LittleEndian.AppendUint16(raw, half.From64(v))
		case layout.F64:
			raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(v))
		default:
			raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(float32(v)))
		}
	}
	return raw
}

// A State is what the trees of a runtime hold, and the number of its last launch.
type State struct {
	rt     *Runtime
	trees  []*Tree
	held   []bytes.Buffer
	number uint64
}

// Save keeps the state of rt.
func (rt *Runtime) Save() (*State, error) {
	if err := rt.usable("a state"); err != nil {
		return nil, err
	}
	s := &State{rt: rt}
	rt.mu.Lock()
	for _, t := range rt.trees {
		if t != nil && !t.scratch && !t.closed.Load() {
			s.trees = append(s.trees, t)
		}
	}
	rt.mu.Unlock()
	s.held = make([]bytes.Buffer, len(s.trees))
	for i, t := range s.trees {
		if _, err := t.WriteTo(&s.held[i]); err != nil {
			return nil, err
		}
	}
	rt.eng.Lock()
	defer rt.eng.Unlock()
	s.number = rt.eng.Number()
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
func (s *State) Resume(f func() error) error { return s.rt.eng.Resume(s.number, f) }

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
	first := rt.eng.Number()
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
	s.number = rt.eng.Number() + 1
	rt.eng.Unlock()
	defer rt.eng.Lock()
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
