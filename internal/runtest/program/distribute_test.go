package program

import (
	"errors"
	"slices"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/randtest"
	"github.com/gotaichi/ti/internal/runtest"
)

// All numbers are whole and small, so that sums are exact in any order.
const distributeSource = `package p

var (
	B, C field[i32]
	X, Y field[vec2]
	F, S field[f32]
	Grid field[vec2, D2]
	Mass field[f32, D2]
)

// much is enough arithmetic for loop distribution to pay.
func much(x, y f32) vec2 {
	a, b := x+2*y, 3*x-y
	return vec2(a*a-b*b+4*a, a*b-2*b+x) - 5*vec2(x*y, x-y)
}

// What nine nodes around a particle hold, to the particle.
func FromNodes() {
	for p := range X {
		i, j := B[p], C[p]
		v, m := vec2(0), f32(0)
		for o := range static(ndrange(3, 3)) {
			g := Grid[i+o.x][j+o.y]
			v += f32(o.x+2*o.y+1) * much(g.x, g.y)
			m += f32(o.y+1) * Mass[i+o.x][j+o.y]
		}
		Y[p] = v
		F[p] += m
	}
}

// And back, many particles to one node, by sums.
func ToNodes() {
	for p := range X {
		i, j := B[p], C[p]
		v := X[p]
		for o := range static(ndrange(3, 3)) {
			Grid[i+o.x][j+o.y] += f32(o.x+1) * much(v.x+f32(o.x), v.y-f32(o.y))
			Mass[i+o.x][j+o.y] += f32(o.y+1) * F[p]
		}
	}
}

// Places of one iteration each, which are read and written.
func Exchange() {
	for p := range X {
		i := 4 * B[p]
		u := much(S[i], S[i+1])
		w := much(X[p].x+u.x, X[p].y) + much(u.y, X[p].x)
		S[i] = w.x - 2*u.y
		S[i+1] += w.y
		S[i+3] = S[i+2] + u.x
		S[i+2] = w.x
		S[i] += X[p].x
	}
}

// What is read at a place that is data may be what the iteration has stored.
func OwnStore() {
	for p := range X {
		i, v := C[p], much(X[p].x, X[p].y)
		F[p] = v.x
		f := F[i] + 0*(F[i+1]+F[i+2]+F[i+3])
		w := much(f+f*v.y, f) + much(v.x, v.y)
		Y[p] = w + f - v.y*w.y
	}
}

// Branches without accesses are computed.
func Branches() {
	for p := range X {
		i := B[p]
		a, b := S[i], S[i+1]
		r := much(a, b)
		if X[p].x > 2 {
			r += much(b, a+1)
			if a > b {
				r.y = a
			}
		} else {
			r -= much(a-3, 2*b)
		}
		for o := range static(4) {
			r.x += f32(o) * S[i+o]
		}
		Y[p] = r
	}
}

// One test before the loop checks whether there is a row. All other indices are in range.
func Wrapped(row int) {
	for p := range X {
		i, j := mod(B[p]*5-3, Grid.shape[1]), mod(C[p]+1, Mass.shape[1])
		a := S[i]
		u := much(a, X[p].x) + much(X[p].y, S[j])
		Grid[row][i] += u
		Grid[row][j] -= much(u.y, a)
		Mass[row][i] += u.x
		Y[p] = u - much(X[p].x, a)
	}
}
`

type distributeHost struct {
	B, C                                             ti.Field[int32]
	X, Y                                             ti.Field[ti.Vec2]
	F, S                                             ti.Field[float32]
	Grid                                             ti.Field[ti.Vec2]
	Mass                                             ti.Field[float32]
	FromNodes, ToNodes, Exchange, OwnStore, Branches func() error
	Wrapped                                          func(row int) error
}

const nodesOfDistribute = 12 // along an edge

// distributeWorld is what the kernels see, in Go; what is out of range reads 0, stores nothing and is counted.
type distributeWorld struct {
	b, c  []int32
	x, y  []ti.Vec2
	f, s  []float32
	grid  [nodesOfDistribute][nodesOfDistribute]ti.Vec2
	mass  [nodesOfDistribute][nodesOfDistribute]float32
	row   int32 // of Wrapped
	fails int
}

func distributeMuch(x, y float32) ti.Vec2 {
	a, b := x+2*y, 3*x-y
	return ti.Vec2{a*a - b*b + 4*a - 5*x*y, a*b - 2*b + x - 5*(x-y)}
}

func (w *distributeWorld) node(i, j int32) (g *ti.Vec2, m *float32) {
	if i < 0 || j < 0 || i >= nodesOfDistribute || j >= nodesOfDistribute {
		w.fails++
		return new(ti.Vec2), new(float32)
	}
	return &w.grid[i][j], &w.mass[i][j]
}

func (w *distributeWorld) at(s []float32, i int32) *float32 {
	if i < 0 || int(i) >= len(s) {
		w.fails++
		return new(float32)
	}
	return &s[i]
}

