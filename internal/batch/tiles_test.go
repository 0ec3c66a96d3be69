package batch_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/config"
	"github.com/gotaichi/ti/internal/randtest"
	"github.com/gotaichi/ti/internal/titest"
)

const tiledSource = `
package tiled

var (
	A, B field[f32, D2]
	L, M field[f32]
	V, W field[f32, D3]
	P, Q field[pair]
	C    field[f32, D0]
	G    f32
)

type pair struct { X, Y f32 }

func There() {
	n, m := A.shape[0], A.shape[1]
	for i, j := range ndrange(span(1, n-1), span(1, m-1)) {
		B[i][j] = A[i][j] + G*(A[i-1][j]+A[i+1][j]+A[i][j-1]+A[i][j+1]-4*A[i][j])
	}
}

func Back() {
	n, m := A.shape[0], A.shape[1]
	for i, j := range ndrange(span(1, n-1), span(1, m-1)) {
		A[i][j] = B[i][j] + G*(B[i-1][j]+B[i+1][j]+B[i][j-1]+B[i][j+1]-4*B[i][j])
	}
}

func Clamp(c f32) {
	n, m := A.shape[0], A.shape[1]
	for i, j := range A {
		B[i][j] = c*A[i][j] + 0.2*(A[max(i-2, 0)][j]+A[min(i+1, n-1)][j]+A[i][max(j-1, 0)]+A[i][min(j+1, m-1)])
	}
}

func Guard() {
	for i, j := range B {
		s := B[i][j]
		if i > 0 {
			s += 0.5*B[i-1][j]
		}
		if i+2 < B.shape[0] {
			s -= 0.25*B[i+2][j]
		}
		A[i][j] = s
	}
}

func Up() { // one-sided
	for i, j := range ndrange(A.shape[0]-3, A.shape[1]) {
		A[i][j] = A[i][j]*0.5 + B[i+3][j]
	}
}

func Down() {
	for i, j := range ndrange(span(2, A.shape[0]), A.shape[1]) {
		B[i][j] = B[i][j]*0.5 - A[i-2][j]
	}
}

func Own() {
	for i, j := range A {
		A[i][j] = A[i][j]*0.75 + B[i][j]
	}
}

func Push() { // stores elsewhere
	for i, j := range ndrange(A.shape[0]-1, A.shape[1]) {
		B[i+1][j] = A[i][j] + 1
	}
}

func Pull() {
	for i, j := range ndrange(A.shape[0]-1, A.shape[1]) {
		A[i][j] = B[i+1][j]*0.5 - B[i][j]
	}
}

func Line() {
	n := L.shape[0]
	for i := range L {
		M[i] = 0.5*L[max(i-1, 0)] + 0.25*L[min(i+1, n-1)]
	}
}

func Enil() {
	n := L.shape[0]
	for i := range L {
		L[i] = 0.5*M[max(i-1, 0)] + 0.375*M[min(i+1, n-1)]
	}
}

func Cube() {
	for p := range ndrange(span(1, V.shape[0]-1), span(1, V.shape[1]-1), span(1, V.shape[2]-1)) {
		i, j, k := p
		W[i][j][k] = 0.25*(V[i-1][j][k]+V[i+1][j][k]+V[i][j-1][k]+V[i][j+1][k]) - 0.125*(V[i][j][k-1]+V[i][j][k+1])
	}
}

func Cubed() {
	for p := range ndrange(span(1, V.shape[0]-1), span(1, V.shape[1]-1), span(1, V.shape[2]-1)) {
		i, j, k := p
		V[i][j][k] = W[i][j][k] + 0.5*W[i+1][j][k] - 0.5*W[i-1][j][k]
	}
}

func Waves() { // the loops of one kernel
	n := P.shape[0]
	for i := range P {
		Q[i].X = P[min(i+1, n-1)].X*0.5 + P[i].Y
	}
	for i := range P {
		P[i].Y = Q[max(i-1, 0)].X*0.25 + P[i].Y*0.5
		P[i].X = Q[i].X
	}
}

func Spread() {
	n := L.shape[0]
	for i, j := range A {
		A[i][j] += L[min(i, n-1)]*C
	}
}

func Noise() {
	for i, j := range B {
		B[i][j] += random()
	}
}

func Part(from, to i32, c f32) {
	for i, j := range ndrange(span(from, to), A.shape[1]) {
		A[i][j] = A[i][j]*c + B[i][j]
	}
}

// What follows cannot run in tiles.

func Sum() {
	for i, j := range A {
		C += A[i][j]*0.001
	}
}

func Wrap() {
	n := A.shape[0]
	for i, j := range A {
		B[i][j] = A[(i+1)%n][j] * 0.5
	}
}

func First() {
	for i, j := range A {
		B[i][j] += A[0][j] + A[A.shape[0]-1][j]
	}
}

func Turned() {
	for i, j := range ndrange(A.shape[1], A.shape[0]) {
		B[j][i] = A[j][i] + 1
	}
}

func Returns(k i32) {
	if k > 2 {
		return
	}
	for i, j := range A {
		A[i][j] = A[i][j]*0.5 + B[max(i-1, 0)][j]
	}
}

func May(k i32) { // fails for k > 0
	for i, j := range A {
		A[i][j] = B[i][j] + L[(i+j)%L.shape[0] + k*1000000]
	}
}
`

