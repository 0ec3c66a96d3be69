package conformance

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/runtest"
	"github.com/gotaichi/ti/internal/titest"
)

// keeper is a program with memory.
type keeper struct {
	X, Y  ti.Field[int32]
	S     ti.Field[int32]
	N     int32
	Inc   func() error
	Copy  func() error
	Sum   func() (int32, error)
	Set   func(v int32) error
	Wrong func(n int32) error
	Swap  func(a, b []int32) error
	Add   func(a []int32, v int32) (int32, error)
	Const func() (int32, error)
}

const keeperSource = `package p
var X, Y field[i32]
var S field[i32, D0]
var N i32
func Inc() { for i := range X { X[i] += 1 }; S += 1 }
func Copy() { for i := range X { Y[i] = X[i] } }
func Sum() (s i32) { for i := range X { s += X[i] }; return }
func Set(v i32) { for i := range X { X[i] = v } }
func Wrong(n i32) { for i := range n { X[i] = 7 } }
func Swap(a, b []i32) { for i := range a { a[i], b[i] = b[i], a[i] } }
func Add(a []i32, v i32) (s i32) { for i := range a { a[i] += v }; for i := range a { s += a[i] }; return }
func Const() i32 { return N * 10 }
`

// newKeeper loads a keeper with fields of 10 elements.
func newKeeper(r *runtest.Run, rt *ti.Runtime) *keeper {
	k := &keeper{N: 1}
	rt.Place(ti.Shape{10}, &k.X, &k.Y)
	rt.Place(nil, &k.S)
	runtest.OK(r, rt.Load(keeperSource, k))
	return k
}

// sum is what Sum gives.
func (k *keeper) sum(r *runtest.Run) int32 {
	s, err := k.Sum()
	runtest.OK(r, err)
	return s
}

// slice is the memory of X, unless that belongs to a device alone: then there is no slice of it.
func (k *keeper) slice(r *runtest.Run) (s []int32, shared bool) {
	s, err := k.X.Slice()
	if !titest.Shares(r.RT) {
		if !errors.Is(err, ti.ErrLayout) {
			r.Errorf("the error of a slice of memory apart is %v", err)
		}
		return nil, false
	}
	runtest.OK(r, err)
	return s, true
}

