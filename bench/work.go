package main

import "github.com/gotaichi/ti/bench/internal/suite"

// work is the least that a launch of a case has to move and to compute: each element of a field that the kernel
// reads or writes once in either direction, whatever the caches do with it, and the sums, products, quotients and roots of
// floats in the source. Cases whose work depends on the data, or is in functions such as sin, have none of the latter.
var work = map[string]suite.Work{
	peakMemoryCase: {Bytes: 4 * summed},
	peakCacheCase:  {Bytes: 4 * cached},
	peakFlopsCase:  {Flops: 20 * chained * chainSteps},

	"saxpy":            {Bytes: 12 << 24, Flops: 2 << 24},
	"saxpy_l2":         {Bytes: 12 << 16, Flops: 2 << 16},
	"reduce_sum":       {Bytes: 4 << 24, Flops: 1 << 24},
	"reduce_max":       {Bytes: 4 << 23},
	"math_sin_exp":     {Bytes: 8 << 22},
	"math_pow":         {Bytes: 8 << 22},
	"stencil2d":        {Bytes: 8 * 4096 * 4096, Flops: 5 * 4094 * 4094},
	"stencil3d":        {Bytes: 8 << 24, Flops: 7 * 254 * 254 * 254},
	"stencil3d_flat":   {Bytes: 8 << 24, Flops: 7 * 254 * 254 * 254},
	"julia":            {Bytes: 4 * 2048 * 1024},
	"nbody":            {Flops: 19 * 4096 * 4096},
	"life":             {Bytes: 2 * 4096 * 4096},
	"svd3":             {Bytes: 40 << 16},
	"mat4_chain":       {Bytes: 128 << 18, Flops: 224 << 18},
	"sparse_activate":  {Bytes: 4 * ringCells},
	"sparse_iterate":   {Bytes: 12 * ringCells, Flops: 2 * ringCells},
	"sparse_stencil":   {Bytes: 8 * ringCells, Flops: 5 * ringCells},
	"sparse_bitmasked": {Bytes: 8 * ringSize * ringSize / 8, Flops: ringSize * ringSize / 8},
	"dynamic_append":   {Bytes: 4 << 20},
}

// ringCells is how many cells of the sparse cases are active.
const ringCells = 1382224

// The cases that measure the machine.
const (
	peakMemoryCase = "peak_memory"
	peakCacheCase  = "peak_cache"
	peakFlopsCase  = "peak_flops"
)

// withWork returns the cases with their work.
func withWork(cases []suite.Case) []suite.Case {
	out := make([]suite.Case, len(cases))
	for i, c := range cases {
		c.Work = work[c.Name]
		out[i] = c
	}
	return out
}
