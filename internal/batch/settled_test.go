package batch_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/randtest"
	"github.com/gotaichi/ti/internal/titest"
)

const settledSource = `
package settled

var (
	D          field[f32, D1]
	N          field[i32, D1]
	B, C, M, H field[f32, D1] // in a sparse tree each
)

func PutB(k i32) {
	for i := range D {
		if i%2 == 0 {
			B[min(max(i/2+k, 0), 127)] = D[i] + 1
		}
	}
}

func AddC(k i32) {
	for i := range D {
		C[min(max(i+k, 0), 127)] += D[i]
	}
}

func PutC(k i32) {
	for i := range D {
		C[min(max(i+k, 0), 127)] = D[i]
	}
}

func Mark(k i32) {
	for i := range D {
		M[i+2*k] += 1
	}
}

func Hash(k i32) {
	for i := range D {
		if i%3 == 0 {
			H[i+k] += D[i]
		}
	}
}

func Down(k i32) {
	for i := range B {
		if i%2 == 0 {
			C[i/2+k] += B[i]
		}
	}
}

func Next(k i32) {
	for i := range B {
		if i+8 < 128 {
			B[i+8] += f32(k)
		}
	}
}

func At(k i32) {
	for i := range D {
		B[N[i]+k] += 1
	}
}

func If(k i32) {
	for i := range D {
		if N[i] > 8 {
			C[i+k] += 1
		}
	}
}

func Late(k i32) {
	for i := range D {
		if N[i] > 8 {
			continue
		}
		M[i+k] += 2
	}
}

func Turn(k i32) {
	for i := range D {
		N[i] = (N[i]*5 + k) % 32
	}
}

func Drop(k i32) {
	for i := range B {
		if i%4 == k%4 {
			deactivate(B, i)
		}
	}
}
`

// A settledHost is bound to settledSource.
type settledHost struct {
	D, B, C, M, H                                                      ti.Field[float32]
	N                                                                  ti.Field[int32]
	PutB, AddC, PutC, Mark, Hash, Down, Next, At, If, Late, Turn, Drop func(k int32) error
	rt                                                                 *ti.Runtime
}

func newSettledHost(t *testing.T, cfg ti.Config) *settledHost {
	t.Helper()
	h := &settledHost{rt: titest.New(t, cfg)}
	h.rt.Place(ti.Shape{64}, &h.D, &h.N)
	h.rt.NewTree().Pointer(ti.I, 4).Pointer(ti.I, 4).Bitmasked(ti.I, 8).Place(&h.B)
	h.rt.NewTree().Pointer(ti.I, 4).Pointer(ti.I, 4).Dense(ti.I, 8).Place(&h.C)
	h.rt.NewTree().Pointer(ti.I, 4).Bitmasked(ti.I, 32).Place(&h.M)
	h.rt.NewTree().Hash(ti.I, 16).Dense(ti.I, 8).Place(&h.H)
	titest.Must(t, h.rt.Load(settledSource, h))
	h.begin()
	return h
}

func (h *settledHost) begin() {
	for i := range 64 {
		h.D.Set(float32(i%7)-2, i)
		h.N.Set(int32(i%16), i)
	}
	for _, f := range []*ti.Field[float32]{&h.B, &h.C, &h.M, &h.H} {
		f.Node().Clear()
	}
}

// values are all active elements.
func (h *settledHost) values() (s string) {
	for _, f := range []*ti.Field[float32]{&h.B, &h.C, &h.M, &h.H} {
		for idx, v := range f.All() {
			s += fmt.Sprint(idx[0], "=", v, " ")
		}
		s += "; "
	}
	return s
}