// What a launch leaves for the next one, and what host and kernels see of each other.
//
//conform:theme memory between launches
func TestConformMemory(t *testing.T) {
	with := func(f func(r *runtest.Run, k *keeper)) func(r *runtest.Run) {
		return func(r *runtest.Run) { f(r, newKeeper(r, r.RT)) }
	}
	hostRules(t, []hostRule{
		{"fields are zero before the first launch", with(func(r *runtest.Run, k *keeper) { runtest.Eq(r, "sum", k.sum(r), 0) })},
		{"a launch sees what the one before it stored", with(func(r *runtest.Run, k *keeper) {
			runtest.OK(r, k.Inc())
			runtest.OK(r, k.Inc())
			runtest.Eq(r, "sum", k.sum(r), 20)
			runtest.Eq(r, "S", k.S.At(), 2)
		})},
		{"many launches", with(func(r *runtest.Run, k *keeper) {
			for range 500 {
				runtest.OK(r, k.Inc())
			}
			runtest.Eq(r, "sum", k.sum(r), 5000)
		})},
		{"a launch sees what the host stored", with(func(r *runtest.Run, k *keeper) {
			k.X.Set(5, 3)
			runtest.Eq(r, "sum", k.sum(r), 5)
			k.X.Fill(2)
			runtest.Eq(r, "sum", k.sum(r), 20)
		})},
		{"the host sees what a launch stored", with(func(r *runtest.Run, k *keeper) {
			runtest.OK(r, k.Set(4))
			runtest.Eq(r, "X[9]", k.X.At(9), 4)
		})},
		{"host and launches in turn", with(func(r *runtest.Run, k *keeper) {
			for i := range 5 {
				k.X.Set(k.X.At(0)+100, 0)
				runtest.OK(r, k.Inc())
				runtest.Eq(r, "X[0]", k.X.At(0), int32(i+1)*101)
			}
		})},
		{"memory of the field itself is shared both ways", with(func(r *runtest.Run, k *keeper) {
			s, shared := k.slice(r)
			if !shared {
				return
			}
			s[4] = 9
			runtest.Eq(r, "sum", k.sum(r), 9)
			runtest.OK(r, k.Inc())
			runtest.Eq(r, "s[4]", s[4], 10)
		})},
		{"a loop over the field may change it", with(func(r *runtest.Run, k *keeper) {
			for idx, v := range k.X.All() {
				k.X.Set(v+int32(idx[0]), idx[0])
			}
			runtest.Eq(r, "sum", k.sum(r), 45)
		})},
		{"a kernel of another program sees the field", with(func(r *runtest.Run, k *keeper) {
			runtest.OK(r, k.Set(3))
			var h struct {
				Z   *ti.Field[int32]
				Run func() (int32, error)
			}
			h.Z = &k.X
			runtest.OK(r, r.RT.Load("package q\nvar Z field[i32]\nfunc Run() i32 { Z[0] = 8; return Z[9] }", &h))
			v, err := h.Run()
			runtest.OK(r, err)
			runtest.Eq(r, "Z[9]", v, 3)
			runtest.Eq(r, "X[0]", k.X.At(0), 8)
		})},
		{"a field under two names of one program is an error", with(func(r *runtest.Run, k *keeper) {
			var e *ti.SourceError
			_, err := r.RT.Compile(ti.Text("two.ti", "package q\nvar A, B field[i32]\nfunc Run() { A[1] = B[1] }"), ti.Bindings{"A": &k.X, "B": &k.X})
			if !errors.As(err, &e) || e.Code != 717 {
				r.Errorf("got %v", err)
			}
		})},
		{"a slice is changed in place", with(func(r *runtest.Run, k *keeper) {
			a := []int32{1, 2, 3}
			s, err := k.Add(a, 10)
			runtest.OK(r, err)
			runtest.Eq(r, "sum", s, 36)
			runtest.Eq(r, "a", [3]int32(a), [3]int32{11, 12, 13})
		})},
		{"a part of a slice leaves the rest", with(func(r *runtest.Run, k *keeper) {
			a := []int32{1, 2, 3, 4}
			_, err := k.Add(a[1:3], 10)
			runtest.OK(r, err)
			runtest.Eq(r, "a", [4]int32(a), [4]int32{1, 12, 13, 4})
		})},
		{"an empty slice", with(func(r *runtest.Run, k *keeper) {
			s, err := k.Add(nil, 10)
			runtest.OK(r, err)
			runtest.Eq(r, "sum", s, 0)
		})},
		{"two slices", with(func(r *runtest.Run, k *keeper) {
			a, b := []int32{1, 2}, []int32{3, 4}
			runtest.OK(r, k.Swap(a, b))
			runtest.Eq(r, "a and b", [4]int32{a[0], a[1], b[0], b[1]}, [4]int32{3, 4, 1, 2})
		})},
		{"one slice under two names", with(func(r *runtest.Run, k *keeper) {
			a := []int32{1, 2, 3}
			runtest.OK(r, k.Swap(a, a))
			runtest.Eq(r, "a", [3]int32(a), [3]int32{1, 2, 3})
		})},
		{"the memory of a field as a slice", with(func(r *runtest.Run, k *keeper) {
			s, shared := k.slice(r)
			if !shared {
				return
			}
			_, err := k.Add(s, 2)
			runtest.OK(r, err)
			runtest.Eq(r, "sum", k.sum(r), 20)
		})},
		{"a constant is read at each launch", with(func(r *runtest.Run, k *keeper) {
			for _, k.N = range []int32{1, 7, 1, -3} {
				v, err := k.Const()
				runtest.OK(r, err)
				runtest.Eq(r, "10 N", v, 10*k.N)
			}
		})},
		{"a launch that fails keeps what it wrote inside", with(func(r *runtest.Run, k *keeper) {
			if err := k.Wrong(12); !errors.Is(err, ti.ErrRange) {
				r.Errorf("got %v", err)
			}
			runtest.Eq(r, "sum", k.sum(r), 70)
		})},
		{"a launch after one that failed works", with(func(r *runtest.Run, k *keeper) {
			_ = k.Wrong(12)
			runtest.OK(r, k.Wrong(10))
			runtest.OK(r, k.Inc())
			runtest.Eq(r, "sum", k.sum(r), 80)
		})},
		{"a launch whose context has ended does nothing", with(func(r *runtest.Run, k *keeper) {
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			var h struct {
				X   *ti.Field[int32]
				Run func(ctx context.Context) error
			}
			h.X = &k.X
			runtest.OK(r, r.RT.Load("package q\nvar X field[i32]\nfunc Run() { for i := range X { X[i] = 5 } }", &h))
			if err := h.Run(ctx); !errors.Is(err, context.Canceled) {
				r.Errorf("got %v", err)
			}
			runtest.Eq(r, "sum", k.sum(r), 0)
		})},
		{"launches of many goroutines do not mix", with(func(r *runtest.Run, k *keeper) {
			var wg sync.WaitGroup
			for range 4 {
				wg.Go(func() {
					for range 25 {
						if err := k.Inc(); err != nil {
							r.Error(err)
						}
					}
				})
			}
			wg.Wait()
			runtest.Eq(r, "sum", k.sum(r), 1000)
			runtest.Eq(r, "S", k.S.At(), 100)
		})},
		{"two programs of one source have fields of their own", with(func(r *runtest.Run, k *keeper) {
			other := newKeeper(r, r.RT)
			runtest.OK(r, other.Set(9))
			runtest.Eq(r, "sum", k.sum(r), 0)
			runtest.Eq(r, "the other sum", other.sum(r), 90)
		})},
		{"Sync finds nothing left to do", with(func(r *runtest.Run, k *keeper) {
			runtest.OK(r, k.Inc())
			runtest.OK(r, r.RT.Sync())
			runtest.Eq(r, "sum", k.sum(r), 10)
		})},
	})
}

