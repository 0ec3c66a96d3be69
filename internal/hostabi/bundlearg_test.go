package hostabi_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	ti "github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

const bundleArgSource = `
package grid

type Level struct {
	U, R field[f32, D2]
	N    i32
	H    f32
	W    [2]field[i32]
}

type Pair struct {
	Cells node
	Level Level
	At    vec2
}

var Own Level

func (l Level) scale(i, j i32) f32 { return l.H * f32(i*l.N+j) }

func Fill(l Level, by f32) {
	for i, j := range l.U {
		l.U[i][j] = by * l.scale(i, j)
	}
	for i := range l.W[1] {
		l.W[1][i] = l.N
	}
}

func Restrict(coarse, fine Level) f32 {
	sum := f32(0)
	for i, j := range coarse.U {
		coarse.U[i][j] = fine.U[2*i][2*j] + fine.U[2*i+1][2*j+1]
		sum += coarse.U[i][j]
	}
	return sum
}

func Count(p Pair) (n i32, x f32) {
	for c := range p.Cells {
		n += 1 + 0*c.x
	}
	return n, p.Level.U[1][0] + p.At.y
}

func Sum(fs [2]field[f32, D1]) f32 {
	s := f32(0)
	for i := range fs[0] {
		s += fs[0][i] * fs[1][i]
	}
	return s
}

func FillOwn() {
	for i, j := range Own.U {
		Own.U[i][j] = 3
	}
}
`

type gridLevel struct {
	U, R ti.Field[float32]
	N    int
	H    float32
	W    [2]*ti.Field[int32]
	Name string
}

type gridPair struct {
	Cells *ti.Node
	Level *gridLevel
	At    ti.Vec2
}

type gridHost struct {
	Own      *gridLevel
	Fill     func(l *gridLevel, by float32) error
	Restrict func(coarse, fine *gridLevel) (float32, error)
	Count    func(p gridPair) (int32, float32, error)
	Sum      func(fs [2]*ti.Field[float32]) (float32, error)
	FillOwn  func()
}

func newGridLevel(rt *ti.Runtime, n int) *gridLevel {
	l := &gridLevel{N: n, H: 1 / float32(n)}
	rt.Place(ti.Shape{n, n}, &l.U, &l.R)
	for i := range l.W {
		l.W[i] = ti.NewField[int32](rt, 3)
	}
	return l
}

// TestBundleArguments passes Go structs of fields and constants to kernels.
func TestBundleArguments(t *testing.T) {
	titest.OnEach(t, func(t *testing.T, rt *ti.Runtime) {
		h := &gridHost{Own: newGridLevel(rt, 4)}
		p, err := rt.Compile(ti.Text("grid.ti", bundleArgSource), h)
		if err != nil {
			t.Fatal(err)
		}
		fine, coarse := newGridLevel(rt, 8), newGridLevel(rt, 4)
		if err := h.Fill(fine, 2); err != nil || fine.U.At(3, 1) != 2*(3*8+1)/8.0 || fine.W[1].At(2) != 8 || fine.W[0].At(2) != 0 {
			t.Errorf("Fill: %v, %v, %v, %v", fine.U.At(3, 1), fine.W[1].At(2), fine.W[0].At(2), err)
		}
		want := fine.U.At(2, 4) + fine.U.At(3, 5)
		if sum, err := h.Restrict(coarse, fine); err != nil || coarse.U.At(1, 2) != want || sum < want {
			t.Errorf("Restrict: %v of %v, %v", coarse.U.At(1, 2), sum, err)
		}
		fine.H = 1 // a constant is read at each launch
		if err := h.Fill(fine, 1); err != nil || fine.U.At(3, 1) != 25 {
			t.Errorf("Fill with another constant: %v, %v", fine.U.At(3, 1), err)
		}
		// What is bound to a var is a bundle like others.
		h.FillOwn()
		if sum, err := h.Restrict(coarse, coarse); err == nil || !strings.Contains(err.Error(), "out of range") {
			t.Errorf("Restrict of one level: %v, %v", sum, err)
		}
		small := newGridLevel(rt, 2)
		if sum, err := h.Restrict(small, h.Own); err != nil || sum != 24 {
			t.Errorf("Restrict of a var: %v, %v", sum, err)
		}
		cells := rt.NewTree().Dense(ti.IJ, 3, 4)
		cells.Dense(ti.I, 2).Place(new(ti.Field[float32]))
		if n, x, err := h.Count(gridPair{cells, h.Own, ti.Vec2{1, 2}}); err != nil || n != 12 || x != 5 {
			t.Errorf("Count: %v, %v, %v", n, x, err)
		}
		a, b := ti.NewField[float32](rt, 3), ti.NewField[float32](rt, 3)
		a.Fill(2)
		b.Fill(5)
		if s, err := h.Sum([2]*ti.Field[float32]{a, b}); err != nil || s != 30 {
			t.Errorf("Sum: %v, %v", s, err)
		}
		if got, err := p.Kernel("Sum").Launch(context.Background(), [2]*ti.Field[float32]{a, a}); err != nil || got[0] != float32(12) {
			t.Errorf("Sum of one field: %v, %v", got, err)
		}
		if _, err := p.Kernel("Fill").Launch(context.Background(), fine, float32(3)); err != nil || fine.U.At(3, 1) != 75 {
			t.Errorf("Launch: %v, %v", fine.U.At(3, 1), err)
		}
	})
}