// TestSettled: launches that have changed no cell run as one loop when they run again with the same arguments, unless cells have changed in between. The launches
// are made with a number in each round. What stands before a round is done first.
func TestSettled(t *testing.T) {
	t.Setenv("TI_LINK_ALWAYS", "1")
	type round struct {
		k       int32
		removed int64 // tasks
		before  func(h *settledHost) error
	}
	pair := func(a, b func(h *settledHost) func(int32) error) func(h *settledHost, k int32) error {
		return func(h *settledHost, k int32) error { return errors.Join(a(h)(k), b(h)(k)) }
	}
	putB, addC := func(h *settledHost) func(int32) error { return h.PutB }, func(h *settledHost) func(int32) error { return h.AddC }
	for _, test := range []struct {
		name   string
		launch func(h *settledHost, k int32) error
		rounds []round
	}{
		{"no cell changes", pair(putB, addC), []round{{0, 0, nil}, {0, 0, nil}, {0, 1, nil}, {0, 1, nil}, {0, 1, nil}}},
		{"other arguments", pair(putB, addC), []round{{0, 0, nil}, {0, 0, nil}, {0, 1, nil}, {0, 1, nil}, {9, 0, nil}, {9, 0, nil}, {9, 1, nil}, {0, 0, nil}, {0, 1, nil}}},
		{"the host clears a tree", pair(putB, addC), []round{{0, 0, nil}, {0, 0, nil}, {0, 1, nil}, {0, 1, nil}, {0, 0, func(h *settledHost) error { h.B.Node().Clear(); return nil }}, {0, 0, nil}, {0, 1, nil}}},
		{"a launch deactivates", pair(putB, addC), []round{{0, 0, nil}, {0, 0, nil}, {0, 1, nil}, {0, 1, nil}, {0, 0, func(h *settledHost) error { return h.Drop(1) }}, {0, 0, nil}, {0, 1, nil}}},
		{"the host activates", pair(putB, addC), []round{{0, 0, nil}, {0, 0, nil}, {0, 1, nil}, {0, 1, nil}, {0, 0, func(h *settledHost) error { h.B.Set(1, 120); return nil }}, {0, 1, nil}}},
		{"cells that each round adds", pair(func(h *settledHost) func(int32) error { return h.Next }, addC),
			[]round{{0, 0, nil}, {0, 0, func(h *settledHost) error { h.B.Set(1, 0); return nil }}, {0, 0, nil}, {0, 0, nil}, {0, 0, nil}, {0, 0, nil}}},
		{"data decides where", pair(func(h *settledHost) func(int32) error { return h.At }, addC),
			[]round{{0, 0, nil}, {0, 0, nil}, {0, 0, nil}, {0, 0, func(h *settledHost) error { h.N.Set(100, 3); return nil }}}},
		{"data decides whether", pair(putB, func(h *settledHost) func(int32) error { return h.If }),
			[]round{{0, 0, nil}, {0, 0, nil}, {0, 0, nil}, {0, 0, func(h *settledHost) error { h.N.Fill(20); return nil }}}},
		{"an iteration may end early", pair(putB, func(h *settledHost) func(int32) error { return h.Late }),
			[]round{{0, 0, nil}, {0, 0, nil}, {0, 0, nil}, {0, 0, func(h *settledHost) error { h.N.Fill(0); return nil }}}},
	} {
		want, got := newSettledHost(t, ti.Config{Batch: 1, Threads: 1}), newSettledHost(t, ti.Config{Batch: 64, Threads: 1})
		for n, r := range test.rounds {
			for _, h := range []*settledHost{want, got} {
				if r.before != nil {
					titest.Must(t, r.before(h))
					titest.Must(t, h.rt.Sync())
				}
				before := h.rt.Stats().Removed
				titest.Must(t, test.launch(h, r.k))
				titest.Must(t, h.rt.Sync())
				if removed := h.rt.Stats().Removed - before; h == got && removed != r.removed {
					t.Errorf("%s: in round %d, %d tasks are removed, want %d", test.name, n, removed, r.removed)
				}
			}
			if got, want := got.values(), want.values(); got != want {
				t.Errorf("%s: in round %d the values are\n%s\nwant\n%s", test.name, n, got, want)
			}
		}
	}
}