type pair struct{ X, Y float32 }

type tiled struct {
	A, B, V, W, L, M         ti.Field[float32]
	P, Q                     ti.Field[pair]
	C                        ti.Field[float32]
	G                        float32
	There, Back, Guard       func() error
	Clamp                    func(c float32) error
	Up, Down, Own            func() error
	Push, Pull               func() error
	Line, Enil               func() error
	Cube, Cubed              func() error
	Waves, Spread, Noise     func() error
	Part                     func(from, to int32, c float32) error
	Sum, Wrap, First, Turned func() error
	Returns, May             func(k int32) error

	other struct {
		From, To *ti.Field[float32]
		Step     func() error
	}
	rt   *ti.Runtime
	rows int
}

const pingPongSource = `
package pingpong

var From, To field[f32, D2]

func Step() {
	n := From.shape[0]
	for i, j := range From {
		To[i][j] = 0.5*From[max(i-1, 0)][j] + 0.25*From[min(i+1, n-1)][j]
	}
}
`

func newTiled(t *testing.T, cfg ti.Config, rows, columns int) *tiled {
	h := &tiled{rt: titest.New(t, cfg), G: 0.2, rows: rows}
	rt := h.rt
	rt.Place(ti.Shape{rows, columns}, &h.A)
	rt.Place(ti.Shape{rows, columns}, &h.B)
	rt.Place(ti.Shape{rows}, &h.L)
	rt.Place(ti.Shape{rows}, &h.M)
	rt.Place(ti.Shape{rows, 5, columns}, &h.V)
	rt.Place(ti.Shape{rows, 5, columns}, &h.W)
	rt.Place(ti.Shape{rows}, &h.P)
	rt.Place(ti.Shape{rows}, &h.Q)
	rt.Place(nil, &h.C)
	h.other.From, h.other.To = &h.A, &h.B
	titest.Must(t, rt.Load(pingPongSource, &h.other))
	titest.Must(t, rt.Load(tiledSource, h))
	return h
}

// begin gives all fields the values that a chain begins with.
func (h *tiled) begin() {
	for n, f := range h.fields() {
		all := make([]float32, f.Len())
		for i := range all {
			all[i] = float32((i*(n+3))%17)/8 - 1
		}
		if err := f.CopyFrom(all); err != nil {
			panic(err)
		}
	}
	pairs := make([]pair, h.rows)
	for i := range pairs {
		pairs[i] = pair{float32(i%5) / 4, float32(i%7) / 8}
	}
	if err := h.P.CopyFrom(pairs); err != nil {
		panic(err)
	}
	h.Q.Fill(pair{1, 2})
	h.C.Set(0.5)
	h.other.From, h.other.To = &h.A, &h.B
}

func (h *tiled) fields() []*ti.Field[float32] {
	return []*ti.Field[float32]{&h.A, &h.B, &h.V, &h.W, &h.L, &h.M}
}

// bits are those of all elements.
func (h *tiled) bits(t *testing.T) (all []uint32) {
	for _, f := range append(h.fields(), &h.C) {
		for _, v := range f.All() {
			all = append(all, math.Float32bits(v))
		}
	}
	for _, f := range []*ti.Field[pair]{&h.P, &h.Q} {
		for _, v := range f.All() {
			all = append(all, math.Float32bits(v.X), math.Float32bits(v.Y))
		}
	}
	titest.Must(t, h.rt.Sync())
	return all
}

