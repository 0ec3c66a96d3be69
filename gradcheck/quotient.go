package gradcheck

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gotaichi/ti/internal/gradient"
	"github.com/gotaichi/ti/internal/store"
)

// A vector is a field with its adjoint, as numbers in row-major order; of a sparse field it has what is active.
type vector struct {
	field          *store.Field
	value, adjoint *store.Elements
	at             []float64 // where derivatives are taken
	slope          []float64 // the adjoint
	scales         []float64 // of the numbers of an element; those of a member have the same
	fixed          []bool    // these are not changed; nil for none
}

func newVector(f *store.Field) (*vector, error) {
	g, err := f.Adjoint()
	if err != nil {
		return nil, err
	}
	value, err := f.Elements()
	if err != nil {
		return nil, err
	}
	v := &vector{field: f, value: value, adjoint: value.In(g)}
	if v.at, err = value.Numbers(); err != nil {
		return nil, err
	}
	n := 0
	for _, m := range f.MemberSizes() {
		n += m
	}
	lo := 0
	for _, m := range f.MemberSizes() {
		v.scales = append(v.scales, slices.Repeat([]float64{v.scaleOf(lo, m, n)}, m)...)
		lo += m
	}
	return v, nil
}

// scaleOf is the root mean square of m numbers of each element, which has n, from number lo on.
func (v *vector) scaleOf(lo, m, n int) float64 {
	sum, count := 0.0, 0
	for i := lo; i < len(v.at); i += n {
		for _, a := range v.at[i : i+m] {
			sum += a * a
			count++
		}
	}
	scale := math.Sqrt(sum / float64(max(1, count)))
	if !(scale > 1e-30) || math.IsInf(scale, 0) {
		return 1
	}
	return scale
}

// scale is that of number i.
func (v *vector) scale(i int) float64 { return v.scales[i%len(v.scales)] }

// takeAll reads the adjoints.
func takeAll(vs []*vector) (err error) {
	for _, v := range vs {
		if v.slope, err = v.adjoint.Numbers(); err != nil {
			return err
		}
	}
	return nil
}

func numbers(vs []*vector) (all []float64, err error) {
	for _, v := range vs {
		some, err := v.value.Numbers()
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

// tolerance is the relative error that the least precise of some fields allows.
func tolerance(single, double float64, vs ...*vector) float64 {
	if slices.ContainsFunc(vs, func(v *vector) bool { return !v.field.Precise() }) {
		return single
	}
	return double
}

// A quotient compares derivatives along a direction with difference quotients.
type quotient struct {
	x         []*vector
	tolerance float64
	state     *gradient.State
	run       func() error // from the state, with the numbers of x changed
	result    func() ([]float64, error)
	weights   []float64 // of the results
	middle    []float64 // the results without a step
}

// compare takes a random direction. It reports whether anything could be concluded.
func (q *quotient) compare(random *rand.Rand) (wrong *Mismatch, known bool, err error) {
	direction := make([][]float64, len(q.x))
	size := 0.0 // of the derivative, if its terms were independent
	for i, v := range q.x {
		direction[i] = make([]float64, len(v.at))
		for j := range direction[i] {
			if v.fixed != nil && v.fixed[j] {
				continue
			}
			d := (random.Float64()*2 - 1) * v.scale(j)
			direction[i][j] = d
			size += v.slope[j] * d * v.slope[j] * d
		}
	}
	size = math.Sqrt(size)
	steps, small := 10, 6 // of h; the number of one that no kink lies within, as a rule
	if q.tolerance < 1e-5 {
		steps, small = 22, 16
	}
	var table [22][22]float64
	h, last := first, math.NaN()
	steady := 0 // how many steps in sequence give about the same quotient and discrepancy
	for i := range steps {
		slope, diff, bend, err := q.at(direction, h)
		if err != nil {
			return nil, false, err
		}
		table[i][0] = slope - diff
		scale := max(size, math.Abs(slope), math.Abs(diff), 1e-300)
		for j, factor := 1, 4.0; j <= i; j, factor = j+1, factor*4 {
			table[i][j] = (table[i][j-1]*factor - table[i-1][j-1]) / (factor - 1)
			off := max(math.Abs(table[i][j]-table[i][j-1]), math.Abs(table[i][j]-table[i-1][j-1]))
			if math.Abs(table[i][j])+off < q.tolerance*scale {
				return nil, true, nil
			}
		}
		if size == 0 && slope == 0 && diff == 0 {
			return nil, true, nil
		}
		e := table[i][0]
		same := i > 0 && math.Abs(e-table[i-1][0]) <= 0.05*math.Abs(e) && math.Abs(diff-last) <= 0.2*math.Abs(diff)+1e-14*size
		if steady++; !same {
			steady = 0
		}
		if steady >= 3 && i >= small && math.Abs(e) > 2*q.tolerance*scale && bend < math.Abs(e)/2 {
			wrong = &Mismatch{Derivative: slope, Difference: diff} // unless a smaller step says otherwise
		}
		last = diff
		h /= 2
	}
	return wrong, wrong != nil, nil
}

// at returns the derivative along a direction, and the central difference quotient, for the step that was really taken;
// and by how much the quotients to both sides differ, which at a kink is the same for all steps.
func (q *quotient) at(direction [][]float64, h float64) (slope, diff, bend float64, err error) {
	if q.middle == nil {
		if err := q.state.Restore(); err != nil {
			return 0, 0, 0, err
		}
		if err := q.run(); err != nil {
			return 0, 0, 0, err
		}
		if q.middle, err = q.result(); err != nil {
			return 0, 0, 0, err
		}
	}
	var ends [2][]float64
	var xs [2][][]float64
	for side, sign := range []float64{1, -1} {
		if err := q.state.Restore(); err != nil {
			return 0, 0, 0, err
		}
		moved := make([][]float64, len(q.x))
		for i, v := range q.x {
			moved[i] = make([]float64, len(v.at))
			for j, a := range v.at {
				moved[i][j] = a + sign*h*direction[i][j]
			}
			if err := v.value.SetNumbers(moved[i]); err != nil {
				return 0, 0, 0, err
			}
			if moved[i], err = v.value.Numbers(); err != nil {
				return 0, 0, 0, err
			}
		}
		xs[side] = moved
		if err := q.run(); err != nil {
			return 0, 0, 0, err
		}
		if ends[side], err = q.result(); err != nil {
			return 0, 0, 0, err
		}
	}
	for i, v := range q.x {
		for j, s := range v.slope {
			if step := xs[0][i][j] - xs[1][i][j]; step != 0 {
				slope += s * step
			}
		}
	}
	for i, w := range q.weights {
		if ends[0][i] != ends[1][i] {
			diff += w * (ends[0][i] - ends[1][i])
			bend += w * (ends[0][i] - q.middle[i] + ends[1][i] - q.middle[i])
		}
	}
	return slope / (2 * h), diff / (2 * h), math.Abs(bend) / h, nil
}
