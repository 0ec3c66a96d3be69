package conformance

import (
	"slices"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/runtest"
)

const layoutSource = `
var X field[i32]
var V field[vec2]
var C field[i64]

func code[T any](p T) i32 {
	q := vec(p)
	s := 0
	for d := range static(q.n) { s = s*64 + q[d] + 1 }
	return s
}

func Paint() {
	for p := range X { X[p] = code(p) }
	for p := range V { V[p].y = f32(code(p)) }
}

func Turn() (n, s i64) {
	last := X.shape - 1
	for p := range C { C[p] = i64(X[last-p]) << 20 }
	for p := range X { n++; s += i64(X[p]) }
	for p := range V {
		V[p].x += V[p].y
		V[p] *= 2
	}
	for p := range serial(V) { n += i64(V[p].x) - i64(V[p].y) }
	return
}
`

// A layoutRule is a way to lay out two fields of a shape.
type layoutRule struct {
	name  string
	shape ti.Shape
	place func(t *ti.Tree, x, v ti.AnyField)
}

// Ways to lay out fields, which no program sees.
//
//conform:theme layouts
func TestConformLayouts(t *testing.T) {
	small := ti.Shape{8, 12}
	checkLayouts(t, []layoutRule{
		{"rows", small, func(t *ti.Tree, x, v ti.AnyField) { t.Dense(ti.IJ, 8, 12).Place(x); t.Dense(ti.IJ, 8, 12).Place(v) }},
		{"columns", small, func(t *ti.Tree, x, v ti.AnyField) { t.Dense(ti.JI, 12, 8).Place(x); t.Dense(ti.JI, 12, 8).Place(v) }},
		{"one by rows, one by columns", small, func(t *ti.Tree, x, v ti.AnyField) { t.Dense(ti.IJ, 8, 12).Place(x); t.Dense(ti.JI, 12, 8).Place(v) }},
		{"side by side", small, func(t *ti.Tree, x, v ti.AnyField) { t.Dense(ti.IJ, 8, 12).Place(x, v) }},
		{"side by side in columns", small, func(t *ti.Tree, x, v ti.AnyField) { t.Dense(ti.JI, 12, 8).Place(v, x) }},
		{"components apart", small, func(t *ti.Tree, x, v ti.AnyField) {
			for _, m := range append(ti.Members(v), x) {
				t.Dense(ti.IJ, 8, 12).Place(m)
			}
		}},
		{"one component apart, by columns", small, func(t *ti.Tree, x, v ti.AnyField) {
			t.Dense(ti.JI, 12, 8).Place(ti.Members(v)[1])
			t.Dense(ti.IJ, 8, 12).Place(x, v)
		}},
		{"components in the other order", small, func(t *ti.Tree, x, v ti.AnyField) {
			m := ti.Members(v)
			t.Dense(ti.IJ, 8, 12).Place(m[1], x, m[0])
		}},
		{"one axis a node", small, func(t *ti.Tree, x, v ti.AnyField) { t.Dense(ti.I, 8).Dense(ti.J, 12).Place(x, v) }},
		{"one axis a node, the last first", small, func(t *ti.Tree, x, v ti.AnyField) { t.Dense(ti.J, 12).Dense(ti.I, 8).Place(x, v) }},
		{"a row of x beside a row of v", small, func(t *ti.Tree, x, v ti.AnyField) {
			row := t.Dense(ti.I, 8)
			row.Dense(ti.J, 12).Place(x)
			row.Dense(ti.J, 12).Place(v)
		}},
		{"square blocks", small, func(t *ti.Tree, x, v ti.AnyField) { t.Dense(ti.IJ, 2, 3).Dense(ti.IJ, 4).Place(x, v) }},
		{"blocks by columns", small, func(t *ti.Tree, x, v ti.AnyField) { t.Dense(ti.JI, 3, 2).Dense(ti.IJ, 4).Place(x, v) }},
		{"columns in blocks", small, func(t *ti.Tree, x, v ti.AnyField) { t.Dense(ti.IJ, 2, 3).Dense(ti.JI, 4).Place(x, v) }},
		{"blocks of three", small, func(t *ti.Tree, x, v ti.AnyField) { t.Dense(ti.IJ, 4, 4).Dense(ti.IJ, 2, 3).Place(x, v) }},
		{"blocks along one axis", small, func(t *ti.Tree, x, v ti.AnyField) { t.Dense(ti.IJ, 8, 3).Dense(ti.J, 4).Place(x, v) }},
		{"blocks along the first axis", small, func(t *ti.Tree, x, v ti.AnyField) { t.Dense(ti.IJ, 2, 12).Dense(ti.I, 4).Place(x, v) }},
		{"blocks of blocks", small, func(t *ti.Tree, x, v ti.AnyField) {
			t.Dense(ti.IJ, 2, 3).Dense(ti.IJ, 2).Dense(ti.IJ, 2).Place(x, v)
		}},
		{"four levels of one axis each", small, func(t *ti.Tree, x, v ti.AnyField) {
			t.Dense(ti.I, 2).Dense(ti.J, 3).Dense(ti.I, 4).Dense(ti.J, 4).Place(x, v)
		}},
		{"blocks of different sizes in one", small, func(t *ti.Tree, x, v ti.AnyField) {
			b := t.Dense(ti.IJ, 2, 3)
			b.Dense(ti.IJ, 4).Place(x)
			b.Dense(ti.IJ, 2).Dense(ti.JI, 2).Place(v)
		}},
		{"fields apart within a block", small, func(t *ti.Tree, x, v ti.AnyField) {
			b := t.Dense(ti.IJ, 2, 3)
			for _, m := range append(ti.Members(v), x) {
				b.Dense(ti.IJ, 4).Place(m)
			}
		}},
		{"a field that nobody uses between", small, func(t *ti.Tree, x, v ti.AnyField) {
			t.Dense(ti.IJ, 8, 12).Place(x, new(ti.Field[int8]), v)
		}},
		{"odd sizes", ti.Shape{7, 13}, func(t *ti.Tree, x, v ti.AnyField) { t.Dense(ti.IJ, 7, 13).Place(x, v) }},
		{"odd blocks", ti.Shape{9, 25}, func(t *ti.Tree, x, v ti.AnyField) { t.Dense(ti.IJ, 3, 5).Dense(ti.IJ, 3, 5).Place(x, v) }},
		{"a single element", ti.Shape{1, 1}, func(t *ti.Tree, x, v ti.AnyField) { t.Dense(ti.IJ, 1).Place(x, v) }},
		{"a single row", ti.Shape{1, 40}, func(t *ti.Tree, x, v ti.AnyField) { t.Dense(ti.IJ, 1, 40).Place(x, v) }},
		{"a single column", ti.Shape{40, 1}, func(t *ti.Tree, x, v ti.AnyField) { t.Dense(ti.IJ, 40, 1).Place(x, v) }},
		{"a Z-order curve", ti.Shape{8, 8}, func(t *ti.Tree, x, v ti.AnyField) { t.Dense(ti.IJ, 8).Morton().Place(x, v) }},
		{"a Z-order curve of a rectangle", ti.Shape{4, 32}, func(t *ti.Tree, x, v ti.AnyField) { t.Dense(ti.IJ, 4, 32).Morton().Place(x, v) }},
		{"a Z-order curve in blocks", small, func(t *ti.Tree, x, v ti.AnyField) { t.Dense(ti.IJ, 2, 3).Dense(ti.IJ, 4).Morton().Place(x, v) }},
		{"blocks along a Z-order curve", ti.Shape{12, 20}, func(t *ti.Tree, x, v ti.AnyField) {
			t.Dense(ti.IJ, 4).Morton().Dense(ti.IJ, 3, 5).Place(x, v)
		}},
		{"one axis", ti.Shape{37}, func(t *ti.Tree, x, v ti.AnyField) { t.Dense(ti.I, 37).Place(x, v) }},
		{"one axis in blocks", ti.Shape{40}, func(t *ti.Tree, x, v ti.AnyField) { t.Dense(ti.I, 5).Dense(ti.I, 8).Place(x, v) }},
		{"one axis that is not the first", ti.Shape{9}, func(t *ti.Tree, x, v ti.AnyField) { t.Dense(ti.K, 9).Place(x, v) }},
		{"two axes that are not the first", ti.Shape{4, 6}, func(t *ti.Tree, x, v ti.AnyField) { t.Dense("lk", 6, 4).Place(x, v) }},
		{"three axes", ti.Shape{3, 4, 5}, func(t *ti.Tree, x, v ti.AnyField) { t.Dense(ti.IJK, 3, 4, 5).Place(x, v) }},
		{"three axes turned around", ti.Shape{3, 4, 5}, func(t *ti.Tree, x, v ti.AnyField) { t.Dense(ti.KJI, 5, 4, 3).Place(x, v) }},
		{"three axes in another order", ti.Shape{3, 4, 5}, func(t *ti.Tree, x, v ti.AnyField) { t.Dense("jki", 4, 5, 3).Place(x, v) }},
		{"cubes", ti.Shape{4, 8, 12}, func(t *ti.Tree, x, v ti.AnyField) { t.Dense(ti.IJK, 1, 2, 3).Dense(ti.IJK, 4).Place(x, v) }},
		{"a Z-order curve in space", ti.Shape{4, 4, 4}, func(t *ti.Tree, x, v ti.AnyField) { t.Dense(ti.IJK, 4).Morton().Place(x, v) }},
		{"four axes", ti.Shape{2, 3, 4, 5}, func(t *ti.Tree, x, v ti.AnyField) { t.Dense(ti.IJKL, 2, 3, 4, 5).Place(x, v) }},
		{"four axes by two and two", ti.Shape{2, 3, 4, 5}, func(t *ti.Tree, x, v ti.AnyField) { t.Dense("kl", 4, 5).Dense(ti.IJ, 2, 3).Place(x, v) }},
	})
}

