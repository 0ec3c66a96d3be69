package hostabi_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	ti "github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

const particlesSource = `
package particles

type Link struct {
	To  i32
	Cut bool
}

type Particle struct {
	Pos   vec3
	Mass  f64
	Links [2]Link
	Alive bool
	Tag   u16
}

var P field[Particle, D2]

func Push(force vec3, dt f32) {
	for i, j := range P {
		if P[i][j].Alive {
			P[i][j].Pos += force / f32(P[i][j].Mass) * dt
		}
		P[i][j].Links[1].To = P[i][j].Links[0].To + i32(P[i][j].Tag)
	}
}

func Mass() f64 {
	m := f64(0)
	for p := range P {
		m += P[p].Mass
	}
	return m
}

// Spawn takes structs by value and returns one.
func Spawn(i, j i32, p Particle) (Particle, Link) {
	old := P[i][j]
	P[i][j] = p
	return old, p.Links[0]
}

func First(of []Link, cut bool) i32 {
	n := 0
	for i := range of {
		if of[i].Cut == cut {
			n += of[i].To
		}
		of[i].To = i
	}
	return n
}
`

type particlesHost struct {
	P     ti.Field[Particle] // with its members in another order than in the source
	Push  func(force ti.Vec3, dt float32)
	Mass  func() float64
	Spawn func(i, j int32, p Particle) (Particle, Link, error)
	First func(of []Link, cut bool) int32
}

func TestStructKernels(t *testing.T) {
	const n, m = 5, 3
	titest.OnEach(t, func(t *testing.T, rt *ti.Runtime) {
		for name, place := range placings {
			t.Run(name, func(t *testing.T) {
				var s particlesHost
				place(rt, &s.P, ti.Shape{n, m})
				if err := rt.Load(particlesSource, &s); err != nil {
					t.Fatal(err)
				}
				mass := 0.0
				want := make([]Particle, n*m)
				for i := range want {
					p := particle(i + 1)
					mass += p.Mass
					s.P.Set(p, i/m, i%m)
					if p.Alive {
						for k, f := range [3]float32{1, 2, 4} {
							p.Pos[k] += f / float32(p.Mass) * 0.5
						}
					}
					p.Links[1].To = p.Links[0].To + int32(p.Tag)
					want[i] = p
				}
				if got := s.Mass(); got != mass {
					t.Errorf("Mass is %v, want %v", got, mass)
				}
				s.Push(ti.Vec3{1, 2, 4}, 0.5)
				for i, w := range want {
					got := s.P.At(i/m, i%m)
					for k := range 3 { // contraction may round otherwise
						if d := got.Pos[k] - w.Pos[k]; d > 1e-5 || d < -1e-5 {
							t.Errorf("Pos of %d is %v, want %v", i, got.Pos, w.Pos)
						}
					}
					got.Pos = w.Pos
					if got != w {
						t.Errorf("particle %d is %v, want %v", i, got, w)
					}
				}
				fresh := Particle{Pos: ti.Vec3{7, 8, 9}, Mass: 2, Links: [2]Link{{5, true}, {6, false}}, Tag: 9}
				before := s.P.At(4, 1)
				old, link, err := s.Spawn(4, 1, fresh)
				if err != nil || old != before || link != fresh.Links[0] || s.P.At(4, 1) != fresh {
					t.Errorf("Spawn gives %v, %v, %v, and leaves %v", old, link, err, s.P.At(4, 1))
				}
			})
		}
	})
}

func TestSlicesOfStructs(t *testing.T) {
	titest.OnEach(t, func(t *testing.T, rt *ti.Runtime) {
		var s particlesHost
		rt.Place(ti.Shape{2, 2}, &s.P)
		if err := rt.Load(particlesSource, &s); err != nil {
			t.Fatal(err)
		}
		links := []Link{{3, true}, {10, false}, {4, true}, {5, false}, {6, true}}
		if n := s.First(links, true); n != 13 {
			t.Errorf("First is %d", n)
		}
		if want := []Link{{0, true}, {1, false}, {2, true}, {3, false}, {4, true}}; !reflect.DeepEqual(links, want) {
			t.Errorf("the links are %v", links)
		}
	})
}

