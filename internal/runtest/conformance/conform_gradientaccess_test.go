package conformance

import (
	"errors"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
)

// In debug mode what launches do to each other's elements is an error of the tape, also where no text shows it.
//
//conform:theme derivatives
func TestConformGradientAccess(t *testing.T) {
	const source = `package p
const N = 6
var X, V, G field[f64, D2]
var L, B field[f64, D0]
func Give(t int) { for p := range N { G[t][p] += V[t][p]*X[t][p] } }
func Take(t int) { for p := range N { V[t+1][p] = V[t][p] + G[t][p]; X[t+1][p] = X[t][p] + 0.1*V[t+1][p]*V[t+1][p] } }
func Again(t int) { for p := range N { V[t][p] = V[t][p]*0.5 + G[t][p]; X[t+1][p] = X[t][p] + 0.1*V[t][p]; V[t+1][p] = V[t][p] } }
func Over(t int) { for p := range N { V[t][p] = G[t][p]; X[t+1][p] = X[t][p] + 0.1*V[t][p]; V[t+1][p] = V[t][p] } }
func Add(t int) { for p := range N { V[t][p] += 100 } }
func Scale(t int) { for p := range N { L += X[t][p]*B } }
func Move() { B += 100 }
func Loss(t int) { for p := range N { L += sqr(X[t][p]) } }
func Once(t int) { L = X[t][0] }
`
	type host struct {
		X, V, G, L, B                                   ti.Field[float64]
		Give, Take, Again, Over, Add, Scale, Loss, Once func(t int) error
		Move                                            func() error
	}
	rows := []struct {
		name  string
		run   func(h *host) error
		wrong string // part of the error, or nothing
	}{
		{"steps that keep what they read", func(h *host) error { return errors.Join(h.Give(0), h.Take(0), h.Give(1), h.Take(1), h.Loss(2)) }, ""},
		{"a velocity overwritten by the step that an earlier kernel has read", func(h *host) error { return errors.Join(h.Give(0), h.Over(0), h.Loss(1)) }, "overwrites V[0 "},
		{"a velocity overwritten by the step that reads it", func(h *host) error { return errors.Join(h.Give(0), h.Again(0), h.Loss(1)) }, "overwrites V[0 "},
		{"an element added to that an earlier launch has read", func(h *host) error { return errors.Join(h.Give(0), h.Add(0), h.Take(0), h.Loss(1)) }, "V[0 "},
		{"a factor changed behind its use", func(h *host) error { return errors.Join(h.Scale(0), h.Move()) }, "changes B[]"},
		{"a factor changed before its use", func(h *host) error { return errors.Join(h.Move(), h.Scale(0)) }, ""},
		{"what the program stores between launches", func(h *host) error { err := h.Scale(0); h.B.Set(3); return errors.Join(err, h.Loss(0)) }, "B"},
		{"the loss stored again", func(h *host) error { return errors.Join(h.Scale(0), h.Once(0), h.Once(1)) }, "overwrites L[]"},
		{"the host copies what a launch has read", func(h *host) error {
			err := h.Give(0)
			all := make([]float64, 18)
			return errors.Join(err, h.X.CopyTo(all), h.Take(0), h.Loss(1))
		}, ""},
		{"the host copies in what launches read behind it", func(h *host) error {
			err := h.V.CopyFrom(make([]float64, 18))
			return errors.Join(err, h.Give(0), h.Take(0), h.Loss(1))
		}, ""},
		{"the host copies into what a launch has read", func(h *host) error {
			err := h.Give(0)
			return errors.Join(err, h.X.CopyFrom(make([]float64, 18)), h.Loss(0))
		}, "X[0 "},
		{"elements of other steps", func(h *host) error { return errors.Join(h.Give(0), h.Add(1), h.Loss(0)) }, ""},
	}
	for _, v := range hostVariants {
		rt, err := ti.New(ti.Config{Arch: v.Arch, Threads: v.Threads, Float: 64, Debug: true})
		if err != nil {
			t.Fatal(err)
		}
		defer rt.Close()
		h := new(host)
		rt.Place(ti.Shape{3, 6}, ti.WithGrad(&h.X, &h.V, &h.G)...)
		rt.Place(nil, ti.WithGrad(&h.L, &h.B)...)
		if err := rt.Load(source, h); err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			t.Run(row.name+"/"+v.Label, func(t *testing.T) {
				for _, f := range []*ti.Field[float64]{&h.X, &h.V, &h.G, &h.B} {
					f.Fill(0.5)
				}
				h.L.Set(0)
				err := rt.Tape(&h.L, func() error { return row.run(h) })
				switch {
				case row.wrong == "" && err != nil:
					t.Error(err)
				case row.wrong != "" && (!errors.Is(err, ti.ErrAccess) || !strings.Contains(err.Error(), row.wrong)):
					t.Errorf("the error is %v", err)
				}
			})
		}
	}
}