// checkLayouts runs layoutSource with each layout, and looks at the elements from the
// host's side.
func checkLayouts(t *testing.T, rows []layoutRule) {
	var all []hostRule
	for _, row := range rows {
		all = append(all, hostRule{row.name, func(r *runtest.Run) {
			var h struct {
				X     ti.Field[int32]
				V     ti.Field[ti.Vec2]
				C     ti.Field[int64]
				Paint func() error
				Turn  func() (n, s int64, err error)
			}
			tree := r.RT.NewTree()
			r.Trees = append(r.Trees, tree)
			row.place(tree, &h.X, &h.V)
			r.Place(row.shape, &h.C)
			r.Load("package p\n"+layoutSource, &h)
			runtest.OK(r, h.Paint())
			n, s, err := h.Turn()
			runtest.OK(r, err)
			if !slices.Equal(h.X.Shape(), row.shape) || !slices.Equal(h.V.Shape(), row.shape) {
				r.Errorf("the shapes are %v and %v, not %v", h.X.Shape(), h.V.Shape(), row.shape)
			}
			count, sum := 0, int64(0)
			var codes []int32 // in row-major order
			index := make([]int, len(row.shape))
			for {
				want := int32(0)
				for _, i := range index {
					want = want*64 + int32(i) + 1
				}
				codes = append(codes, want)
				runtest.Eq(r, "an element", h.X.At(index...), want)
				runtest.Eq(r, "a vector", h.V.At(index...), ti.Vec2{2 * float32(want), 2 * float32(want)})
				count, sum = count+1, sum+int64(want)
				d := len(index) - 1
				for ; d >= 0; d-- {
					if index[d]++; index[d] < row.shape[d] {
						break
					}
					index[d] = 0
				}
				if d < 0 {
					break
				}
			}
			runtest.Eq(r, "the number of elements", n, int64(count))
			runtest.Eq(r, "the sum", s, sum)
			turned := make([]int64, count)
			runtest.OK(r, h.C.CopyTo(turned))
			for i, v := range turned {
				runtest.Eq(r, "a turned element", v, int64(codes[count-1-i])<<20)
			}
			copied := make([]int32, count)
			runtest.OK(r, h.X.CopyTo(copied))
			if !slices.Equal(copied, codes) {
				r.Errorf("CopyTo gives %v, not %v", copied, codes)
			}
			visited := 0
			for idx, v := range h.X.All() {
				runtest.Eq(r, "an element of All", v, h.X.At(idx[:len(row.shape)]...))
				visited++
			}
			runtest.Eq(r, "the elements of All", visited, count)
		}})
	}
	hostRules(t, all)
}

