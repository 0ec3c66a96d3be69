package program

import (
	"context"
	"fmt"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/runtest"
)

// componentPrograms choose components of elements at run time.
var componentPrograms = []program{
	{"a component behind a loop", `
var G field[vec3]
func Run(p, c i32) (before, after f32) {
	before = G[p][mod(c, 3)]
	for i := range G { G[i] += vec3(1, 2, 3) }
	return before, G[p][mod(c, 3)]
}`, func(r *runtest.Run, src string) {
		var g ti.Field[ti.Vec3]
		r.Place(ti.Shape{16}, &g)
		p := r.Load(src, ti.Bindings{"G": &g})
		for launch := range 6 {
			c := launch % 3
			results, err := p.Kernel("Run").Launch(context.Background(), int32(4), int32(c))
			if err != nil {
				r.Fatal(err)
			}
			runtest.Eq(r, fmt.Sprint("launch ", launch), fmt.Sprint(results...), fmt.Sprint((c+1)*launch, (c+1)*(launch+1)))
		}
	}},
	{"sums into a component", `
var G field[vec3]
func Run(p, c i32) (sum f32) {
	for i := range 100 { G[p][mod(c, 3)] += f32(i) }
	for range 10 { sum += G[p][mod(c, 3)] }
	return sum
}`, func(r *runtest.Run, src string) {
		var g ti.Field[ti.Vec3]
		r.Place(ti.Shape{16}, &g)
		p := r.Load(src, ti.Bindings{"G": &g})
		for c := range 3 {
			results, err := p.Kernel("Run").Launch(context.Background(), int32(5), int32(c))
			if err != nil {
				r.Fatal(err)
			}
			runtest.Eq(r, "the sum", fmt.Sprint(results...), "49500")
			want := ti.Vec3{}
			for k := range c + 1 {
				want[k] = 4950
			}
			runtest.Eq(r, "the element", g.At(5), want)
		}
	}},
}
