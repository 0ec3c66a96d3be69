package store

import (
	"bytes"
	"encoding/binary"
	"math"
	"reflect"
	"slices"

	"github.com/gotaichi/ti/internal/half"
	"github.com/gotaichi/ti/internal/layout"
)

// This file has the elements of fields of real numbers as float64, whatever their type.

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
	return []int{c.Comps()}
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

// Elements are the elements of a field of real numbers that a check looks at: all of a field in dense trees, in
// row-major order, and those of a sparse field that were active.
type Elements struct {
	of    *Field
	cells []Index // nil for all
}

// Elements returns the elements of c. The tree tells which ones are active now; the list does not change later.
func (c *Field) Elements() (*Elements, error) {
	if err := c.Ready(); err != nil {
		return nil, err
	}
	e := &Elements{of: c}
	if !c.Sparse() {
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

// SetNumbers sets the numbers of the elements, rounded to the field's type. It activates nothing: an inactive element
// is passed over.
func (e *Elements) SetNumbers(all []float64) error {
	c := e.of
	raw := c.encode(all)
	if e.cells == nil && !c.Sparse() {
		_, err := c.ReadFrom(bytes.NewReader(raw))
		return err
	}
	places := slices.Values(e.cells)
	if e.cells == nil {
		if err := c.Bounded(); err != nil {
			return err
		}
		places = c.RowMajor()
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
	err = c.locked(false, func() error {
		active = !slices.ContainsFunc(c.parts, func(p part) bool { return p.find(idx, false) == nil })
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
