package graph_test

import (
	"fmt"
	"testing"

	"github.com/gotaichi/ti/internal/graph"
	"github.com/gotaichi/ti/internal/launch"
)

// thousand is a batch of 1,000 tasks of 40 kernels on fields of three components each.
func thousand() []graph.Launch {
	var stored []graph.Storage
	var fields []launch.Field
	for i := range 20 {
		name := fmt.Sprintf("F%d", i)
		stored = append(stored, graph.Storage{Memory: &graph.Memory{Name: name, Comps: 3}})
		fields = append(fields, launch.Field{Name: name})
	}
	var kernels []*launch.Kernel
	for i := range 40 {
		k := &launch.Kernel{Name: fmt.Sprintf("K%d", i), Done: -1, Fields: fields}
		for j := range 2 {
			values := func(use launch.Use, whole bool) []launch.Values {
				return []launch.Values{{Comps: 3, Use: use, Whole: whole}}
			}
			states := []launch.State{{Field: (i + j) % 16, Values: values(launch.Reads, false)}, {Field: 16 + i%4, Values: values(launch.Writes, i%3 == 0)}}
			k.Tasks = append(k.Tasks, launch.Task{Loop: int64(j + 1), Dims: []launch.Dim{{Hi: launch.Bound{Const: 1000}}}, States: states})
			k.Names = append(k.Names, launch.Name{Task: "for i := range …"})
		}
		kernels = append(kernels, k)
	}
	var all []graph.Launch
	for i := range 500 {
		all = append(all, graph.Launch{Kernel: kernels[i*7%len(kernels)], Fields: stored, Number: uint64(i)})
	}
	return all
}

// BenchmarkPlan makes the graph of 1,000 tasks, and finds the dead ones and all paths.
func BenchmarkPlan(b *testing.B) {
	all, h := thousand(), &graph.History{}
	for b.Loop() {
		g := graph.New(all, h)
		g.DeadLaunches()
		g.Reaches(0, len(g.Segments)-1)
	}
}