// Several runtimes at a time.
//
//conform:theme several runtimes
func TestConformRuntimes(t *testing.T) {
	second := func(f func(r *runtest.Run, a, b *keeper, rt *ti.Runtime)) func(r *runtest.Run) {
		return func(r *runtest.Run) {
			rt, err := ti.New(ti.Config{Arch: r.Arch, Threads: 2})
			runtest.OK(r, err)
			defer rt.Close()
			f(r, newKeeper(r, r.RT), newKeeper(r, rt), rt)
		}
	}
	hostRules(t, []hostRule{
		{"have fields of their own", second(func(r *runtest.Run, a, b *keeper, _ *ti.Runtime) {
			runtest.OK(r, a.Set(1))
			runtest.OK(r, b.Set(2))
			runtest.Eq(r, "sums", [2]int32{a.sum(r), b.sum(r)}, [2]int32{10, 20})
		})},
		{"have constants of their own", second(func(r *runtest.Run, a, b *keeper, _ *ti.Runtime) {
			a.N, b.N = 3, 4
			x, err := a.Const()
			runtest.OK(r, err)
			y, err := b.Const()
			runtest.OK(r, err)
			runtest.Eq(r, "constants", [2]int32{x, y}, [2]int32{30, 40})
		})},
		{"the end of one leaves the other", second(func(r *runtest.Run, a, b *keeper, rt *ti.Runtime) {
			runtest.OK(r, a.Set(1))
			runtest.OK(r, b.Set(2))
			runtest.OK(r, rt.Close())
			runtest.OK(r, a.Inc())
			runtest.Eq(r, "sum", a.sum(r), 20)
			if err := b.Inc(); !errors.Is(err, ti.ErrClosed) {
				r.Errorf("got %v", err)
			}
		})},
		{"a field belongs to one", second(func(r *runtest.Run, a, b *keeper, rt *ti.Runtime) {
			if err := rt.Load("package q\nvar X field[i32]\nfunc Run() { X[0] = 1 }", ti.Bindings{"X": &a.X}); !errors.Is(err, ti.ErrPlace) {
				r.Errorf("got %v", err)
			}
		})},
		{"launch at the same time", second(func(r *runtest.Run, a, b *keeper, _ *ti.Runtime) {
			var wg sync.WaitGroup
			for _, k := range []*keeper{a, b} {
				wg.Go(func() {
					for range 50 {
						if err := k.Inc(); err != nil {
							r.Error(err)
						}
					}
				})
			}
			wg.Wait()
			runtest.Eq(r, "sums", [2]int32{a.sum(r), b.sum(r)}, [2]int32{500, 500})
		})},
		{"count their own launches", second(func(r *runtest.Run, a, b *keeper, rt *ti.Runtime) {
			n := rt.Stats().Launches
			runtest.OK(r, a.Inc())
			runtest.OK(r, b.Inc())
			runtest.OK(r, b.Inc())
			runtest.Eq(r, "launches", rt.Stats().Launches-n, 2)
		})},
		{"have widths of their own", func(r *runtest.Run) {
			rt, err := ti.New(ti.Config{Arch: r.Arch, Threads: 2, Int: 64})
			runtest.OK(r, err)
			defer rt.Close()
			const source = "package p\nfunc Run(a int) int { return a * a }"
			var narrow, wide struct{ Run func(a int) (int, error) }
			runtest.OK(r, r.RT.Load(source, &narrow))
			runtest.OK(r, rt.Load(source, &wide))
			x, err := narrow.Run(1 << 16)
			runtest.OK(r, err)
			y, err := wide.Run(1 << 16)
			runtest.OK(r, err)
			runtest.Eq(r, "squares", [2]int{x, y}, [2]int{0, 1 << 32})
		}},
		{"on different devices give the same", func(r *runtest.Run) {
			rt, err := ti.New(ti.Config{Arch: ti.Oracle})
			runtest.OK(r, err)
			defer rt.Close()
			a, b := newKeeper(r, r.RT), newKeeper(r, rt)
			for _, k := range []*keeper{a, b} {
				runtest.OK(r, k.Inc())
				runtest.OK(r, k.Copy())
			}
			for i := range 10 {
				runtest.Eq(r, "Y", a.Y.At(i), b.Y.At(i))
			}
		}},
		{"one after another", func(r *runtest.Run) {
			for i := range int32(4) {
				rt, err := ti.New(ti.Config{Arch: r.Arch, Threads: int(i%2) + 1})
				runtest.OK(r, err)
				k := newKeeper(r, rt)
				runtest.OK(r, k.Set(i))
				runtest.Eq(r, "sum", k.sum(r), 10*i)
				runtest.OK(r, rt.Close())
			}
		}},
	})
}
