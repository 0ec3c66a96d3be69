package vulkan_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/vulkan/simulator"
)

// weaker are barriers that order less. Numbers are those of Vulkan's specification.
var weaker = map[string]func(b *simulator.Barrier) (kept, changed bool){
	"there is none": func(*simulator.Barrier) (bool, bool) { return false, true },
	"it makes nothing available": func(b *simulator.Barrier) (bool, bool) {
		for i := range b.Accesses {
			b.Accesses[i][0] = 0
		}
		return true, true
	},
	"it makes nothing visible to reads": func(b *simulator.Barrier) (bool, bool) {
		for i := range b.Accesses {
			b.Accesses[i][1] &^= 0x20 | 0x800 | 0x2000
		}
		return true, true
	},
	"it makes nothing visible to writes": func(b *simulator.Barrier) (_, changed bool) {
		for i := range b.Accesses {
			changed = changed || b.Accesses[i][1]&(0x40|0x1000) != 0
			b.Accesses[i][1] &^= 0x40 | 0x1000
		}
		return true, changed
	},
	"it makes nothing visible to the host": func(b *simulator.Barrier) (bool, bool) {
		changed := b.To&0x4000 != 0 && b.To != 0x4000
		b.To &^= 0x4000
		return true, changed
	},
	"it makes nothing visible to the device": func(b *simulator.Barrier) (bool, bool) {
		changed := b.To&0x4000 != 0 && b.To != 0x4000
		b.To &= 0x4000
		return true, changed
	},
	"it waits for copies alone": func(b *simulator.Barrier) (bool, bool) {
		changed := b.From != 0x1000
		b.From = 0x1000
		return true, changed
	},
}

// ordered has tasks that read and write what others have written, a bound that the host reads, and an early return.
var ordered = program{name: "ordered", body: `
	for i := range I {
		J[i] = I[i] + 1
		K[i] = i32(i)
	}
	for i := range I {
		I[i] = J[63-i] * 2
		S += J[i]
	}
	for i := range J {
		J[i] = I[i] + S
	}
	k := S%16 + 20
	for i := range abs(k) {
		K[i] = J[i]
	}
	if S == 1234567 {
		return
	}
	for i := range K {
		K[i] += J[63-i]
	}`}

// TestBarriers makes barriers weaker, one at a time: the simulated device notices. It runs a program several times, with memory that the host sees and with memory apart. A barrier is known by
// its stages and kinds of access, and has to be missed at one of its places.
func TestBarriers(t *testing.T) {
	often := func(t *testing.T, rt *ti.Runtime) ([]string, error) {
		h := new(host)
		ordered.load(t, rt, h, false)
		h.fill()
		var all []string
		for i := range 3 {
			if i == 1 {
				h.I.Set(7, 7)
				h.S.Set(5)
			}
			if err := h.Run(6, 1.25); err != nil {
				return nil, err
			}
		}
		for _, f := range []*ti.Field[int32]{&h.I, &h.J, &h.K, &h.S} {
			all = append(all, fmt.Sprint(f.Values()))
		}
		return all, nil
	}
	cfg := ti.Config{Seed: 3, Cache: ti.Cache{Policy: ti.CacheOff}}
	for _, hidden := range []bool{false, true} {
		o := simulator.Options{Seed: 9, Lanes: 16, Hidden: hidden}
		var all []string // the barriers
		o.Barrier = func(b *simulator.Barrier) bool {
			all = append(all, fmt.Sprintf("%#x", *b))
			return true
		}
		right := try(t, cfg, simulator.New(o), often)
		if len(right.faults) > 0 || right.err != nil {
			t.Fatalf("with all barriers: %v, %s", right.err, strings.Join(right.faults, "\n"))
		}
		for _, name := range slices.Sorted(maps.Keys(weaker)) {
			missed := map[string]bool{} // whether a barrier is
			for at, known := range all {
				if missed[known] {
					continue
				}
				n, weakened := 0, false
				o.Barrier = func(b *simulator.Barrier) (kept bool) {
					if n++; n-1 != at {
						return true
					}
					kept, weakened = weaker[name](b)
					return kept
				}
				if got := try(t, cfg, simulator.New(o), often); weakened {
					missed[known] = got.notices(right)
				}
			}
			for _, b := range slices.Sorted(maps.Keys(missed)) {
				if !missed[b] && !strings.HasPrefix(b, beforeCopies) {
					t.Errorf("hidden memory: %t, %s: barrier %s is not missed", hidden, name, b)
				}
			}
		}
	}
}

// beforeCopies begins the barrier before copies. It has only to make visible what dispatches have written: a fence has made it available before.
const beforeCopies = "{0x800 0x1000"
