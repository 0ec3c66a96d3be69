package program

import (
	"errors"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/randtest"
	"github.com/gotaichi/ti/internal/runtest"
)

// All numbers are whole and small, so that sums are exact in any order.
const cutSource = `package p

var (
	At     field[ivec2]
	V      field[vec2]
	Q      field[f32]
	From   field[vec2, D2]
	Shift  field[ivec2, D2]
	To     field[vec2, D2]
	Mass   field[f32, D2]
	Rest   field[i32]
)

// much is enough arithmetic for loop distribution to pay.
func much(x, y f32) vec2 {
	a, b := x+2*y, 3*x-y
	c := vec2(a-4*b, b+3*a) + 2*vec2(x-b, y-a)
	d := vec2(c.x-c.y+x, c.y+2*c.x-y) + vec2(a*2-c.x, b-c.y)
	return d - 3*vec2(c.y-x, c.x-y) + 2*(c-d) + vec2(b*3-d.x, d.y)
}

// Move gathers from the nodes around a particle, moves it to where these say, and adds to the nodes there.
func Move() {
	for p := range At {
		i, q := At[p], Q[p]
		v := V[p]
		for o := range static(ndrange(3, 3)) {
			v += (o.x + 2*o.y + 1) * From[i+o]
			q += From[i+o].x
		}
		v, k := 2*v+much(v.x, q)-much(q, v.y), i+Shift[i]
		At[p], V[p], Q[p] = k, v, q
		for o := range static(ndrange(3, 3)) {
			To[k+o] += (o.x + 1) * (v - o.y)
			Mass[k+o] += q * (o.y + 1)
		}
	}
}

// Bring adds to the nodes around a particle, and computes much before.
func Bring() {
	for p := range At {
		i, v := At[p], V[p]
		v += much(v.x, v.y) + much(v.y, Q[p])
		Q[p] = v.x - v.y
		for o := range static(ndrange(3, 3)) {
			To[i+o] += (o.x + 1) * (v - o.y)
			Mass[i+o] += v.y * (o.y + 1)
		}
	}
}

// Twice reads at the new place, too, whose checks cannot wait.
func Twice() {
	for p := range At {
		i, q := At[p], Q[p]
		v := much(q, V[p].x) + From[i]
		k := i + Shift[i]
		v += 2*much(v.x, From[k].y) - From[k]
		Q[p] = v.x
		for o := range static(ndrange(3, 3)) {
			To[k+o] += (o.x + 1) * (v - o.y)
		}
	}
}

// Own adds to places of what the particle itself has read and stored.
func Own() {
	for p := range At {
		v := V[p]
		u := much(v.x, v.y) + much(v.y, v.x)
		V[p] = u
		V[At[p].x] += u - 3
	}
}
`

type cutHost struct {
	At                      ti.Field[ti.IVec2]
	V                       ti.Field[ti.Vec2]
	Q                       ti.Field[float32]
	From, To                ti.Field[ti.Vec2]
	Shift                   ti.Field[ti.IVec2]
	Mass                    ti.Field[float32]
	Rest                    ti.Field[int32]
	Move, Bring, Twice, Own func() error
}

const nodesOfCut = 14 // along an edge

// A cutWorld is what the kernels see, in Go; what is out of range reads 0, stores nothing and is counted.
type cutWorld struct {
	at       []ti.IVec2
	v        []ti.Vec2
	q        []float32
	from, to [nodesOfCut][nodesOfCut]ti.Vec2
	shift    [nodesOfCut][nodesOfCut]ti.IVec2
	mass     [nodesOfCut][nodesOfCut]float32
	fails    int
}

func cutMuch(x, y float32) ti.Vec2 {
	a, b := x+2*y, 3*x-y
	c := ti.Vec2{a - 4*b + 2*(x-b), b + 3*a + 2*(y-a)}
	d := ti.Vec2{c[0] - c[1] + x + a*2 - c[0], c[1] + 2*c[0] - y + b - c[1]}
	return ti.Vec2{d[0] - 3*(c[1]-x) + 2*(c[0]-d[0]) + b*3 - d[0], d[1] - 3*(c[0]-y) + 2*(c[1]-d[1]) + d[1]}
}

