package dist_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	ti "github.com/gotaichi/ti"
	"github.com/gotaichi/ti/dist"
	"github.com/gotaichi/ti/internal/titest"
)

const heatSource = `
package heat

var (
	T, Next field[f32]
	Total   field[f32]
	Hot     field[i32]
)

func Start() {
	for i, j := range T {
		T[i][j] = random() + f32(i)*0.01
	}
}

func Step(k f32) {
	n := T.shape[0]
	m := T.shape[1]
	for i, j := range T {
		c := T[i][j]
		if i > 0 && i < n-1 && j > 0 && j < m-1 {
			c += k * (T[i-1][j] + T[i+1][j] + T[i][j-1] + T[i][j+1] - 4*c)
		}
		Next[i][j] = c
	}
	for i, j := range T {
		T[i][j] = Next[i][j]
	}
}

func Ring() {
	n := T.shape[0]
	for i, j := range T {
		Next[i][j] = 0.5 * (T[(i+1)%n][j] + T[mod(i-1, n)][j])
	}
	for i, j := range T {
		T[i][j] = Next[i][j]
	}
}

func Border() {
	n := T.shape[0]
	for j := range T.shape[1] {
		T[0][j] = T[1][j]
		T[n-1][j] = T[n-2][j]
	}
}

func Sum() f32 {
	s := 0.0
	for i, j := range T {
		s += T[i][j] * T[i][j]
	}
	return s
}

func Count(above f32) i32 {
	n := 0
	for i, j := range T {
		if T[i][j] > above {
			n += 1
		}
	}
	return n
}

func Measure() {
	for k := range Hot {
		Hot[k] = 0
	}
	Total[0] = 0
	for i, j := range T {
		Total[0] += T[i][j]
		Hot[min(max(i32(T[i][j]*4), 0), 7)] += 1
	}
}

func Print() {
	for i, j := range T {
		if j == 3 && i%5 == 0 {
			print(i, T[i][j])
		}
	}
}

func Fail(at i32) {
	for i, j := range T {
		assert(i != at, "row %d", i)
		Next[i][j] = 1
	}
}
`

type heat struct {
	T, Next ti.Field[float32]
	Total   ti.Field[float32]
	Hot     ti.Field[int32]

	Start   func() error
	Step    func(k float32) error
	Ring    func() error
	Border  func() error
	Sum     func() (float32, error)
	Count   func(above float32) (int32, error)
	Measure func() error
	Print   func() error
	Fail    func(at int32) error
}

// newHeat places and loads the program on a rank.
func newHeat(t testing.TB, w *dist.World, cfg ti.Config, n, m int) (*heat, error) {
	rt, err := w.New(cfg)
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { _ = rt.Close() })
	h := new(heat)
	g := w.Grid(ti.IJ, n, m).Tile(4, m)
	g.Divide(rt.NewTree()).Dense(ti.IJ, n, m).Place(&h.T)
	g.Divide(rt.NewTree()).Dense(ti.IJ, n, m).Place(&h.Next)
	rt.Place(ti.Shape{1}, &h.Total)
	rt.Place(ti.Shape{8}, &h.Hot)
	return h, rt.Load(heatSource, h)
}

// results runs f on so many ranks, and returns what rank 0 says; all ranks must say the same.
func results(t *testing.T, ranks int, f func(w *dist.World) (string, error)) string {
	t.Helper()
	said := make([]string, ranks)
	var mu sync.Mutex
	err := dist.Local(ranks, func(w *dist.World) error {
		text, err := f(w)
		mu.Lock()
		said[w.Rank()] = text
		mu.Unlock()
		return err
	})
	titest.Must(t, err)
	for rank, text := range said {
		if text != said[0] {
			t.Errorf("of %d ranks, number %d says\n%s\nand number 0\n%s", ranks, rank, text, said[0])
		}
	}
	return said[0]
}

