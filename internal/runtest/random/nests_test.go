package random

import (
	"errors"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/randtest"
	"github.com/gotaichi/ti/internal/runtest"
)

var nestSeeds = randtest.New("nestseeds", "firstnest", "kernels on nested values on the typed tree", 200, 60)

// nestLayouts are the ways to lay out the fields of nests. In sparse trees only what the host has set is active.
var nestLayouts = []runtest.Layout{runtest.Flat, runtest.Blocked, runtest.SOA, runtest.Pointers, runtest.Bitmasked, runtest.NestedPointers, runtest.AtLaunch}

// TestRandomNests runs kernels on parts of nested values on both oracles.
func TestRandomNests(t *testing.T) {
	onTrees(t, nestSeeds, func(t *testing.T, seed uint64, tally *treeTally) {
		src := randomNest(seed)
		v := runtest.OracleVariant
		v.Layout = nestLayouts[seed%uint64(len(nestLayouts))]
		v.Unchecked = seed%3 > 0 && seed/8%4 == 0 // as all indices are in range
		v.Debug = seed/8%4 == 1
		if seed%4 > 1 {
			v.Unrolled = 1 + int(seed/4%40)
		}
		tally.launch(t, v, func(r *runtest.Run) { launchNest(r, src) })
		if t.Failed() {
			t.Fatalf("seed %d, layout %d, unrolled %d\n%s", seed, v.Layout, v.Unrolled, src)
		}
	})
}

// nestHost has the memory of random nests.
type nestHost struct {
	N, R ti.Field[nestBranch]
	F    ti.Field[nestLeaf]
	Z    ti.Field[nestBranch]
	C    ti.Field[int32]
}

// launchNest launches the kernel of a source twice.
func launchNest(r *runtest.Run, src string) {
	r.Helper()
	h := &nestHost{}
	r.Place(ti.Shape{6}, &h.N, &h.R, &h.C)
	r.Place(ti.Shape{6, 2}, &h.F)
	r.Place(nil, &h.Z)
	p, err := r.RT.Compile(ti.Text("nest.ti", src), h)
	if err != nil {
		r.Errorf("%v\n%s", err, src)
		return
	}
	s := make([]nestBranch, 6)
	v := ti.Strided(make([]nestLeaf, 2*6), ti.Shape{2, 6}, 6)
	for i := range s {
		s[i] = nestBranchOf(i)
		h.N.Set(nestBranchOf(i+10), i)
		h.R.Set(nestBranchOf(i+20), i)
		h.C.Set(int32(i*5-7), i)
		for j := range 2 {
			h.F.Set(nestLeafOf(i*2+j), i, j)
			v.Data[6*j+i] = nestLeafOf(i + 50*j)
		}
	}
	for _, n := range []int32{2, -3} {
		_, err := p.Kernel("Run").Launch(r.Context(), n, s, v)
		if fault := (*ti.RuntimeError)(nil); err != nil && !errors.As(err, &fault) {
			r.Errorf("%v", err)
			return
		}
	}
}

func nestLeafOf(i int) nestLeaf {
	return nestLeaf{A: int32(i*3 - 8), V: ti.Vec3{float32(i), 0.5, -float32(i % 3)}, H: runtest.Half(float64(i) / 2), T: [4]uint8{uint8(i), 7, uint8(i * 50), 3}, D: float64(i) / 3}
}

func nestBranchOf(i int) nestBranch {
	b := nestBranch{M: [2][3]float32{{1, float32(i), 2}, {float32(i) / 4, -1, 0}}, B: i%2 == 0, Q: [2][2]int64{{int64(i), -3}, {int64(i) << 40, 9}}, One: nestLeafOf(i)}
	for k := range b.L {
		b.L[k] = nestLeafOf(i + 3*k)
	}
	return b
}