// inside reports whether there is a node, and counts a failure if not.
func (w *cutWorld) inside(i ti.IVec2) bool {
	ok := i[0] >= 0 && i[1] >= 0 && i[0] < nodesOfCut && i[1] < nodesOfCut
	if !ok {
		w.fails++
	}
	return ok
}

func (w *cutWorld) velocity(i ti.IVec2) ti.Vec2 {
	if w.inside(i) {
		return w.from[i[0]][i[1]]
	}
	return ti.Vec2{}
}

func (w *cutWorld) moved(i ti.IVec2) ti.IVec2 {
	if w.inside(i) {
		s := w.shift[i[0]][i[1]]
		return ti.IVec2{i[0] + s[0], i[1] + s[1]}
	}
	return i
}

// scatter adds to the nodes around a place.
func (w *cutWorld) scatter(k ti.IVec2, v ti.Vec2, m float32) {
	for o := range int32(9) {
		n, x, y := ti.IVec2{k[0] + o/3, k[1] + o%3}, float32(o/3), float32(o%3)
		if w.inside(n) {
			to := &w.to[n[0]][n[1]]
			to[0], to[1] = to[0]+(x+1)*(v[0]-y), to[1]+(x+1)*(v[1]-y)
			w.mass[n[0]][n[1]] += m * (y + 1)
		}
	}
}

func (w *cutWorld) run(kernel string) {
	for p := range w.at {
		i, v, q := w.at[p], w.v[p], w.q[p]
		switch kernel {
		case "Move":
			for o := range int32(9) {
				g, n := w.velocity(ti.IVec2{i[0] + o/3, i[1] + o%3}), float32(o/3+2*(o%3)+1)
				v[0], v[1], q = v[0]+n*g[0], v[1]+n*g[1], q+g[0]
			}
			a, b := cutMuch(v[0], q), cutMuch(q, v[1])
			v = ti.Vec2{2*v[0] + a[0] - b[0], 2*v[1] + a[1] - b[1]}
			k := w.moved(i)
			w.at[p], w.v[p], w.q[p] = k, v, q
			w.scatter(k, v, q)
		case "Bring":
			a, b := cutMuch(v[0], v[1]), cutMuch(v[1], q)
			v = ti.Vec2{v[0] + a[0] + b[0], v[1] + a[1] + b[1]}
			w.q[p] = v[0] - v[1]
			w.scatter(i, v, v[1])
		case "Twice":
			g := w.velocity(i)
			u := cutMuch(q, v[0])
			u = ti.Vec2{u[0] + g[0], u[1] + g[1]}
			k := w.moved(i)
			h := w.velocity(k)
			a := cutMuch(u[0], h[1])
			u = ti.Vec2{u[0] + 2*a[0] - h[0], u[1] + 2*a[1] - h[1]}
			w.q[p] = u[0]
			w.scatter(k, u, 0)
		case "Own":
			a, b := cutMuch(v[0], v[1]), cutMuch(v[1], v[0])
			u := ti.Vec2{a[0] + b[0], a[1] + b[1]}
			w.v[p] = u
			if n := i[0]; int(n) < len(w.v) {
				w.v[n] = ti.Vec2{w.v[n][0] + u[0] - 3, w.v[n][1] + u[1] - 3}
			} else {
				w.fails++
			}
		}
	}
}

// TestDistributeCut runs loops that compute much before they scatter, on plain numbers and packed ones, with all places in
// range and with some that are not.
func TestDistributeCut(t *testing.T) {
	var rts runtest.Runtimes
	defer rts.Close(t)
	own := []runtest.Variant{
		{Label: "O3", Arch: ti.LLVM, Opt: "3", Threads: 1},
		{Label: "O3 on two threads", Arch: ti.LLVM, Opt: "3", Threads: 2},
		{Label: "O3 with atomics", Arch: ti.LLVM, Opt: "3", Threads: 2, Without: "private"},
		{Label: "O3 without questions", Arch: ti.LLVM, Opt: "3", Threads: 1, Without: "inspector"},
		{Label: "O3 whole", Arch: ti.LLVM, Opt: "3", Threads: 1, Without: "distribute"},
	}
	variants := append(own, runtest.TakeTurns(runtest.Variants(), randtest.Turn(t.Name()))...)
	runtest.RunIn(t, &rts, variants, func(r *runtest.Run) {
		lengths := lengthsFor(r.Variant, own)
		for _, n := range lengths {
			for _, packed := range []bool{false, true} {
				var h cutHost
				h.place(r, n, packed)
				r.Load(cutSource, &h)
				for name, kernel := range map[string]func() error{"Move": h.Move, "Bring": h.Bring, "Twice": h.Twice, "Own": h.Own} {
					for _, far := range []bool{false, true} {
						h.check(r, name, kernel, n, far)
					}
				}
			}
		}
	})
}

