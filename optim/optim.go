package optim

import (
	"context"
	_ "embed"
	"fmt"
	"math"
	"reflect"
	"strings"

	"github.com/gotaichi/ti"
)

//go:embed optim.ti
var source string

// SGD is gradient descent with momentum: the velocity v of an element becomes Momentum·v + g, where g is the derivative of
// the loss by the element, and then the element moves by -Rate·v. Without momentum that is -Rate·g.
type SGD struct {
	Rate, Momentum float64

	rule *rule
}

// NewSGD makes an optimiser of fields that have been placed with their adjoints. It fails for elements that are not real.
func NewSGD(rt *ti.Runtime, rate, momentum float64, fields ...ti.AnyField) (*SGD, error) {
	r, err := newRule(rt, "Momentum", 1, fields)
	if err != nil {
		return nil, err
	}
	return &SGD{rate, momentum, r}, nil
}

// Step moves the fields by what their adjoints hold. It fails as launches do.
func (o *SGD) Step() error { return o.rule.step(o.Rate, o.Momentum) }

// Adam is the method of Kingma and Ba (Adam: A Method for Stochastic Optimization, ICLR 2015): an element moves by
// -Rate·m/(√s + Epsilon), where m and s are means of its derivatives and of their squares. An older derivative counts less,
// by Beta1 and Beta2 for each step. Both means begin with 0; they are divided by 1-Beta1ⁿ and 1-Beta2ⁿ at step n to make up
// for that.
type Adam struct {
	Rate, Beta1, Beta2, Epsilon float64

	rule  *rule
	steps int
}

// NewAdam makes an optimiser of fields that have been placed with their adjoints. Beta1, Beta2 and Epsilon are 0.9, 0.999
// and 1e-8, as the authors advise. It fails for elements that are not real.
func NewAdam(rt *ti.Runtime, rate float64, fields ...ti.AnyField) (*Adam, error) {
	r, err := newRule(rt, "Adam", 2, fields)
	if err != nil {
		return nil, err
	}
	return &Adam{Rate: rate, Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8, rule: r}, nil
}

// Step moves the fields by what their adjoints hold. It fails as launches do.
func (o *Adam) Step() error {
	n := float64(o.steps + 1)
	err := o.rule.step(o.Rate, o.Beta1, o.Beta2, 1/(1-math.Pow(o.Beta1, n)), 1/(1-math.Pow(o.Beta2, n)), o.Epsilon)
	if err == nil {
		o.steps++
	}
	return err
}

// A rule is what moves some fields.
type rule struct{ moves []move }

// A move is the kernel for a field, and the field with what the rule remembers of it.
type move struct {
	kernel *ti.Kernel
	fields []any
	bits   int // of its numbers
}

// newRule makes a rule by the name of its kernels, which remember as many numbers of each that they move.
func newRule(rt *ti.Runtime, name string, memory int, fields []ti.AnyField) (*rule, error) {
	r := &rule{}
	programs := map[int]*ti.Program{} // by the bits of numbers
	for i, f := range fields {
		if f == nil || reflect.ValueOf(f).IsNil() {
			return nil, fmt.Errorf("optim: field %d is nil", i+1)
		}
		shape := f.Shape()
		if shape == nil {
			return nil, fmt.Errorf("optim: field %d is not placed: make the optimiser when its fields are placed, and the source that uses them is loaded", i+1)
		}
		bits, axes := number(f.Elem())
		if bits == 0 || axes > 2 {
			return nil, fmt.Errorf("optim: %s has elements of type %v; only float32, float64, vectors and matrices of them follow a gradient; keep such numbers in a field of their own", f.Name(), f.Elem())
		}
		if programs[bits] == nil {
			p, err := rt.Compile(ti.Text("optim.ti", strings.ReplaceAll(source, "f32", fmt.Sprint("f", bits))).Aside(), nil)
			if err != nil {
				return nil, fmt.Errorf("optim: %w", err)
			}
			programs[bits] = p
		}
		m := move{kernel: programs[bits].Kernel(fmt.Sprint(name, axes)), fields: []any{f}, bits: bits}
		for k := range memory {
			g := ti.FieldOf(fmt.Sprintf("%s, remembered (%d)", f.Name(), k+1), f.Elem())
			if err := place(rt, g, shape, f.Origin()); err != nil {
				return nil, fmt.Errorf("optim: %w", err)
			}
			m.fields = append(m.fields, g)
		}
		r.moves = append(r.moves, m)
	}
	return r, nil
}

// place gives a field the domain of another.
func place(rt *ti.Runtime, g ti.AnyField, shape, origin ti.Shape) error {
	tree := rt.NewTree()
	if len(shape) == 0 {
		tree.Place(g)
		return tree.Err()
	}
	axes := ti.Axes("ijklmnop"[:len(shape)])
	tree.Origin(axes, origin...).Dense(axes, shape...).Place(g)
	return tree.Err()
}

// number returns the bits of the numbers in elements, 0 if they are not real, and how many axes an element has.
func number(t reflect.Type) (bits, axes int) {
	for ; t.Kind() == reflect.Array; t = t.Elem() {
		axes++
	}
	switch t {
	case reflect.TypeFor[float32]():
		return 32, axes
	case reflect.TypeFor[float64]():
		return 64, axes
	}
	return 0, axes
}

// step launches the kernels.
func (r *rule) step(numbers ...float64) error {
	for _, m := range r.moves {
		args := m.fields[:len(m.fields):len(m.fields)]
		for _, x := range numbers {
			if m.bits == 32 {
				args = append(args, float32(x))
			} else {
				args = append(args, x)
			}
		}
		if _, err := m.kernel.Launch(context.Background(), args...); err != nil {
			return fmt.Errorf("optim: %w", err)
		}
	}
	return nil
}
