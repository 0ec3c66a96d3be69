package main

import (
	"testing"

	"github.com/gotaichi/ti"
)

// BenchmarkCarry has a step of the smoke alone, in each form, as it is and while Runtime.Ranges counts.
func BenchmarkCarry(b *testing.B) {
	const size = 1024
	rt, err := ti.New(ti.Config{})
	if err != nil {
		b.Fatal(err)
	}
	defer rt.Close()
	flow := &Flow{Size: size, Dt: 0.1, smokes: smokes()}
	flow.place(rt, 64)
	if err := rt.Load(source, flow); err != nil {
		b.Fatal(err)
	}
	for k := range size * size {
		i, j := k/size, k%size
		flow.V.Set(ti.Vec2{float32(j-size/2) / 16, float32(size/2-i) / 16}, i, j)
	}
	for _, s := range flow.smokes {
		s.fields[0].Fill(ti.Vec3{0.5, 0.25, 0.125})
		if err := flow.Carry(&s.fields[0], &s.fields[1], 1); err != nil {
			b.Fatal(err)
		}
		carry := func(b *testing.B) {
			for b.Loop() {
				if err := flow.Carry(&s.fields[0], &s.fields[1], 1); err != nil {
					b.Fatal(err)
				}
			}
		}
		b.Run(s.name, carry)
		_, err := rt.Ranges(func() error {
			b.Run(s.name+", counted", carry)
			return nil
		}, ti.RangeOptions{}, &s.fields[0], &s.fields[1])
		if err != nil {
			b.Fatal(err)
		}
	}
}
