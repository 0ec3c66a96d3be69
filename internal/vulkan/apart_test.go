package vulkan_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/memory"
	"github.com/gotaichi/ti/internal/titest"
	"github.com/gotaichi/ti/internal/vulkan"
)

// openApart starts a runtime on a device that keeps all areas of trees apart from the host.
func openApart(t *testing.T, cfg ti.Config) *ti.Runtime {
	t.Helper()
	t.Setenv(vulkan.EnvMemory, "apart")
	cfg.Cache = ti.Cache{Policy: ti.CacheOff}
	return open(t, cfg)
}

// eachArch calls f with a runtime in memory apart, and then with the oracle's.
func eachArch(t *testing.T, cfg ti.Config, f func(rt *ti.Runtime) []string) (got, want []string) {
	t.Helper()
	got = f(openApart(t, cfg))
	cfg.Arch = ti.Oracle
	return got, f(runtime(t, cfg))
}

const apartSource = `package p

var X, Y field[f32]
var Loss field[f32, D0]
var P field[pair]
var S field[i32]

type pair struct { A, B i32 }

func Double() {
	for i := range X {
		Y[i] = 2 * X[i]
	}
}

func Add(i i32, v f32) { X[i] += v }

func Sum() {
	for i := range X {
		Loss += X[i] * X[i]
	}
}

func Pairs(n i32) {
	for i := range n {
		S[i*i] = i
		P[i*i] = pair{i, 2 * i}
		print(i)
	}
}

// Drop deactivates, and counts in the loops behind what there is.
func Drop() (n, sum i32) {
	for i := range S {
		if S[i]%2 == 1 {
			deactivate(S, i)
		}
	}
	for i := range 100 {
		sum += P[i].B
	}
	for i := range S {
		P[i].B += 1
		n += 1
	}
	return
}

func Outside(i i32) { X[i] = 1 }
`

type apartPair struct{ A, B int32 }

type apartHost struct {
	X, Y, Loss ti.Field[float32]
	P          ti.Field[apartPair]
	S          ti.Field[int32]

	Double, Sum    func() error
	Add            func(int32, float32) error
	Drop           func() (n, sum int32, err error)
	Pairs, Outside func(int32) error
}

func loadApart(t *testing.T, rt *ti.Runtime) *apartHost {
	t.Helper()
	h := &apartHost{}
	rt.Place(ti.Shape{100}, ti.WithGrad(&h.X)...)
	rt.Place(ti.Shape{100}, &h.Y)
	rt.Place(nil, ti.WithGrad(&h.Loss)...)
	// Component a lies with S in sparse cells, b in a dense tree of its own, and becomes zero with its element.
	rt.NewTree().Pointer(ti.I, 10).Bitmasked(ti.I, 10).Place(&h.S, ti.Member[int32](&h.P, "A"))
	rt.Place(ti.Shape{100}, ti.Member[int32](&h.P, "B"))
	_, err := rt.Compile(ti.Text("apart.ti", apartSource), h)
	must(t, err)
	return h
}

// TestApartHost reads and writes elements before and after launches, one at a time and all.
func TestApartHost(t *testing.T) {
	h := loadApart(t, openApart(t, ti.Config{}))
	must(t, h.Double())
	if got := h.Y.At(7); got != 0 {
		t.Errorf("an element that nobody has written is %v", got)
	}
	for i := range 100 {
		h.X.Set(float32(i), i)
	}
	must(t, h.Double())
	if got := h.Y.At(7); got != 14 {
		t.Errorf("element 7 is %v", got)
	}
	h.X.Fill(3)
	must(t, h.Double())
	all := make([]float32, 100)
	must(t, h.Y.CopyTo(all))
	if slices.Min(all) != 6 || slices.Max(all) != 6 {
		t.Errorf("the elements are %v", all)
	}
	all[5] = 1
	must(t, h.X.CopyFrom(all))
	must(t, h.Double())
	var saved bytes.Buffer
	_, err := h.Y.WriteTo(&saved)
	must(t, err)
	h.Y.Fill(0)
	if _, err := h.Y.ReadFrom(&saved); err != nil || h.Y.At(5) != 2 || h.Y.At(6) != 12 {
		t.Errorf("elements read again are %v and %v, %v", h.Y.At(5), h.Y.At(6), err)
	}
	if _, err := h.Y.Slice(); !errors.Is(err, ti.ErrLayout) {
		t.Errorf("a slice of elements: %v", err)
	}
	if err := h.Outside(100); !errors.Is(err, ti.ErrRange) {
		t.Errorf("an index out of range: %v", err)
	}
}

