package gradcheck

import (
	"math"
	"math/rand/v2"

	"github.com/gotaichi/ti/internal/session"
)

// A vector is a field with its adjoint, as numbers in row-major order.
type vector struct {
	field, adjoint *session.Field
	at             []float64 // where derivatives are taken
	slope          []float64 // the adjoint
	scale          float64   // of the numbers
	fixed          []bool    // these are not changed; nil for none
}

func newVector(f *session.Field) (*vector, error) {
	g, err := f.Adjoint()
	if err != nil {
		return nil, err
	}
	v := &vector{field: f, adjoint: g}
	if v.at, err = f.Numbers(); err != nil {
		return nil, err
	}
	sum := 0.0
	for _, a := range v.at {
		sum += a * a
	}
	v.scale = math.Sqrt(sum / float64(max(1, len(v.at))))
	if !(v.scale > 1e-30) || math.IsInf(v.scale, 0) {
		v.scale = 1
	}
	return v, nil
}

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
		some, err := v.field.Numbers()
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

// tolerance is the relative error that the least precise of some fields allows.
func tolerance(groups ...[]*vector) float64 {
	for _, g := range groups {
		for _, v := range g {
			if !v.field.Precise() {
				return 1e-2
			}
		}
	}
	return 1e-6
}

// A quotient compares derivatives along a direction with difference quotients.
type quotient struct {
	x         []*vector
	tolerance float64
	state     *session.State
	run       func() error // from the state, with the numbers of x changed
	result    func() ([]float64, error)
	weights   []float64 // of the results
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
			d := (random.Float64()*2 - 1) * v.scale
			direction[i][j] = d
			size += v.slope[j] * d * v.slope[j] * d
		}
	}
	size = math.Sqrt(size)
	var table [steps][steps]float64
	best, bound := math.NaN(), math.Inf(1)
	derivative, difference := 0.0, 0.0
	h, last := first, math.NaN()
	steady, most := 0, 0 // how many quotients in sequence are about the same
	for i := range steps {
		slope, diff, err := q.at(direction, h)
		if err != nil {
			return nil, false, err
		}
		table[i][0] = slope - diff
		if steady++; !(math.Abs(diff-last) <= 0.2*math.Abs(diff)+1e-9*size) {
			steady = 0
		}
		last, most = diff, max(most, steady)
		scale := max(size, math.Abs(slope), math.Abs(diff), 1e-300)
		for j, factor := 1, 4.0; j <= i; j, factor = j+1, factor*4 {
			table[i][j] = (table[i][j-1]*factor - table[i-1][j-1]) / (factor - 1)
			off := max(math.Abs(table[i][j]-table[i][j-1]), math.Abs(table[i][j]-table[i-1][j-1]))
			if math.Abs(table[i][j])+off < q.tolerance*scale {
				return nil, true, nil
			}
			if off < bound {
				best, bound = table[i][j], off
				derivative, difference = slope, slope-best
			}
		}
		if size == 0 && slope == 0 && diff == 0 {
			return nil, true, nil
		}
		h /= 2
	}
	scale := max(size, math.Abs(derivative), math.Abs(difference))
	if most >= 3 && bound < max(q.tolerance*scale, math.Abs(best)/10) && math.Abs(best) > q.tolerance*scale+10*bound {
		return &Mismatch{Derivative: derivative, Difference: difference}, true, nil
	}
	return nil, false, nil
}

// at returns the derivative along a direction, and the central difference quotient, for the step that was really taken.
func (q *quotient) at(direction [][]float64, h float64) (slope, diff float64, err error) {
	var ends [2][]float64
	var xs [2][][]float64
	for side, sign := range []float64{1, -1} {
		if err := q.state.Restore(); err != nil {
			return 0, 0, err
		}
		moved := make([][]float64, len(q.x))
		for i, v := range q.x {
			moved[i] = make([]float64, len(v.at))
			for j, a := range v.at {
				moved[i][j] = a + sign*h*direction[i][j]
			}
			if err := v.field.SetNumbers(moved[i]); err != nil {
				return 0, 0, err
			}
			if moved[i], err = v.field.Numbers(); err != nil {
				return 0, 0, err
			}
		}
		xs[side] = moved
		if err := q.run(); err != nil {
			return 0, 0, err
		}
		if ends[side], err = q.result(); err != nil {
			return 0, 0, err
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
		}
	}
	return slope / (2 * h), diff / (2 * h), nil
}
