package program_test

import (
	"testing"
	"time"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

// costSource has loops whose accesses can be in no race, which needs no record, and one
// for which the host has to look.
const costSource = `package cost

var (
	Pos, Vel field[vec3]
	Age      field[f32]
	Grid     field[f32, D2]
	Next     field[i32]
)

func Start() {
	for i := range len(Next) {
		Pos[i] = vec3(random(), random(), random())
		Vel[i] = vec3(random(), random(), random()) - 0.5
		Next[i] = (i * 7919) % len(Next)
	}
}

// Move is the step of a system of particles that may leave.
func Move() {
	for i := range Pos {
		r := Pos[i] - 0.5
		Vel[i] -= r / pow(length2(r)+1e-3, 1.5) * 1e-5
		Pos[i] += Vel[i] * 1e-5
		Age[i] += 1
		if !all(-0.1 <= Pos[i] && Pos[i] <= 1.1) {
			deactivate(Pos, i)
		}
	}
}

// Splat adds particles up in a grid.
func Splat() {
	for p := range Grid {
		Grid[p] = 0
	}
	for i := range Pos {
		Grid[clamp(ivec2(Pos[i].xy*64), 0, 63)] += Age[i]
	}
}

// Follow writes where a field says.
func Follow() {
	for i := range len(Next) {
		Age[Next[i]] = Age[Next[i]]*0.5 + Vel[Next[i]].x
	}
}
`

// costs is the host of costSource.
type costs struct {
	Pos, Vel                   ti.Field[ti.Vec3]
	Age                        ti.Field[float32]
	Grid                       ti.Field[float32]
	Next                       ti.Field[int32]
	Start, Move, Splat, Follow func() error
}

func newCosts(t testing.TB, debug bool) *costs {
	const n = 1 << 14
	rt, h := titest.New(t, ti.Config{Arch: ti.LLVM, Debug: debug, Threads: 1}), &costs{}
	rt.NewTree().Bitmasked(ti.I, n).Place(&h.Pos, &h.Vel, &h.Age)
	rt.Place(ti.Shape{64, 64}, &h.Grid)
	rt.Place(ti.Shape{n}, &h.Next)
	if err := rt.Load(costSource, h); err != nil {
		t.Fatal(err)
	}
	for _, f := range []func() error{h.Start, h.Move, h.Splat, h.Follow} {
		if err := f(); err != nil {
			t.Fatal(err)
		}
	}
	return h
}

// mostDebugCost is how many times slower a launch may be in debug mode.
const mostDebugCost = 100

// TestDebugCost bounds what debug mode costs, in which loops have one thread. Fast and slow
// launches alternate, and of each the shortest counts; there are more of them while the
// bound is exceeded, since something else may run on the machine.
func TestDebugCost(t *testing.T) {
	fast, slow := newCosts(t, false), newCosts(t, true)
	for _, c := range []struct {
		name       string
		fast, slow func() error
	}{{"Move", fast.Move, slow.Move}, {"Splat", fast.Splat, slow.Splat}, {"Follow", fast.Follow, slow.Follow}} {
		shortest := [2]time.Duration{time.Hour, time.Hour}
		for n := 0; n < 5 || n < 50 && shortest[1] > mostDebugCost*shortest[0]; n++ {
			for i, f := range []func() error{c.fast, c.slow} {
				start := time.Now()
				if err := f(); err != nil {
					t.Fatal(err)
				}
				shortest[i] = min(shortest[i], time.Since(start))
			}
		}
		ratio := float64(shortest[1]) / float64(shortest[0])
		t.Logf("%s: %v, in debug mode %v, %.1f times as long", c.name, shortest[0], shortest[1], ratio)
		if ratio > mostDebugCost {
			t.Errorf("%s takes %.0f times as long in debug mode; at most %d are meant", c.name, ratio, mostDebugCost)
		}
	}
}

// BenchmarkDebug measures launches in debug mode.
func BenchmarkDebug(b *testing.B) {
	h := newCosts(b, true)
	for name, f := range map[string]func() error{"Move": h.Move, "Splat": h.Splat, "Follow": h.Follow} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := f(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