// TestSettledFails: a launch that has found no memory for a cell has changed none, and finds none the next time either.
func TestSettledFails(t *testing.T) {
	t.Setenv("TI_LINK_ALWAYS", "1")
	rt := titest.New(t, ti.Config{MemoryLimit: 8 << 20, Batch: 64, Threads: 1})
	var h struct {
		X, Y                             ti.Field[float32]
		Z                                ti.Field[int32]
		Before, Grow, Again, After, Last func() error
	}
	rt.NewTree().Pointer(ti.I, 1<<14).Dense(ti.J, 1024).Place(&h.X)
	rt.Place(ti.Shape{1 << 14}, &h.Y)
	rt.Place(ti.Shape{1 << 14}, &h.Z)
	titest.Must(t, rt.Load(growthSource, &h))
	plan, err := rt.Plan(func() { _ = h.Grow(); _ = h.After() })
	titest.Must(t, err)
	for n := range 6 {
		if err := plan.Run(context.Background(), 1); !errors.Is(err, ti.ErrMemory) {
			t.Fatalf("run %d: the error is %v", n, err)
		}
		if z := h.Z.At(5); z != int32(n)+1 {
			t.Errorf("run %d: Z is %d", n, z)
		}
	}
}

// TestNotSettledBits: where bits must not depend on how often launches have run, they always run by the same code.
func TestNotSettledBits(t *testing.T) {
	h := newSettledHost(t, ti.Config{Batch: 64, Threads: 1, Deterministic: true})
	for range 6 {
		titest.Must(t, errors.Join(h.PutB(0), h.PutC(0)))
		titest.Must(t, h.rt.Sync())
	}
	if removed := h.rt.Stats().Removed; removed > 0 {
		t.Errorf("%d tasks are removed", removed)
	}
}

var settledSeeds = randtest.New("settledseeds", "firstsettled", "made-up programs of launches that find their cells active", 40, 15)

// TestRandomSettled runs programs that repeat launches, and change cells between some, and compares what they leave with what they do without batches.
func TestRandomSettled(t *testing.T) {
	var hosts []*settledHost
	for _, c := range []struct {
		batch, threads int
		guard          bool
	}{{1, 1, false}, {64, 1, false}, {64, 2, false}, {3, 2, false}, {64, 1, true}} {
		t.Setenv("TI_LINK_ALWAYS", map[bool]string{true: "0", false: "1"}[c.guard])
		hosts = append(hosts, newSettledHost(t, ti.Config{Batch: c.batch, Threads: c.threads, StrictMath: true, Deterministic: true}))
	}
	settledSeeds.Each(t, func(t *testing.T, seed uint64) {
		want := ""
		for n, h := range hosts {
			h.begin()
			got := h.program(t, rand.New(rand.NewPCG(seed, 1)))
			if n == 0 {
				want = got
			} else if got != want {
				t.Fatalf("host %d: the values are\n%s\nwant\n%s", n, got, want)
			}
		}
	})
}

// program runs a program that is made up, and returns what it leaves.
func (h *settledHost) program(t *testing.T, r *rand.Rand) (s string) {
	kernels := []func(int32) error{h.PutB, h.AddC, h.Mark, h.Hash, h.Down, h.PutB, h.AddC, h.Mark, h.Hash, h.Down, h.Next, h.At, h.If, h.Late, h.Turn, h.Drop}
	for range 2 + r.IntN(3) {
		var round []func() error
		for range 1 + r.IntN(4) {
			k, launch := int32(r.IntN(30)), kernels[r.IntN(len(kernels))]
			round = append(round, func() error { return launch(k) })
		}
		odd := 2 + r.IntN(8) // the round before which something happens
		for n := range 3 + r.IntN(6) {
			if n == odd {
				switch at := r.IntN(120); r.IntN(6) {
				case 0:
					h.B.Node().Clear()
				case 1:
					h.C.Set(3, at)
				case 2:
					h.M.Node().Clear()
				case 3:
					h.N.Set(int32(at%32), at%64)
				case 4:
					titest.Must(t, h.Drop(int32(at)))
				case 5:
					h.H.Node().Clear()
				}
			}
			for _, launch := range round {
				titest.Must(t, launch())
			}
			if r.IntN(8) > 0 {
				titest.Must(t, h.rt.Sync())
			}
		}
		s += h.values() + "\n"
	}
	return s
}