// TestApartLarge has a field of more bytes than are copied at a time, not a multiple of them.
func TestApartLarge(t *testing.T) {
	rt := openApart(t, ti.Config{})
	var h struct {
		X   ti.Field[int32]
		Run func() error
	}
	const n = 33<<18 + 5
	rt.Place(ti.Shape{n}, &h.X)
	must(t, rt.Load("package p\n\nvar X field[i32]\n\nfunc Run() {\n\tfor i := range X {\n\t\tX[i] = X[i]*3 + 1\n\t}\n}\n", &h))
	all := make([]int32, n)
	for i := range all {
		all[i] = int32(i)
	}
	must(t, h.X.CopyFrom(all))
	must(t, h.Run())
	h.X.Set(-7, n-1)
	must(t, h.Run())
	if got := h.X.At(n - 1); got != -20 {
		t.Errorf("the last element is %d", got)
	}
	must(t, h.X.CopyTo(all))
	for i, v := range all[:n-1] {
		if want := int32(9*i + 4); v != want {
			t.Fatalf("element %d is %d, want %d", i, v, want)
		}
	}
}

// TestApartTape differentiates a loss, while the host sets and reads what tapes use.
func TestApartTape(t *testing.T) {
	rt := openApart(t, ti.Config{})
	h := loadApart(t, rt)
	h.X.Fill(5)
	for round := range 3 {
		h.Loss.Set(0)
		h.X.Set(float32(round), 3)
		must(t, rt.Tape(&h.Loss, func() error { return errors.Join(h.Add(3, 1), h.Sum()) }))
		want := float32(2500 - 25 + (round+1)*(round+1))
		if got := h.X.Grad().At(3); got != float32(2*(round+1)) || h.X.Grad().At(99) != 10 || h.Loss.At() != want {
			t.Errorf("round %d: the derivatives are %v and %v, of a loss of %v and not %v", round, got, h.X.Grad().At(99), h.Loss.At(), want)
		}
		h.X.Grad().Fill(0)
	}
}

// TestApartSparse has components follow elements into another tree, while a launch is under way and between launches.
func TestApartSparse(t *testing.T) {
	var out bytes.Buffer
	got, want := eachArch(t, ti.Config{Stdout: &out}, func(rt *ti.Runtime) (all []string) {
		h := loadApart(t, rt)
		for round := range 3 {
			must(t, h.Pairs(6))
			h.P.Set(apartPair{7, int32(round)}, 81)
			n, sum, err := h.Drop()
			must(t, err)
			all = append(all, fmt.Sprint(n, " active, sum ", sum))
			for i := range 100 {
				all = append(all, fmt.Sprint(h.P.At(i), h.S.At(i)))
			}
		}
		return all
	})
	if !slices.Equal(got, want) {
		t.Errorf("elements are\n%s\nand not\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if lines := bytes.Count(out.Bytes(), []byte("\n")); lines != 2*3*6 {
		t.Errorf("%d lines are printed: %s", lines, &out)
	}
}

// TestApartRandom mixes launches with accesses of the host, many of them and small.
func TestApartRandom(t *testing.T) {
	got, want := eachArch(t, ti.Config{}, func(rt *ti.Runtime) (all []string) {
		h := loadApart(t, rt)
		r := rand.New(rand.NewPCG(1, 2))
		values := make([]float32, 100)
		for range 1500 {
			i := r.IntN(100)
			switch r.IntN(9) {
			case 0:
				must(t, h.Double())
			case 1:
				must(t, h.Add(int32(i), 0.5))
			case 2:
				h.X.Set(float32(r.IntN(50)), i)
			case 3:
				h.Y.Set(float32(r.IntN(50)), i)
			case 4:
				all = append(all, fmt.Sprint(h.X.At(i)))
			case 5:
				all = append(all, fmt.Sprint(h.Y.At(i)))
			case 6:
				must(t, h.Y.CopyTo(values))
				all = append(all, fmt.Sprint(values))
			case 7:
				values[i]++
				must(t, h.X.CopyFrom(values))
			case 8:
				if r.IntN(10) == 0 {
					h.Y.Fill(float32(i))
				}
			}
		}
		return all
	})
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("access %d gives %s, and not %s", i, got[i], want[i])
		}
	}
}