// place lays the fields out, with one that no kernel uses between others.
func (h *cutHost) place(r *runtest.Run, n int, packed bool) {
	nodes := ti.Shape{nodesOfCut, nodesOfCut}
	if r.Place(nodes, &h.From, &h.Shift); packed {
		particle := r.RT.NewTree().Dense(ti.I, n)
		particle.BitStruct(64).Place(&h.V, ti.QuantFixed(32, 1<<31))
		particle.BitStruct(32).Place(&h.At, ti.QuantInt(16))
		particle.Place(&h.Rest)
		particle.BitStruct(32).Place(&h.Q, ti.QuantFixed(32, 1<<31))
	} else {
		r.Place(ti.Shape{n}, &h.At, &h.V, &h.Rest, &h.Q)
	}
	r.Place(nodes, &h.To, &h.Mass)
}

// check compares a kernel with Go.
func (h *cutHost) check(r *runtest.Run, name string, kernel func() error, n int, far bool) {
	w := newCutWorld(name, n, far)
	w.set(h)
	w.run(name)
	if r.Unchecked && w.fails > 0 {
		return // what happens is not defined
	}
	err := kernel()
	if failed := errors.Is(err, ti.ErrRange); failed != (w.fails > 0) && !(r.Debug && err != nil) {
		r.Errorf("%s of %d, far %v: %v; fails: %d", name, n, far, err, w.fails)
	}
	if r.Debug {
		return
	}
	for p := range n {
		if at, v, q := h.At.At(p), h.V.At(p), h.Q.At(p); at != w.at[p] || v != w.v[p] || q != w.q[p] {
			r.Errorf("%s of %d, far %v: particle %d is %v, %v, %v, want %v, %v, %v", name, n, far, p, at, v, q, w.at[p], w.v[p], w.q[p])
			return
		}
	}
	for i := range nodesOfCut {
		for j := range nodesOfCut {
			if v, m := h.To.At(i, j), h.Mass.At(i, j); v != w.to[i][j] || m != w.mass[i][j] {
				r.Errorf("%s of %d, far %v: node %d, %d is %v, %v, want %v, %v", name, n, far, i, j, v, m, w.to[i][j], w.mass[i][j])
				return
			}
		}
	}
}

func newCutWorld(name string, n int, far bool) *cutWorld {
	w := &cutWorld{at: make([]ti.IVec2, n), v: make([]ti.Vec2, n), q: make([]float32, n)}
	for p := range n {
		w.at[p] = ti.IVec2{int32(1 + p*7%(nodesOfCut-4)), int32(1 + p/3%(nodesOfCut-4))}
		w.v[p], w.q[p] = ti.Vec2{float32(p % 3), float32(p%2) - 1}, float32(p%4)
		if name == "Own" {
			w.at[p] = ti.IVec2{int32(p)}
		}
	}
	if far {
		w.shift[4][5] = ti.IVec2{1 << 24, -7} // so far that a read is an error of the machine
		if name == "Bring" || name == "Own" {
			w.at[n-2][0] = 5000
		}
	}
	for i := range nodesOfCut {
		for j := range nodesOfCut {
			w.from[i][j] = ti.Vec2{float32(i % 2), float32(j % 3)}
			if w.shift[i][j] == (ti.IVec2{}) {
				w.shift[i][j] = ti.IVec2{int32(i%3) - 1, int32(j%3) - 1}
			}
		}
	}
	return w
}

// set gives the fields of h what w has.
func (w *cutWorld) set(h *cutHost) {
	for p := range w.at {
		h.At.Set(w.at[p], p)
		h.V.Set(w.v[p], p)
		h.Q.Set(w.q[p], p)
	}
	for i := range nodesOfCut {
		for j := range nodesOfCut {
			h.From.Set(w.from[i][j], i, j)
			h.Shift.Set(w.shift[i][j], i, j)
			h.To.Set(w.to[i][j], i, j)
			h.Mass.Set(w.mass[i][j], i, j)
		}
	}
}