// An originRule is a kernel over fields X and Y that begin at an origin.
type originRule struct {
	name          string
	origin, shape []int
	body          string
	want          int32
}

// Fields whose lowest index is not zero.
//
//conform:theme origins
func TestConformOrigins(t *testing.T) {
	var all []hostRule
	for _, o := range []originRule{
		{"the loop begins at the origin", []int{-3}, []int{8}, `m := 100; for i := range X { m = min(m, i) }; return m`, -3},
		{"the loop ends at origin and extent", []int{-3}, []int{8}, `m := -100; for i := range X { m = max(m, i) }; return m`, 4},
		{"a positive origin", []int{10}, []int{6}, `s := 0; for i := range X { X[i] = i; s += X[i] }; return s`, 75},
		{"the shape does not change", []int{-3}, []int{8}, `return X.shape[0] + len(X)`, 16},
		{"an element below zero", []int{-3}, []int{8}, `X[-3] = 5; X[-1] = 6; return X[-3]*10 + X[-1]`, 56},
		{"an index computed at run time", []int{-3}, []int{8}, `for i := range X { X[i] = i*i }; k := X[-2] - 3; return X[k] + X[k-3]`, 5},
		{"two axes with different origins", []int{-4, 8}, []int{4, 6}, `s := 0; for i, j := range X { s += i*100 + j }; return s`, -100*(4+3+2+1)*6 + (8+9+10+11+12+13)*4},
		{"the grouped index", []int{-4, 8}, []int{4, 6}, `for p := range X { X[p] = p.x*100 + p.y }; return X[-1][9] + X[ivec2(-4, 8)]`, -100 + 9 - 400 + 8},
		{"one axis only", []int{0, -5}, []int{4, 10}, `for i, j := range X { X[i][j] = i*10 + j }; return X[3][-5] + X[0][4]`, 29},
		{"a single element", []int{-3, 5}, []int{1, 1}, `s := 0; for i, j := range X { X[i][j] = i*100 + j; s += X[i][j] }; return s`, -295},
		{"an axis of extent 1 between others", []int{2, -3, 1}, []int{4, 1, 8}, `staticAssert(X.shape[1]+1 == 2, "constant"); s := 0; for p := range X { s += p.x*100 + p.y*10 + p.z }; return s`, 100*14*8 - 30*32 + 36*4},
		{"three axes", []int{-2, -4, -6}, []int{4, 8, 12}, `for p := range X { X[p] = p.x + p.y + p.z }; return X[-2][-4][-6]*100 + X[1][3][5]`, -1200 + 9},
		{"another field of the same origin", []int{-4, 8}, []int{4, 6}, `for p := range X { X[p] = p.x }; for p := range Y { Y[p] = X[p] * p.y }; return Y[-4][13]`, -52},
		{"neighbours", []int{-4}, []int{8}, `for i := range X { X[i] = i }; for i := range span(-3, 3) { Y[i] = X[i-1] + X[i+1] }; return Y[-3]*10 + Y[2]`, -60 + 4},
		{"a range of the shape is not one of the indices", []int{-4}, []int{8}, `for i := range X.shape[0] { X[i-4] = i }; return X[-4]*10 + X[3]`, 7},
		{"blocks begin at the origin", []int{-4, -4}, []int{8, 8}, `n := 0; for i, j := range X { if i < 0 && j < 0 { n++ } }; return n`, 16},
		{"a serial loop", []int{-2}, []int{4}, `s := 0; for i := range serial(X) { s = s*10 + i }; return s`, -2*1000 - 100 + 0 + 1},
		{"remainders of negative indices", []int{-6}, []int{12}, `n := 0; for i := range X { if mod(i, 3) == 0 { n++ }; if i%3 == -1 { n += 100 } }; return n`, 204},
	} {
		all = append(all, hostRule{o.name, func(r *runtest.Run) {
			for _, r.Layout = range []runtest.Layout{runtest.Flat, runtest.Blocked} {
				var h struct {
					X, Y ti.Field[int32]
					Run  func() (int32, error)
				}
				r.PlaceAt(o.origin, o.shape, &h.X, &h.Y)
				r.Load("package p\nvar X, Y field[i32]\nfunc Run() i32 {\n"+o.body+"\n}\n", &h)
				got, err := h.Run()
				runtest.OK(r, err)
				runtest.Eq(r, o.body, got, o.want)
				if !slices.Equal(h.X.Origin(), o.origin) {
					r.Errorf("the origin is %v", h.X.Origin())
				}
			}
		}})
	}
	hostRules(t, all)
}