func TestStructLaunch(t *testing.T) {
	titest.OnEach(t, func(t *testing.T, rt *ti.Runtime) {
		p := ti.NewField[Particle](rt, 2, 2)
		prog, err := rt.Compile(ti.Text("p.ti", particlesSource), ti.Bindings{"P": p})
		if err != nil {
			t.Fatal(err)
		}
		p.Set(particle(3), 1, 0)
		got, err := prog.Kernel("Spawn").Launch(context.Background(), int32(1), int32(0), particle(4))
		if err != nil || p.At(1, 0) != particle(4) {
			t.Fatalf("%v, %v", p.At(1, 0), err)
		}
		// Without a kernel function the results are of types written in place.
		v := reflect.ValueOf(got[0])
		if v.FieldByName("Mass").Float() != 0.75 || v.FieldByName("Links").Index(0).FieldByName("Cut").Bool() != true {
			t.Errorf("the result is %+v", got[0])
		}
		if _, err := prog.Kernel("Spawn").Launch(context.Background(), int32(1), int32(0), Link{}); !errors.Is(err, ti.ErrArgs) {
			t.Errorf("a Link for a Particle: %v", err)
		}
		if _, err := prog.Kernel("First").Launch(context.Background(), []struct {
			Cut bool
			To  int32
		}{{true, 1}}, true); !errors.Is(err, ti.ErrArgs) {
			t.Errorf("a slice of structs in another order: %v", err)
		}
	})
}

func TestStructErrors(t *testing.T) {
	rt := titest.New(t, ti.Config{})
	type few struct {
		Pos   ti.Vec3
		Mass  float64
		Links [2]Link
		Alive bool
	}
	type many struct {
		Particle
		Extra int32
	}
	type wide struct {
		Pos   ti.DVec3
		Mass  float64
		Links [2]Link
		Alive bool
		Tag   uint16
	}
	tests := []struct {
		field ti.AnyField
		want  string
	}{
		{ti.NewField[few](rt, 2, 2), "the host's few differs: the host has no member Tag"},
		{ti.NewField[many](rt, 2, 2), "the host has no member Pos"},
		{ti.NewField[wide](rt, 2, 2), "member Pos is of type vec3 in the source, and dvec3 in the host"},
		{ti.NewField[float32](rt, 2, 2), "P is declared with elements of type Particle, and the host binds a field of f32"},
	}
	for _, tt := range tests {
		_, err := rt.Compile(ti.Text("p.ti", particlesSource), ti.Bindings{"P": tt.field})
		if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "TI0703") {
			t.Errorf("%v: %v", tt.field.Elem(), err)
		}
	}
	err := rt.Load(particlesSource, &struct {
		First func(of []struct {
			Cut bool
			To  int32
		}, cut bool) int32
	}{})
	if err == nil || !strings.Contains(err.Error(), "write it as First func(of []Link, cut bool) (int32, error)") {
		t.Errorf("%v", err)
	}
}

const structTemplateSource = `
package p

type Body struct {
	X vec2
	M f32
}

var Q field[Body]

func Move(b field[Body], by vec2) {
	for i := range b {
		b[i].X += by * b[i].M
	}
}

func Copy(dst, src template) {
	for i := range dst {
		dst[i] = src[i]
	}
}
`

// Body has its members in another order than the source.
type Body struct {
	M float32
	X ti.Vec2
}

func TestStructTemplates(t *testing.T) {
	titest.OnEach(t, func(t *testing.T, rt *ti.Runtime) {
		var s struct {
			Q    ti.Field[Body]
			Move func(b *ti.Field[Body], by ti.Vec2) error
			Copy func(dst, src ti.AnyField) error
		}
		rt.Place(ti.Shape{3}, &s.Q)
		if err := rt.Load(structTemplateSource, &s); err != nil {
			t.Fatal(err)
		}
		var soa ti.Field[Body]
		rt.Place(ti.Shape{3}, ti.Members(&soa)...)
		for _, f := range []*ti.Field[Body]{&s.Q, &soa, ti.NewField[Body](rt, 3)} {
			f.Fill(Body{M: 2, X: ti.Vec2{1, 1}})
			if err := s.Move(f, ti.Vec2{1, 10}); err != nil || f.At(2) != (Body{2, ti.Vec2{3, 21}}) {
				t.Errorf("%v: %v, %v", f, f.At(2), err)
			}
		}
		if err := s.Copy(ti.Member[ti.Vec2](&soa, "X"), ti.Member[ti.Vec2](&s.Q, "X")); err != nil {
			t.Error(err)
		}
		other := ti.NewField[Body](rt, 3)
		if err := s.Copy(other, &soa); err != nil || other.At(1) != soa.At(1) {
			t.Errorf("Copy of structs: %v, %v", other.At(1), err)
		}
	})
}
