package quanttest

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/quant"
)

const taped = `package g

var (
	X, V field[vec3]
	A, B field[f32]
	L field[f32, D0]
)

func Start() {
	for i := range V {
		V[i] = vec3(0.25, -1.5, 0.125)
		A[i], B[i] = 0.25, -1.5
	}
}

func Set() {
	for i := range V {
		V[i] = X[i]
		A[i], B[i] = X[i].x, X[i].y
	}
}

func Add() {
	for i := range V {
		V[i] += X[i]
	}
}

func Times() {
	for i := range V {
		V[i] *= X[i]
	}
}

func Most() {
	for i := range V {
		V[i] = max(V[i], X[i])
	}
}

func Loss() {
	for i := range V {
		L += V[i].x + A[i] + B[i]
	}
}
`

// TestAssignmentsUnderDerivatives stores vectors that share exponents in kernels that are launched under tapes, and with tangents, whose
// vectors may share exponents as well: each is one store, and the numbers are those of a launch without.
func TestAssignmentsUnderDerivatives(t *testing.T) {
	shared := ti.QuantFloat(8, 8)
	f, err := quant.Parse("float(8,8)")
	if err != nil {
		t.Fatal(err)
	}
	model := &elements{formats: []quant.Format{f, f}}
	for n := range 5 {
		model.slots = append(model.slots, slot{group: n / 3})
	}
	x := [3]float32{0.396484375, 1.0859375, 0}
	calls := map[string]func(old, x float32) float32{
		"Set":   func(_, x float32) float32 { return x },
		"Add":   func(old, x float32) float32 { return old + x },
		"Times": func(old, x float32) float32 { return old * x },
		"Most":  func(old, x float32) float32 { return max(old, x) },
	}
	for _, cfg := range []ti.Config{{}, {Debug: true}, {Arch: ti.Oracle}, {Arch: ti.Oracle, Debug: true}} {
		cfg.StrictMath = true
		rt := newRuntime(t, cfg)
		s := newTaped(t, rt, shared)
		s.X.Fill(x)
		s.X.Dual().Fill(x)
		for name, run := range map[string]func() error{"Set": s.Set, "Add": s.Add, "Times": s.Times, "Most": s.Most} {
			is := &state{elements: model, cells: [][]float32{make([]float32, 5)}}
			is.store(0, []int{0, 1, 2, 3, 4}, []float32{0.25, -1.5, 0.125, 0.25, -1.5})
			var now []float32
			for k := range 3 {
				now = append(now, calls[name](is.cells[0][k], x[k]))
			}
			is.store(0, []int{0, 1, 2}, now)
			if name == "Set" {
				is.store(0, []int{3, 4}, x[:2])
			}
			for _, mode := range []string{"alone", "tape", "tangent"} {
				if mode == "tape" && (name == "Times" || name == "Most") {
					continue // has no derivative
				}
				s.V.Dual().Fill(ti.Vec3{})
				err := s.Start()
				switch {
				case err != nil:
				case mode == "alone":
					err = run()
				case mode == "tape":
					err = rt.Tape(&s.L, func() error { return errors.Join(run(), s.Loss()) })
				default:
					err = rt.Tangent(run)
				}
				what := fmt.Sprintf("%v, debug %v: %s %s", cfg.Arch, cfg.Debug, name, mode)
				if err != nil {
					t.Fatalf("%s: %v", what, err)
				}
				for p := range 2 {
					v := s.V.At(p)
					for k, got := range []float32{v[0], v[1], v[2], s.A.At(p), s.B.At(p)} {
						if want := is.cells[0][k]; got != want {
							t.Errorf("%s: number %d is %v, not %v", what, k, got, want)
						}
					}
				}
				if mode == "tangent" && (name == "Set" || name == "Add") {
					d := &state{elements: model, cells: [][]float32{make([]float32, 5)}}
					d.store(0, []int{0, 1, 2}, x[:])
					if got := s.V.Dual().At(1); [3]float32(got) != [3]float32(d.cells[0][:3]) {
						t.Errorf("%s: the tangent is %v, not %v", what, got, d.cells[0][:3])
					}
				}
			}
		}
	}
}