func TestBundleArgumentErrors(t *testing.T) {
	rt, other := titest.New(t, ti.Config{}), titest.New(t, ti.Config{})
	p, err := rt.Compile(ti.Text("grid.ti", bundleArgSource), &struct{ Own *gridLevel }{newGridLevel(rt, 4)})
	if err != nil {
		t.Fatal(err)
	}
	good := newGridLevel(rt, 4)
	unplaced := &gridLevel{W: good.W}
	closed := newGridLevel(rt, 4)
	if err := closed.U.Tree().Close(); err != nil {
		t.Fatal(err)
	}
	type without struct{ U *ti.Field[float32] }
	type hidden struct {
		U, R *ti.Field[float32]
		n    int
		H    float32
		W    [2]*ti.Field[int32]
	}
	type loose struct {
		U, R ti.AnyField
		N    int
		H    float32
		W    [2]*ti.Field[int32]
	}
	ok := func(u ti.AnyField) loose { return loose{U: u, R: &good.R, W: good.W} }
	tests := []struct {
		kernel string
		arg    any
		is     error
		want   string
	}{
		{"Fill", nil, ti.ErrArgs, "argument 1 of func Fill(l Level, by f32) is nil; give it a Level: a pointer to a struct"},
		{"Fill", (*gridLevel)(nil), ti.ErrArgs, "is nil"},
		{"Fill", &good.U, ti.ErrArgs, "argument 1 is a *ti.Field[float32] where func Fill(l Level, by f32) takes a Level"},
		{"Fill", unplaced, ti.ErrPlace, "l.U: field not placed"},
		{"Fill", closed, ti.ErrClosed, "closed"},
		{"Fill", newGridLevel(other, 4), ti.ErrPlace, "field U of hostabi_test.gridLevel was placed in another runtime"},
		{"Fill", without{&good.U}, ti.ErrArgs, "the argument has nothing to bind l.R of the source to; add it"},
		{"Fill", hidden{&good.U, &good.R, 1, 2, good.W}, ti.ErrArgs, "field n of hostabi_test.hidden cannot be bound to l.N: it is unexported"},
		{"Fill", ok(nil), ti.ErrArgs, "field U of hostabi_test.loose is nil"},
		{"Fill", ok(ti.NewField[float32](rt, 4)), nil, "grid.ti:21:11: parameter l.U of Fill takes a field of 2 axes, and l.U has 1 axis [TI0521]"},
		{"Fill", ok(ti.NewField[int32](rt, 4, 4)), nil, "takes a field of f32, and l.U is a field of i32"},
		{"Fill", &gridPair{}, ti.ErrArgs, "the argument has nothing to bind l.U of the source to"},
		{"Sum", [3]*ti.Field[float32]{}, ti.ErrArgs, "takes a [2]field[f32, D1]: an array of pointers to these, or"},
		{"Sum", [2]*ti.Field[float32]{}, ti.ErrArgs, "element 0 of the argument is nil"},
		{"Sum", new([3]ti.Field[float32]), ti.ErrArgs, "takes a [2]field[f32, D1]: an array of pointers to these, or a pointer to an array"},
	}
	for _, tt := range tests {
		args := []any{tt.arg}
		if tt.kernel == "Fill" {
			args = append(args, float32(1))
		}
		_, err := p.Kernel(tt.kernel).Launch(context.Background(), args...)
		if err == nil || tt.is != nil && !errors.Is(err, tt.is) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s(%T): %v, want %q", tt.kernel, tt.arg, err, tt.want)
		}
	}
	if _, err := p.Kernel("Sum").Launch(context.Background(), &[2]ti.Field[float32]{}); !errors.Is(err, ti.ErrPlace) {
		t.Errorf("fields in an array that are not placed: %v", err)
	}
	var h struct {
		Own  *gridLevel
		Fill func(l *ti.Field[float32], by float32)
	}
	h.Own = good
	if err := rt.Load(bundleArgSource, &h); err == nil || !strings.Contains(err.Error(), "write it as Fill func(l *Level, by float32) error") {
		t.Errorf("a func of another type: %v", err)
	}
}
