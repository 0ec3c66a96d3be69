package flow_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/randtest"
)

// endless are kernels that do not end by themselves, or not within hours.
var endless = []struct{ name, body string }{
	{"an empty loop", `for {}`},
	{"a loop over nothing", `for i := range 8 { if i < 9 { for {} } }`},
	{"a loop at kernel scope", `s := f32(1); for s > 0 { s = s*0.5 + 1 }; X[0] = s`},
	{"a loop with continue", `for i := range X { k := 0; for { k++; if k&1 == 0 { continue }; X[i] += 1 } }`},
	{"a serial range", `for i := range X { for k := range N { X[i] = sin(X[i]) + f32(k) } }`},
	{"ranges in ranges", `for i := range X { for k := range N { for j := range N { X[i] = sin(X[i]) + f32(k*j) } } }`},
	{"short ranges without end", `for i := range X { for N > 0 { for j := range N&3 { X[i] += f32(j) } } }`},
	{"constant ranges", `for i := range X { for k := range 2000000000 { X[i] = sin(X[i]) + f32(k) } }`},
	{"constant ranges in ranges", `for i := range X { for k := range 100000 { for j := range 100000 { for l := range 100 { X[i] = sin(X[i]) + f32(k+j+l) } } } }`},
	{"a range with a way out", `for i := range X { for k := range N { if X[i] < 0 { break }; X[i] = sin(X[i]) + f32(k) + 2 } }`},
	{"a range of 64 bits", `for i := range X { for k := range i64(N)*i64(N) { X[i] = sin(X[i]) + f32(k) } }`},
	{"a sum", `for i := range X { s := f32(0); for k := range i64(N)*i64(N) { s += X[k%16] }; X[i] = s }`},
	{"packets", `for i := range X { for X[i] < 1e30 { X[i] = sin(X[i]) } }`},
	{"a parallel loop", `for i, j := range ndrange(N, N) { X[(i+j)%16 & 15] += 1 }`},
	{"iterations that are slow", `for i := range 100000 { s := f32(i); for j := range 3000 { for k := range 1000 { s = sin(s) + f32(j*k) } }; X[i%16] = s }`},
	{"a reduction", `s := f32(0); for i, j := range ndrange(N, N) { t := f32(i-j); for k := range N { t = sin(t) + f32(k) }; s += t }; X[0] = s`},
	{"a function", `for i := range X { X[i] = spin(X[i]) }`},
	{"a function out of line", `for i := range X { X[i] = apart(X[i]) }`},
	{"a function out of line, again and again", `for i := range X { for X[i] < 1e30 { X[i] = apart(X[i]) } }`},
	{"another kernel", `Inner()`},
	{"a loop over a list", `for i := range X { append(L[0], i) }; for { for k := range len(L[0]) { X[k%16] += 1 } }`},
}

const endlessSource = `package p
var X field[f32]
var L field[i32, D2]
var N i32
func spin(x f32) f32 { for x > -2 { x = sin(x) }; return x }
//ti:noinline
func apart(x f32) f32 { for x > -2 { x = sin(x) }; return x }
func Inner() { for i := range X { for { X[i] += 1 } } }
func F() { %s }
func G() i32 { s := i32(0); for i := range X { s += i }; return s }
`

// loadEndless loads a kernel F, which does not end, beside G, which does.
func loadEndless(t *testing.T, rt *ti.Runtime, body string) (f func(context.Context) error, g func(context.Context) (int32, error)) {
	t.Helper()
	h := struct {
		X ti.Field[float32]
		L ti.Field[int32]
		N int32
		F func(context.Context) error
		G func(context.Context) (int32, error)
	}{N: 2000000000}
	rt.Place(ti.Shape{16}, &h.X)
	rt.NewTree().Dense(ti.I, 1).Dynamic(ti.J, 1<<20).Place(&h.L)
	if err := rt.Load(fmt.Sprintf(endlessSource, body), &h); err != nil {
		t.Fatal(err)
	}
	return h.F, h.G
}

// TestEndless stops kernels by a deadline, and then runs others. Each is stopped on two threads, and, if not all
// tests are asked for, in some of the other ways.
func TestEndless(t *testing.T) {
	for n, cfg := range []ti.Config{{Threads: 2}, {Threads: 1}, {Arch: ti.Oracle}, {Threads: 2, Deterministic: true}, {Debug: true}} {
		if testing.Short() && n > 0 || cfg.Deterministic && !randtest.All() {
			continue
		}
		t.Run(fmt.Sprintf("%v/%d threads/deterministic %v/debug %v", cfg.Arch, cfg.Threads, cfg.Deterministic, cfg.Debug), func(t *testing.T) {
			for _, e := range endless {
				if n > 0 && !randtest.Share(t.Name()+e.name) {
					continue
				}
				t.Run(e.name, func(t *testing.T) {
					rt, err := ti.New(cfg)
					if err != nil {
						t.Fatal(err)
					}
					defer rt.Close()
					f, g := loadEndless(t, rt, e.body)
					if err := rt.Prepare(context.Background()); err != nil {
						t.Fatal(err)
					}
					for range 2 {
						ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
						start := time.Now()
						err := f(ctx)
						cancel()
						if took := time.Since(start); !errors.Is(err, context.DeadlineExceeded) || took > time.Second {
							t.Errorf("after %v: %v", took, err)
						}
						if n, err := g(context.Background()); n != 120 || err != nil {
							t.Errorf("a kernel after it: %d, %v", n, err)
						}
					}
				})
			}
		})
	}
}