// tapedFields is the host of taped.
type tapedFields struct {
	X, V                               ti.Field[ti.Vec3]
	A, B, L                            ti.Field[float32]
	Start, Set, Add, Times, Most, Loss func() error
}

// newTaped loads taped. V shares an exponent, as do its tangents, and A and B.
func newTaped(t *testing.T, rt *ti.Runtime, shared ti.Quant) *tapedFields {
	s := &tapedFields{}
	cell := rt.NewTree().Dense(ti.I, 2)
	cell.BitStruct(32).PlaceShared(shared, &s.V)
	cell.BitStruct(32).PlaceShared(shared, s.V.Dual())
	cell.BitStruct(32).PlaceShared(shared, &s.A, &s.B)
	cell.Place(s.V.Grad(), s.A.Grad(), s.B.Grad(), s.A.Dual(), s.B.Dual())
	rt.Place(ti.Shape{2}, ti.WithDual(ti.WithGrad(&s.X)...)...)
	rt.Place(nil, ti.WithDual(ti.WithGrad(&s.L)...)...)
	if err := rt.Load(taped, s); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestAssignmentsOfTheHost stores structs some of whose members share exponents, with others between them, in all of the host's ways.
func TestAssignmentsOfTheHost(t *testing.T) {
	for _, from := range []string{"", "1"} { // copies are compiled kernels from so many numbers on
		t.Setenv("TI_COPY_FROM", from)
		for _, cfg := range []ti.Config{{}, {Debug: true}} {
			for seed := range uint64(3) {
				r := rand.New(rand.NewPCG(seed, 1))
				e := newElements(r)
				rt := newRuntime(t, cfg)
				h := &assigned{}
				h.place(rt, e, false)
				if err := rt.Load(assignedTypes, ti.Bindings{"V": &h.V, "W": &h.W, "X": &h.X, "Y": &h.Y, "M": &h.M, "P": &h.P, "Q": &h.Q, "K": &h.K}); err != nil {
					t.Fatal(err)
				}
				is := &state{elements: e}
				values := make([]grain, assignedCells)
				for p := range values {
					is.cells = append(is.cells, make([]float32, len(e.slots)))
					values[p] = randomGrain(r)
					is.storeGrain(p, values[p])
				}
				check := func(what string) {
					t.Helper()
					for p := range values {
						for n, v := range h.numbers(p) {
							if want := is.cells[p][n]; v != want {
								t.Fatalf("copies from %q, %s: %s is %v, not %v; %v", from, what, at(e.slots[n].text, fmt.Sprint(p)), v, want, e.formats)
							}
						}
					}
				}
				if err := h.P.CopyFrom(values); err != nil {
					t.Fatal(err)
				}
				check("CopyFrom")
				g := randomGrain(r)
				h.P.Fill(g)
				for p := range values {
					is.storeGrain(p, g)
				}
				check("Fill")
				for p := range values {
					h.P.Set(values[p], p)
					is.storeGrain(p, values[p])
				}
				check("Set")
				var saved bytes.Buffer
				if _, err := h.P.WriteTo(&saved); err != nil {
					t.Fatal(err)
				}
				h.P.Fill(g)
				if _, err := h.P.ReadFrom(&saved); err != nil {
					t.Fatal(err)
				}
				check("ReadFrom")
			}
		}
	}
}

// randomGrain makes up a struct.
func randomGrain(r *rand.Rand) (g grain) {
	for _, vs := range [][]float32{g.V[:], g.A[:], g.U[:], g.M[:]} {
		for k := range vs {
			vs[k] = float32(r.NormFloat64() * 4)
		}
	}
	return g
}

// storeGrain stores a struct at P[p].
func (s *state) storeGrain(p int, g grain) {
	var vs []float32
	for _, of := range [][]float32{g.V[:], g.A[:], g.U[:], g.M[:]} {
		vs = append(vs, of...)
	}
	s.store(p, s.records[0].slots, vs)
}

// TestSerialSums adds to fixed-point numbers in serial code and in parallel loops: what is added is rounded by itself in both.
func TestSerialSums(t *testing.T) {
	const source = "package s\n\nvar (\n\tX field[f32]\n\tV field[vec2]\n\tL field[f32, D0]\n)\n\n" +
		"func Serial() {\n\tX[0] = 0.375\n\tX[0] += 0.0625\n\tX[0] -= 0.0625\n\tV[0] = vec2(0.375)\n\tV[0] += vec2(0.0625)\n\tV[0][i32(X[0])] += 0.0625\n}\n\n" +
		"func Parallel() {\n\tfor range 1 {\n\t\tX[0] = 0.375\n\t\tX[0] += 0.0625\n\t\tX[0] -= 0.0625\n\t\tV[0] = vec2(0.375)\n\t\tV[0] += vec2(0.0625)\n\t\tV[0][i32(X[0])] += 0.0625\n\t}\n}\n\n" +
		"func Loss() {\n\tfor i := range X {\n\t\tL += X[i]\n\t}\n}\n"
	for _, cfg := range []ti.Config{{}, {Debug: true}, {Arch: ti.Oracle}} {
		rt := newRuntime(t, cfg)
		var s struct {
			X, L                   ti.Field[float32]
			V                      ti.Field[ti.Vec2]
			Serial, Parallel, Loss func() error
		}
		cell := rt.NewTree().Dense(ti.I, 1)
		cell.BitStruct(32).Place(&s.X, ti.QuantFixed(4, 1)).Place(&s.V, ti.QuantFixed(4, 1)) // steps of 1/8
		cell.Place(s.X.Grad())
		rt.Place(nil, ti.WithGrad(&s.L)...)
		if err := rt.Load(source, &s); err != nil {
			t.Fatal(err)
		}
		for name, run := range map[string]func() error{
			"serial": s.Serial, "parallel": s.Parallel,
			"serial, under a tape": func() error { return rt.Tape(&s.L, func() error { return errors.Join(s.Serial(), s.Loss()) }) },
		} {
			if err := run(); err != nil {
				t.Fatalf("%v, debug %v, %s: %v", cfg.Arch, cfg.Debug, name, err)
			}
			if x, v := s.X.At(0), s.V.At(0); x != 0.375 || v != (ti.Vec2{0.375, 0.375}) {
				t.Errorf("%v, debug %v, %s: the sums are %v and %v, not 0.375", cfg.Arch, cfg.Debug, name, x, v)
			}
		}
	}
}

// TestSharedHalfSums adds to vectors of halves that share an exponent: a loop that only adds does so in f32, and stores at once when it has ended.
func TestSharedHalfSums(t *testing.T) {
	const source = "package h\n\nvar V field[[2]f16]\n\nfunc Add() {\n\tfor i := range 24 {\n\t\tV[1] += [2]f16{0.1, f16(i)}\n\t}\n}\n\n" +
		"func Mixed() {\n\tfor i := range 24 {\n\t\tV[1] += [2]f16{0, f16(i)}\n\t\tV[1].y *= 1\n\t}\n}\n"
	for _, cfg := range []ti.Config{{}, {Debug: true}, {Arch: ti.Oracle}, {Arch: ti.Oracle, Debug: true}} {
		cfg.Threads = 1
		rt := newRuntime(t, cfg)
		var s struct {
			V          ti.Field[[2]ti.Float16]
			Add, Mixed func() error
		}
		rt.NewTree().Dense(ti.I, 2).BitStruct(32).PlaceShared(ti.QuantFloat(5, 9), &s.V)
		if err := rt.Load(source, &s); err != nil {
			t.Fatal(err)
		}
		if err := s.Add(); err != nil {
			t.Fatal(err)
		}
		// 2.4 and 276 with 8 digits: steps of 2.
		if v := s.V.At(1); v[0].Float32() != 2 || v[1].Float32() != 276 {
			t.Errorf("%v, debug %v: the sums are %v and %v, not 2 and 276", cfg.Arch, cfg.Debug, v[0].Float32(), v[1].Float32())
		}
		s.V.Fill([2]ti.Float16{})
		if err := s.Mixed(); err != nil {
			t.Fatal(err)
		}
		if v := s.V.At(1); v[1].Float32() != 276 {
			t.Errorf("%v, debug %v: the sum is %v, not 276", cfg.Arch, cfg.Debug, v[1].Float32())
		}
	}
}