// TestApartClosed closes trees: what belongs to others stays.
func TestApartClosed(t *testing.T) {
	rt := openApart(t, ti.Config{})
	h := loadApart(t, rt)
	for range 50 {
		x := ti.NewField[float32](rt, 1<<20)
		x.Set(1, 5)
		must(t, x.Tree().Close())
		if err := x.CopyTo(make([]float32, 1<<20)); !errors.Is(err, ti.ErrClosed) {
			t.Fatalf("reading a closed tree: %v", err)
		}
	}
	h.X.Fill(2)
	must(t, h.Y.Tree().Close())
	if err := h.Double(); !errors.Is(err, ti.ErrClosed) {
		t.Errorf("launching on a closed tree: %v", err)
	}
	if got := h.X.At(1); got != 2 {
		t.Errorf("an element of another tree is %v", got)
	}
	must(t, rt.Close())
	if err := h.X.CopyTo(make([]float32, 100)); !errors.Is(err, ti.ErrClosed) {
		t.Errorf("reading when the runtime has been closed: %v", err)
	}
}

// TestNoMemory asks for more memory than devices have.
func TestNoMemory(t *testing.T) {
	for _, apart := range []bool{false, true} {
		cfg := ti.Config{MemoryLimit: 1 << 50}
		rt := open(t, cfg)
		if apart {
			rt = openApart(t, cfg)
		}
		name := rt.Device().Name
		x := ti.NewField[float64](rt, 1<<21, 1<<20)
		if err := x.CopyTo(nil); !errors.Is(err, ti.ErrMemory) || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "bytes") {
			t.Errorf("apart: %t, %v", apart, err)
		}
	}
}

// TestNoMemoryForSlice gives a launch more of the caller's memory than devices have room for. None of it is touched.
func TestNoMemoryForSlice(t *testing.T) {
	rt := open(t, ti.Config{Int: 64, Cache: ti.Cache{Policy: ti.CacheOff}})
	var h struct {
		Run func(v []float64) error
	}
	must(t, rt.Load("package p\n\nfunc Run(v []f64) {\n\tfor i := range v {\n\t\tv[i] = 1\n\t}\n}\n", &h))
	r, err := memory.Reserve(1 << 42)
	if err != nil {
		t.Skipf("the system gives no addresses: %v", err)
	}
	defer func() { must(t, r.Free()) }()
	if err := h.Run(unsafe.Slice((*float64)(r.Base()), 1<<39)); !errors.Is(err, ti.ErrMemory) || !strings.Contains(err.Error(), "Run ended early") {
		t.Errorf("the error is %v", err)
	}
	must(t, h.Run(make([]float64, 10)))
}

// TestBadMode: the environment asks for what there is not.
func TestBadMode(t *testing.T) {
	open(t, ti.Config{})
	t.Setenv(vulkan.EnvMemory, "near")
	if _, err := ti.New(titest.Vulkan(t, ti.Config{})); err == nil || !strings.Contains(err.Error(), `TI_VULKAN_MEMORY is "near"`) {
		t.Errorf("the error is %v", err)
	}
}