// turn is a step of a program that swaps two arrays.
func (h *tiled) turn() error {
	err := h.other.Step()
	h.other.From, h.other.To = h.other.To, h.other.From
	return err
}

// chain is a program: names of launches, in rounds.
type chain struct {
	name     string
	launches string
	times    int
	tiles    bool // it runs in tiles

	unchecked bool // it does if indices are not checked
}

var chains = []chain{
	{"two names", "There Back", 2, true, false},
	{"ping-pong", "Turn", 7, true, false},
	{"clamped", "Clamp Guard", 2, true, false},
	{"one-sided", "Up Down", 2, true, false},
	{"one-sided in turn", "Down Up Up Down", 2, true, false},
	{"writes elsewhere", "Push Pull", 2, true, false},
	{"own elements and a stencil", "Own Clamp Own Own Guard", 2, true, false},
	{"a line", "Line Enil", 2, true, false},
	{"a cube", "Cube Cubed", 2, true, false},
	{"loops of one kernel", "Waves", 2, true, false},
	{"several at once", "There Line Cube Back Enil Cubed Waves", 2, true, false},
	{"what is only read", "Spread Clamp Spread Guard", 2, true, false},
	{"parts", "Part1 Guard Part2 Clamp Part3", 2, false, true},
	{"random numbers", "Noise Guard", 2, true, false},
	{"a fill by the host", "There FillB Guard Back", 2, true, false},

	{"sums", "Sum Spread", 2, false, false},
	{"wrapped around", "Wrap Guard", 2, true, false},
	{"far rows", "First Guard", 2, true, false},
	{"another order", "Turned Guard", 2, true, false},
	{"an early return", "Returns1 Clamp", 2, false, false},
	{"an index that may fail", "May0 Clamp", 2, false, true},
}

// launch makes the launches of a chain.
func (h *tiled) launch(c *chain) error {
	n := int32(h.rows)
	for range c.times {
		for name := range strings.FieldsSeq(c.launches) {
			f := map[string]func() error{
				"There": h.There, "Back": h.Back, "Guard": h.Guard, "Up": h.Up, "Down": h.Down, "Own": h.Own, "Push": h.Push, "Pull": h.Pull,
				"Line": h.Line, "Enil": h.Enil, "Cube": h.Cube, "Cubed": h.Cubed, "Waves": h.Waves, "Spread": h.Spread, "Noise": h.Noise,
				"Sum": h.Sum, "Wrap": h.Wrap, "First": h.First, "Turned": h.Turned, "Turn": h.turn,
				"Clamp": func() error { return h.Clamp(0.3) }, "Returns1": func() error { return h.Returns(1) },
				"May0": func() error { return h.May(0) }, "May1": func() error { return h.May(1) },
				"Part1": func() error { return h.Part(0, n/2, 0.5) }, "Part2": func() error { return h.Part(n/3, n, 0.25) },
				"Part3": func() error { return h.Part(n-1, n, 0.75) }, "FillB": func() error { h.B.Fill(0.5); return nil },
			}[name]
			if f == nil {
				return fmt.Errorf("there is no launch %s", name)
			}
			if err := f(); err != nil {
				return err
			}
		}
	}
	return h.rt.Sync()
}

// run returns the bits that a chain leaves.
func (h *tiled) run(t *testing.T, c *chain) []uint32 {
	h.begin()
	titest.Must(t, h.launch(c))
	return h.bits(t)
}

// inTiles reports whether launches of a chain run in tiles.
func (h *tiled) inTiles(t *testing.T, c *chain) bool {
	h.begin()
	var dot strings.Builder
	titest.Must(t, h.rt.WriteGraph(&dot, func() error { return h.launch(c) }))
	return strings.Contains(dot.String(), "in tiles of")
}

// tiles reports whether rt's device runs launches in tiles: one with a Vulkan driver does not.
func tiles(rt *ti.Runtime) bool { return rt.Device().Arch != ti.Vulkan }

