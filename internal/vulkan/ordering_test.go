package vulkan_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
	"github.com/gotaichi/ti/internal/vulkan/simulator"
)

// TestBarriersLeftOut counts the barriers between dispatches of launches: there is one where a task has something in common with those since the last barrier. The simulated device sees that none is missing.
func TestBarriersLeftOut(t *testing.T) {
	loop := func(text string) string { return "\tfor i := range 64 {\n\t\t" + text + "\n\t}\n" }
	for _, c := range []struct {
		name     string
		body     string
		barriers int
	}{
		{"one loop", loop("I[i] = 1"), 0},
		{"loops over fields of their own", loop("I[i] = i") + loop("J[63-i] = i+1") + loop("K[i%64] = i*2"), 0},
		{"each reads what the one before has written", loop("I[i] = i") + loop("J[i] = I[63-i]") + loop("K[i] = J[63-i]"), 2},
		{"the third reads what the first has written", loop("I[i] = i") + loop("J[i] = i+5") + loop("K[i] = I[63-i] + J[i]"), 1},
		{"two read what one has written", loop("I[i] = i") + loop("J[i] = I[63-i]") + loop("K[i] = I[63-i]"), 2},
		{"the fourth has nothing to do with the third", loop("I[i] = i") + loop("J[i] = I[63-i]") + loop("K[i] = i") + loop("U[i] = u32(i)"), 1},
		{"sums", loop("S += i") + loop("I[i] = i") + loop("S += 2*i"), 1},
		{"a sum that a loop reads", "\tm := i32(0)\n" + loop("m += I[i]") + loop("J[i] = m"), -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			o, n := simulator.Options{Seed: 4, Lanes: 8, Most: 1 << 24}, 0
			o.Barrier = func(b *simulator.Barrier) bool {
				if b.From == 0x800 && b.To == 0x800 {
					n++
				}
				return true
			}
			rt := titest.NewSimulated(t, ti.Config{Cache: ti.Cache{Policy: ti.CacheOff}, Block: ti.Block{Size: [3]int{8, 1, 1}, Policy: ti.BlockExact}}, simulator.New(o))
			var all []string
			var counts []int
			for _, rt := range []*ti.Runtime{rt, runtime(t, ti.Config{Arch: ti.Oracle})} {
				h := new(host)
				p := program{body: strings.TrimSuffix(c.body, "\n")}
				p.load(t, rt, h, false)
				h.fill()
				for range 3 {
					n = 0 // pipelines are made in the first launch
					must(t, h.Run(6, 1.25))
				}
				counts = append(counts, n)
				all = append(all, fmt.Sprint(h.I.Values(), h.J.Values(), h.K.Values(), h.U.Values(), h.S.At()))
			}
			if all[0] != all[1] {
				t.Errorf("the fields have %s, want %s", all[0], all[1])
			}
			if c.barriers >= 0 && counts[0] != c.barriers {
				t.Errorf("a launch has %d barriers, want %d", counts[0], c.barriers)
			}
		})
	}
}
