package program

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/randtest"
	"github.com/gotaichi/ti/internal/runtest"
)

var planeSeeds = randtest.New("planes", "firstplane", "random stencils on fields in blocks", 10, 5)

// TestRandomPlanes runs made-up stencils on fields in blocks of any shape, by planes of blocks and by rows.
func TestRandomPlanes(t *testing.T) {
	planeSeeds.Each(t, func(t *testing.T, seed uint64) {
		random := rand.New(rand.NewPCG(seed, 7))
		c := randomPlaneCase(random)
		var rts runtest.Runtimes
		defer rts.Close(t)
		v := runtest.Variant{Label: "O3", Arch: ti.LLVM, Opt: "3", Threads: 1 + random.IntN(3), Stream: random.IntN(2)}
		rows := v
		rows.Label, rows.Without = "O3 by rows", "planes"
		got := map[string]string{}
		typ := random.IntN(4)
		runtest.RunIn(t, &rts, []runtest.Variant{rows, v}, func(r *runtest.Run) {
			switch typ {
			case 0:
				planesOf[float32](r, c, 0, "f32", got)
			case 1:
				planesOf[float64](r, c, 0, "f64", got)
			case 2:
				planesOf[int16](r, c, 0, "i16", got)
			default:
				planesOf[uint8](r, c, 0, "u8", got)
			}
		})
	})
}

// randomPlaneCase makes up a case: blocks, a range, and places at distances that stay in the fields.
func randomPlaneCase(random *rand.Rand) *planeCase {
	rank := 2 + random.IntN(3)
	between := func(lo, hi int) int { return lo + random.IntN(hi-lo+1) }
	c := &planeCase{}
	names := strings.Split("ijkl"[:rank], "")
	random.Shuffle(rank, func(a, b int) { names[a], names[b] = names[b], names[a] })
	c.axes = strings.Join(names, "")
	for range rank {
		block := []int{1, 2, 3, 4, 4, 4, 4, 5, 8}[random.IntN(9)]
		blocks := between(2-rank/4, 12/block/rank+2)
		c.block, c.blocks = append(c.block, block), append(c.blocks, blocks)
		n := block * blocks
		lo := min(random.IntN(block+2), n-1)
		c.lo, c.hi = append(c.lo, lo), append(c.hi, between(max(lo+1, n-block-1), n))
		if c.origin = append(c.origin, between(-9, 9)); random.IntN(3) > 0 {
			c.origin[len(c.origin)-1] = 0
		}
	}
	for range between(1, 6) {
		p := make([]int, rank)
		for a := range p {
			if random.IntN(2) == 0 {
				p[a] = between(max(-7, -c.lo[a]), min(7, c.block[a]*c.blocks[a]-c.hi[a]))
			}
		}
		c.near = append(c.near, p)
	}
	own := strings.Repeat("[%]", rank)
	for _, name := range "ijkl"[:rank] {
		own = strings.Replace(own, "%", string(name), 1)
	}
	c.more = []string{"", " + T(i)", " + V" + own, " + min(V" + own + ", T(3*j-i))"}[random.IntN(4)]
	if c.twice = random.IntN(3) == 0; random.IntN(4) == 0 {
		c.self = " + D" + own
	}
	return c
}
