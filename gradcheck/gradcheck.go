package gradcheck

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	ti "github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/gradient"
	"github.com/gotaichi/ti/internal/session"
	"github.com/gotaichi/ti/internal/store"
)

// A Mismatch is a derivative that is wrong.
type Mismatch struct {
	Kernel     string  // whose derivative is wrong; "" if that of each launch by itself is right
	Launch     int     // the number of the launch, from 1 on
	Derivative float64 // along a random direction, as computed
	Difference float64 // the limit of difference quotients
	Ends       string  // the fields without an adjoint that end the derivative between kernels, and where; "" if there are none
}

// Error returns a sentence with the kernel, both numbers and their difference.
func (m *Mismatch) Error() string {
	numbers := fmt.Sprintf("along a random direction it is %.6g, and differences give %.6g, off by %.3g", m.Derivative, m.Difference, m.Derivative-m.Difference)
	if m.Ends != "" {
		numbers += "; " + m.Ends
	}
	if m.Kernel == "" {
		return "gradcheck: the gradient is wrong: " + numbers +
			"; each launch by itself has the right derivative: something that the backward pass reads was overwritten meanwhile (an element is stored once, then only added to, and not read before), f changed it, or the loss jumps here and there, so that differences need smaller steps (use f64)"
	}
	return fmt.Sprintf("gradcheck: the derivative of %s, launch %d, is wrong: %s", m.Kernel, m.Launch, numbers)
}

// ErrUnclear is the error of a check that could conclude nothing: along no direction do difference quotients
// converge. The loss may jump, or be too rough for its precision.
var ErrUnclear = errors.New("gradcheck: difference quotients do not converge along any of the directions tried; the loss may jump, or rounding may hide how it changes: use f64, or smaller sizes")

const (
	directions = 3   // random ones, for the gradient
	samples    = 64  // launches that are checked where the gradient is right
	first      = 0.1 // the largest, relative to the numbers of a field
)

// Check computes the gradient of loss by [ti.Runtime.Tape] and compares it, along
// random directions of the fields x, with extrapolated central differences; then it
// compares ⟨J v, w⟩ with ⟨v, Jᵀ w⟩ launch by launch, which names the first kernel
// whose derivative is wrong. The fields keep their values. The error of a mismatch
// has the kernel, both numbers and their difference; errors.As finds a [*Mismatch]
// in it.
//
// The gradient is that by the numbers which x has before f: 0 by one that f only
// overwrites, whatever the tape leaves in its adjoint. Of a sparse field what is
// active is checked.
//
// J v is a difference quotient too. If the gradient is right, 64 launches are checked,
// evenly spread; all of them otherwise. f runs a hundred times or so, always from the same state and with the same
// random numbers. What it prints it prints each time.
func Check(rt *ti.Runtime, loss ti.AnyField, f func() error, x ...ti.AnyField) error {
	c := &checker{rt: (*session.Runtime)(rt), f: f, random: rand.New(rand.NewPCG(1, 2))}
	if len(x) == 0 {
		return errors.New("gradcheck: no field is named that the loss may depend on")
	}
	if slices.Contains(x, nil) || loss == nil {
		return errors.New("gradcheck: a nil field")
	}
	return c.check(loss, x)
}

// A checker checks the derivatives of one function.
type checker struct {
	rt     *session.Runtime
	f      func() error
	x      []*vector
	random *rand.Rand
}

// check compares the gradient, and then launches.
func (c *checker) check(loss ti.AnyField, x []ti.AnyField) error {
	state, err := c.rt.Gradients().Save()
	if err != nil {
		return fmt.Errorf("gradcheck: %w", err)
	}
	wrong, err := c.gradient(state, loss, x)
	unclear, ends := errors.Is(err, ErrUnclear), c.rt.Gradients().Endings()
	if err == nil || unclear {
		bad, failed := c.launches(state, wrong != nil)
		for _, m := range []*Mismatch{bad, wrong} {
			if m != nil {
				m.Ends = ends
			}
		}
		switch {
		case bad != nil:
			err = bad
		case failed != nil:
			err = failed
		case wrong != nil:
			err = wrong
		}
	}
	if failed := state.Restore(); failed != nil {
		return errors.Join(err, failed)
	}
	return err
}

// gradient compares the gradient of the loss along random directions.
func (c *checker) gradient(state *gradient.State, loss ti.AnyField, x []ti.AnyField) (*Mismatch, error) {
	for _, a := range x {
		v, err := newVector(c.rt.FieldOf(a))
		if err != nil {
			return nil, fmt.Errorf("gradcheck: %w", err)
		}
		c.x = append(c.x, v)
	}
	end := c.rt.FieldOf(loss)
	if err := c.slopes(state, end); err != nil {
		return nil, fmt.Errorf("gradcheck: %w", err)
	}
	clear := 0
	for range directions {
		q := &quotient{
			x: c.x, tolerance: tolerance(1e-2, 1e-6, append(c.x[:len(c.x):len(c.x)], &vector{field: end})...), state: state,
			run:    func() error { return state.Resume(c.f) },
			result: end.Numbers, weights: []float64{1},
		}
		wrong, known, err := q.compare(c.random)
		if wrong != nil || err != nil {
			return wrong, err
		}
		if known {
			clear++
		}
	}
	if clear == 0 {
		return nil, ErrUnclear
	}
	return nil, nil
}