func (w *distributeWorld) run(kernel string) {
	for p := range w.x {
		i, j, x := w.b[p], w.c[p], w.x[p]
		switch kernel {
		case "FromNodes":
			w.y[p] = ti.Vec2{}
			for k := range int32(9) {
				g, m := w.node(i+k/3, j+k%3)
				u, n := distributeMuch(g[0], g[1]), float32(k/3+2*(k%3)+1)
				w.y[p][0] += n * u[0]
				w.y[p][1] += n * u[1]
				w.f[p] += float32(k%3+1) * *m
			}
		case "ToNodes":
			for k := range int32(9) {
				g, m := w.node(i+k/3, j+k%3)
				u, n := distributeMuch(x[0]+float32(k/3), x[1]-float32(k%3)), float32(k/3+1)
				g[0] += n * u[0]
				g[1] += n * u[1]
				*m += float32(k%3+1) * w.f[p]
			}
		case "Exchange":
			a, b, c, d := w.at(w.s, 4*i), w.at(w.s, 4*i+1), w.at(w.s, 4*i+2), w.at(w.s, 4*i+3)
			u := distributeMuch(*a, *b)
			v, z := distributeMuch(x[0]+u[0], x[1]), distributeMuch(u[1], x[0])
			v = ti.Vec2{v[0] + z[0], v[1] + z[1]}
			*a = v[0] - 2*u[1] + x[0]
			*b += v[1]
			*d = *c + u[0]
			*c = v[0]
		case "OwnStore":
			v := distributeMuch(x[0], x[1])
			w.f[p] = v[0]
			f := *w.at(w.f, j)
			for k := range int32(3) {
				w.at(w.f, j+k+1)
			}
			u, z := distributeMuch(f+f*v[1], f), distributeMuch(v[0], v[1])
			u = ti.Vec2{u[0] + z[0], u[1] + z[1]}
			w.y[p] = ti.Vec2{u[0] + f - v[1]*u[1], u[1] + f - v[1]*u[1]}
		case "Branches":
			w.branches(p)
		case "Wrapped":
			w.wrapped(p)
		}
	}
}

func (w *distributeWorld) branches(p int) {
	i := w.b[p]
	a, b := *w.at(w.s, i), *w.at(w.s, i+1)
	r := distributeMuch(a, b)
	if w.x[p][0] > 2 {
		u := distributeMuch(b, a+1)
		r[0], r[1] = r[0]+u[0], r[1]+u[1]
		if a > b {
			r[1] = a
		}
	} else {
		u := distributeMuch(a-3, 2*b)
		r[0], r[1] = r[0]-u[0], r[1]-u[1]
	}
	for o := range int32(4) {
		r[0] += float32(o) * *w.at(w.s, i+o)
	}
	w.y[p] = r
}

func (w *distributeWorld) wrapped(p int) {
	const n = nodesOfDistribute
	x, i, j := w.x[p], ((w.b[p]*5-3)%n+n)%n, (w.c[p]+1)%n
	a := w.s[i]
	u, z := distributeMuch(a, x[0]), distributeMuch(x[1], w.s[j])
	u = ti.Vec2{u[0] + z[0], u[1] + z[1]}
	add := func(j int32, v ti.Vec2, m float32) {
		g, h := w.node(w.row, j)
		g[0], g[1] = g[0]+v[0], g[1]+v[1]
		*h += m
	}
	add(i, u, u[0])
	z = distributeMuch(u[1], a)
	add(j, ti.Vec2{-z[0], -z[1]}, 0)
	z = distributeMuch(x[0], a)
	w.y[p] = ti.Vec2{u[0] - z[0], u[1] - z[1]}
}

// lengthsFor lists the lengths of loops that a variant runs: both, each of which is compiled by
// itself, only if it is one of the test's own.
func lengthsFor(v runtest.Variant, own []runtest.Variant) []int {
	switch {
	case runtest.AllVariants():
		return []int{63, 1031, 4100}
	case slices.ContainsFunc(own, func(o runtest.Variant) bool { return o.Label == v.Label }):
		return []int{63, 1031}
	case randtest.Turn(v.Label)%2 == 0:
		return []int{63}
	}
	return []int{1031}
}