// TestHeat: stencils, borders, rings, sums, counts, histograms, random numbers and printed lines are those of one rank, to the last bit.
func TestHeat(t *testing.T) {
	arch := ti.CPU
	run := func(w *dist.World) (string, error) {
		var printed bytes.Buffer
		h, err := newHeat(t, w, ti.Config{Arch: arch, StrictMath: true, Stdout: &printed, Threads: 2}, 37, 23)
		if err != nil {
			return "", err
		}
		var out strings.Builder
		check := func(err error) {
			if err != nil {
				fmt.Fprintln(&out, err)
			}
		}
		check(h.Start())
		for round := range 3 {
			for range 5 {
				check(h.Step(0.2))
			}
			check(h.Border())
			check(h.Ring())
			check(h.Step(0.1))
			s, err := h.Sum()
			check(err)
			n, err := h.Count(0.6)
			check(err)
			check(h.Measure())
			fmt.Fprintln(&out, round, math.Float32bits(s), n, math.Float32bits(h.Total.At(0)), h.Hot.Values())
		}
		check(h.Print())
		check(h.Fail(30))
		for _, v := range h.T.Values() {
			fmt.Fprint(&out, math.Float32bits(v), " ")
		}
		check(h.Step(0.1)) // behind a method that had all rows travel
		for _, v := range h.Next.Values() {
			fmt.Fprint(&out, math.Float32bits(v), " ")
		}
		lines := printed.String()
		if w.Rank() > 0 && lines != "" {
			return "", fmt.Errorf("rank %d prints %q", w.Rank(), lines)
		}
		if w.Rank() == 0 && strings.Count(lines, "\n") != 8 {
			return "", fmt.Errorf("printed: %q", lines)
		}
		return out.String(), nil
	}
	want := results(t, 1, run)
	arch = ti.Wasm
	if got := results(t, 3, run); got != want {
		t.Errorf("3 ranks say as WebAssembly\n%s\nwant\n%s", got, want)
	}
	arch = ti.CPU
	if strings.Count(want, "\n") != 4 || !strings.Contains(want, "row 30") {
		t.Fatalf("one rank says\n%s", want)
	}
	for _, ranks := range []int{2, 3, 4, 7} {
		if got := results(t, ranks, run); got != want {
			t.Errorf("%d ranks say\n%s\nwant\n%s", ranks, got, want)
		}
	}
}

// TestRingMoves: rows around a ring travel, however the index is wrapped around, and no others.
func TestRingMoves(t *testing.T) {
	for _, index := range []string{"mod(i-1, n)", "(i+n-1)%n", "(i+2*n-1)%n"} {
		titest.Must(t, dist.Local(4, func(w *dist.World) error {
			rt, err := w.New(ti.Config{Threads: 1})
			if err != nil {
				return err
			}
			defer rt.Close()
			var h struct {
				A, B ti.Field[float32]
				K    func() error
			}
			g := w.Grid(ti.IJ, 64, 32).Tile(4, 32)
			g.Divide(rt.NewTree()).Dense(ti.IJ, 64, 32).Place(&h.A)
			g.Divide(rt.NewTree()).Dense(ti.IJ, 64, 32).Place(&h.B)
			titest.Must(t, rt.Load("package ring\n\nvar A, B field[f32]\n\nfunc K() {\n\tn := A.shape[0]\n\tfor i, j := range A { B[i][j] = A["+index+"][j] + 1 }\n\tfor i, j := range A { A[i][j] = B[i][j] }\n}\n", &h))
			for range 10 {
				if err := h.K(); err != nil {
					return err
				}
			}
			// Nine exchanges, as all is zero before the first: each a row of 128 bytes and what says whose launch it is.
			if s := w.Stats(); s.Exchanges != 9 || s.Bytes > 9*2*(128+128) {
				t.Errorf("%s: rank %d has sent %d bytes in %d exchanges", index, w.Rank(), s.Bytes, s.Exchanges)
			}
			return nil
		}))
	}
}

// TestReach: an element of another rank is an error that names the rank.
func TestReach(t *testing.T) {
	titest.Must(t, dist.Local(2, func(w *dist.World) error {
		h, err := newHeat(t, w, ti.Config{Threads: 1}, 16, 4)
		if err != nil {
			return err
		}
		defer func() { _ = recover() }()
		h.T.Set(3, 12, 1)
		row := []int{2, 12}[w.Rank()]
		_ = h.T.At(row, 1)
		func() {
			defer func() {
				err, _ := recover().(error)
				if !errors.Is(err, dist.ErrReach) || !strings.Contains(err.Error(), fmt.Sprintf("belongs to rank %d", 1-w.Rank())) {
					t.Errorf("rank %d: %v", w.Rank(), err)
				}
			}()
			_ = h.T.At([]int{12, 2}[w.Rank()], 1)
		}()
		return nil
	}))
}

// BenchmarkStep is a step of a stencil on 2048² points, by ranks and threads of each.
func BenchmarkStep(b *testing.B) {
	for _, c := range []struct{ ranks, threads int }{{1, 1}, {1, 2}, {2, 1}} {
		b.Run(fmt.Sprintf("%dx%d", c.ranks, c.threads), func(b *testing.B) {
			titest.Must(b, dist.Local(c.ranks, func(w *dist.World) error {
				h, err := newHeat(b, w, ti.Config{Threads: c.threads}, 2048, 2048)
				if err != nil {
					return err
				}
				if err := errors.Join(h.Start(), h.Step(0.1)); err != nil {
					return err
				}
				n := int(w.Max(float64(b.N)))
				if w.Rank() == 0 {
					b.ResetTimer()
				}
				for range n {
					if err := h.Step(0.1); err != nil {
						return err
					}
				}
				return w.Agree(nil)
			}))
		})
	}
}