// slopes takes the gradient by the numbers that fields have before f.
//
// A tape leaves in the adjoint of an element that f stored to the derivative by what was stored, an intermediate value.
// A second tape clears it, and so identifies these elements; the derivative by their initial values is 0.
func (c *checker) slopes(state *gradient.State, loss *store.Field) error {
	if err := state.Resume(func() error { return c.rt.Gradients().Tape(loss, c.f) }); err != nil {
		return err
	}
	if err := takeAll(c.x); err != nil {
		return err
	}
	var custom bool
	err := state.Again(func() (err error) {
		custom, err = c.rt.Gradients().TapeToStart(loss, c.f)
		return err
	})
	if err != nil {
		return err
	}
	for _, v := range c.x {
		cleared, err := v.adjoint.Numbers()
		if err != nil {
			return err
		}
		for i, d := range cleared {
			if d == 0 {
				v.slope[i] = 0
			}
		}
	}
	if custom {
		return c.still(state, c.x, func() error { return state.Resume(c.f) })
	}
	return nil
}

// launches compares the derivatives of launches, of all or of some.
func (c *checker) launches(state *gradient.State, all bool) (*Mismatch, error) {
	count := 0
	err := state.Again(func() error {
		return c.rt.Gradients().Visit(c.f, func(gradient.Launch) error { count++; return nil })
	})
	if err != nil {
		return nil, err
	}
	every := 1
	if !all {
		every = max(1, (count+samples-1)/samples)
	}
	var wrong *Mismatch
	var failed error // a visit gives no error to f: a kernel function without one would panic
	n := 0
	err = state.Again(func() error {
		return c.rt.Gradients().Visit(c.f, func(l gradient.Launch) error {
			n++
			if wrong != nil || failed != nil || (n-1)%every != 0 {
				return nil
			}
			if wrong, failed = c.launch(l); wrong != nil {
				wrong.Kernel, wrong.Launch = l.Kernel, n
			}
			return nil
		})
	})
	return wrong, errors.Join(failed, err)
}

// launch compares ⟨J v, w⟩ with ⟨v, Jᵀ w⟩ for one launch, from the state as it is, which it leaves.
func (c *checker) launch(l gradient.Launch) (*Mismatch, error) {
	before, err := c.rt.Gradients().Save()
	if err != nil {
		return nil, err
	}
	m, err := c.launchFrom(before, l)
	return m, errors.Join(err, before.Restore())
}

func (c *checker) launchFrom(before *gradient.State, l gradient.Launch) (*Mismatch, error) {
	xs, err := c.withAdjoints()
	if err != nil {
		return nil, err
	}
	if !l.Clears {
		if err := c.still(before, xs, l.Run); err != nil {
			return nil, err
		}
	}
	if err := before.Again(l.Run); err != nil {
		return nil, err
	}
	ys, err := c.withAdjoints() // the launch may have activated elements
	if err != nil {
		return nil, err
	}
	var weights []float64
	for _, v := range ys {
		w := make([]float64, len(v.at))
		for i := range w {
			w[i] = c.random.Float64()*2 - 1
		}
		if err := v.adjoint.SetNumbers(w); err != nil {
			return nil, err
		}
		if w, err := v.adjoint.Numbers(); err != nil { // as rounded
			return nil, err
		} else {
			weights = append(weights, w...)
		}
	}
	if err := l.Back(); err != nil {
		return nil, err
	}
	if err := takeAll(xs); err != nil {
		return nil, err
	}
	q := &quotient{
		x: xs, tolerance: tolerance(3e-4, 1e-8, xs...), state: before, run: l.Run, weights: weights,
		result: func() ([]float64, error) { return numbers(ys) },
	}
	wrong, _, err := q.compare(c.random)
	return wrong, err
}

// withAdjoints returns the fields that have an adjoint as they are.
func (c *checker) withAdjoints() (vs []*vector, err error) {
	for _, f := range c.rt.Gradients().WithAdjoints() {
		v, err := newVector(f)
		if err != nil {
			return nil, err
		}
		vs = append(vs, v)
	}
	return vs, nil
}

// still finds out which numbers some launches leave as they are. Only these are changed where the backward pass does
// not clear the adjoints of what is overwritten.
func (c *checker) still(before *gradient.State, xs []*vector, launch func() error) error {
	var moved [][]float64
	run := func(by float64) ([]float64, error) {
		if err := before.Restore(); err != nil {
			return nil, err
		}
		moved = nil
		for _, v := range xs {
			some := make([]float64, len(v.at))
			for i, a := range v.at {
				some[i] = a + by*v.scale(i)*(c.random.Float64()*2-1)
			}
			if err := v.value.SetNumbers(some); err != nil {
				return nil, err
			}
			some, err := v.value.Numbers()
			if err != nil {
				return nil, err
			}
			moved = append(moved, some)
		}
		if err := launch(); err != nil {
			return nil, err
		}
		return numbers(xs)
	}
	one, err := run(0)
	if err != nil {
		return err
	}
	two, err := run(0.1)
	if err != nil {
		return err
	}
	n := 0
	for i, v := range xs {
		v.fixed = make([]bool, len(v.at))
		for j, a := range v.at {
			v.fixed[j] = one[n] != a || two[n] != moved[i][j]
			n++
		}
	}
	return nil
}