// TestTiles: chains leave the bits that launches by themselves leave, whatever the size of tiles, of fields and of the processor, and those that can run in tiles
// do.
func TestTiles(t *testing.T) {
	for i, c := range []struct {
		rows, columns, tile int
		cfg                 ti.Config
	}{
		{40, 33, 3, ti.Config{Threads: 1}},
		{40, 33, 1, ti.Config{Threads: 3}},
		{40, 33, 16, ti.Config{Threads: 2, StrictMath: true}},
		{40, 33, 5, ti.Config{Threads: 2, Deterministic: true}},
		{40, 33, 4, ti.Config{Threads: 2, Unchecked: true}},
		{40, 33, 3, ti.Config{Threads: 2, Arch: ti.Arch(config.Apart)}},
		{7, 70, 3, ti.Config{Threads: 2}},
		{97, 3, 16, ti.Config{Threads: 2}},
		{5, 16, 1000, ti.Config{Threads: 2}},
	} {
		name := fmt.Sprintf("%d×%d in tiles of %d, %v, %d threads, %v %v", c.rows, c.columns, c.tile, c.cfg.Arch, c.cfg.Threads, c.cfg.Deterministic, c.cfg.StrictMath)
		if i%3 > 0 && !randtest.All() {
			continue
		}
		t.Run(name, func(t *testing.T) {
			c.cfg.Batch = 1
			alone := newTiled(t, c.cfg, c.rows, c.columns)
			c.cfg.Batch = 64
			t.Setenv("TI_TILE_ROWS", strconv.Itoa(c.tile))
			tiled := newTiled(t, c.cfg, c.rows, c.columns)
			for i := range chains {
				compareTiles(t, c.cfg, alone, tiled, &chains[i])
			}
		})
	}
}

// TestTilesOfMany: more launches than run in the same tiles.
func TestTilesOfMany(t *testing.T) {
	c := &chain{"many", "There Back", 200, true, false}
	cfg := ti.Config{Threads: 2, Batch: 1}
	alone := newTiled(t, cfg, 40, 8)
	cfg.Batch = 1000
	t.Setenv("TI_TILE_ROWS", "8")
	compareTiles(t, cfg, alone, newTiled(t, cfg, 40, 8), c)
}

func compareTiles(t *testing.T, cfg ti.Config, alone, tiled *tiled, c *chain) {
	want, got := alone.run(t, c), tiled.run(t, c)
	for k := range want {
		if got[k] != want[k] {
			t.Errorf("%s: number %d of %d is %x, want %x", c.name, k, len(want), got[k], want[k])
			break
		}
	}
	alone.run(t, c) // so that the numbers of the next launches are equal
	if in, want := tiled.inTiles(t, c), (c.tiles || c.unchecked && cfg.Unchecked) && cfg.Arch == ti.CPU && tiles(tiled.rt); in != want {
		t.Errorf("%s: runs in tiles: %v", c.name, in)
	}
}

// TestTilesOfPlan: a plan runs in tiles, a profile has each of its tasks once for each launch, and a context that has ended ends it.
func TestTilesOfPlan(t *testing.T) {
	t.Setenv("TI_TILE_ROWS", "3")
	h, alone := newTiled(t, ti.Config{}, 40, 33), newTiled(t, ti.Config{}, 40, 33)
	h.begin()
	alone.begin()
	plan, err := h.rt.Plan(func() {
		for range 4 {
			titest.Must(t, h.There())
			titest.Must(t, h.Back())
		}
	})
	titest.Must(t, err)
	same := func(what string) {
		t.Helper()
		for range 4 {
			titest.Must(t, alone.There())
			titest.Must(t, alone.Back())
		}
		if !slices.Equal(h.bits(t), alone.bits(t)) {
			t.Errorf("%s leaves other values than launches by themselves", what)
		}
	}
	before := h.rt.Stats().Launches
	titest.Must(t, plan.Run(context.Background(), 1))
	same("a run")
	if n := h.rt.Stats().Launches - before; n != 8 {
		t.Errorf("a run makes %d launches, want 8", n)
	}
	profile, err := h.rt.Profile(func() error { return plan.Run(context.Background(), 1) })
	titest.Must(t, err)
	same("a run that is measured")
	if len(profile) != 2 {
		t.Errorf("the profile has %d tasks, want 2", len(profile))
	}
	for _, p := range profile {
		if p.Count != 4 {
			t.Errorf("%s has run %d times, want 4", p.Kernel, p.Count)
		}
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if err := plan.Run(ended, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that has ended: %v", err)
	}
}