// TestDistribute runs loops that gather and scatter, of several lengths, with all places in range and with one that is not.
func TestDistribute(t *testing.T) {
	var rts runtest.Runtimes
	defer rts.Close(t)
	own := []runtest.Variant{
		{Label: "O3", Arch: ti.LLVM, Opt: "3", Threads: 1},
		{Label: "O3 on two threads", Arch: ti.LLVM, Opt: "3", Threads: 2},
		{Label: "O3 with atomics", Arch: ti.LLVM, Opt: "3", Threads: 2, Without: "private"},
		{Label: "O3 whole", Arch: ti.LLVM, Opt: "3", Threads: 1, Without: "distribute"},
	}
	variants := append(own, runtest.TakeTurns(runtest.Variants(), randtest.Turn(t.Name()))...)
	runtest.RunIn(t, &rts, variants, func(r *runtest.Run) {
		lengths := lengthsFor(r.Variant, own)
		for _, n := range lengths {
			var h distributeHost
			r.Place(ti.Shape{n}, &h.B, &h.C, &h.X, &h.Y)
			r.Place(ti.Shape{n + 4}, &h.F)
			r.Place(ti.Shape{4 * n}, &h.S)
			r.Place(ti.Shape{nodesOfDistribute, nodesOfDistribute}, &h.Grid, &h.Mass)
			r.Load(distributeSource, &h)
			kernels := map[string]func() error{"FromNodes": h.FromNodes, "ToNodes": h.ToNodes, "Exchange": h.Exchange, "OwnStore": h.OwnStore, "Branches": h.Branches}
			for _, name := range []string{"FromNodes", "ToNodes", "Exchange", "OwnStore", "Branches", "Wrapped"} {
				for _, far := range []int{-1, n - 1} {
					distributed(r, &h, name, kernels[name], n, far)
				}
			}
		}
	})
}

// distributed runs a kernel over n particles of which one is far away, unless far is -1.
func distributed(r *runtest.Run, h *distributeHost, name string, kernel func() error, n, far int) {
	w := newDistributeWorld(name, n, far)
	w.set(h)
	w.run(name)
	if r.Unchecked && w.fails > 0 {
		return // what happens is not defined
	}
	if name == "Wrapped" {
		kernel = func() error { return h.Wrapped(int(w.row)) }
	}
	err := kernel()
	if failed := errors.Is(err, ti.ErrRange); failed != (w.fails > 0) && !(r.Debug && err != nil) {
		r.Errorf("%s of %d, far %d: %v; fails: %d", name, n, far, err, w.fails)
	}
	if r.Debug {
		return
	}
	for i := range n {
		if y, f := h.Y.At(i), h.F.At(i); y != w.y[i] || f != w.f[i] {
			r.Errorf("%s of %d, far %d: Y, F at %d are %v, %v, want %v, %v", name, n, far, i, y, f, w.y[i], w.f[i])
			return
		}
	}
	for i := range 4 * n {
		if s := h.S.At(i); s != w.s[i] {
			r.Errorf("%s of %d, far %d: S at %d is %v, want %v", name, n, far, i, s, w.s[i])
			return
		}
	}
	for i := range nodesOfDistribute {
		for j := range nodesOfDistribute {
			if g, m := h.Grid.At(i, j), h.Mass.At(i, j); g != w.grid[i][j] || m != w.mass[i][j] {
				r.Errorf("%s of %d, far %d: node %d, %d is %v, %v, want %v, %v", name, n, far, i, j, g, m, w.grid[i][j], w.mass[i][j])
				return
			}
		}
	}
}

func newDistributeWorld(name string, n, far int) *distributeWorld {
	w := &distributeWorld{b: make([]int32, n), c: make([]int32, n), x: make([]ti.Vec2, n), y: make([]ti.Vec2, n), f: make([]float32, n+4), s: make([]float32, 4*n)}
	for p := range n {
		w.b[p], w.c[p] = int32(p*7%(nodesOfDistribute-2)), int32(p/3%(nodesOfDistribute-2))
		switch name {
		case "Exchange":
			w.b[p] = int32((p + n/3) % n) // each once
		case "OwnStore":
			w.c[p] = int32(p)
		}
		if p == far {
			w.b[p], w.c[p] = int32(4*n), int32(4*n)
		}
		if w.row = 5; far >= 0 {
			w.row = nodesOfDistribute
		}
		w.x[p], w.f[p] = ti.Vec2{float32(p % 5), float32(p % 3)}, float32(p%7)
		w.s[2*p], w.s[2*p+1], w.s[2*n+p] = float32(p%4), float32(p%2), float32(p%3)
	}
	for i := range nodesOfDistribute {
		for j := range nodesOfDistribute {
			w.grid[i][j], w.mass[i][j] = ti.Vec2{float32(i % 4), float32(j % 3)}, float32(i+j)
		}
	}
	return w
}

// set gives the fields of h what w has.
func (w *distributeWorld) set(h *distributeHost) {
	for p := range w.x {
		h.B.Set(w.b[p], p)
		h.C.Set(w.c[p], p)
		h.X.Set(w.x[p], p)
		h.Y.Set(w.y[p], p)
	}
	for p := range w.f {
		h.F.Set(w.f[p], p)
	}
	for p := range w.s {
		h.S.Set(w.s[p], p)
	}
	for i := range nodesOfDistribute {
		for j := range nodesOfDistribute {
			h.Grid.Set(w.grid[i][j], i, j)
			h.Mass.Set(w.mass[i][j], i, j)
		}
	}
}
