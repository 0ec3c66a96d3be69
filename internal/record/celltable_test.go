package record

import (
	"math/rand/v2"
	"testing"

	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/site"
)

// TestCellTable compares the table with a map, over several loops.
func TestCellTable(t *testing.T) {
	type key struct {
		what  int64
		comp  uint64
		index [8]uint64
	}
	r := rand.New(rand.NewPCG(1, 2))
	var table cellTable[accesses]
	for _, n := range []int{10, 30000, 2000} {
		want := map[key]uint64{}
		for range n {
			k := key{what: int64(r.IntN(3)), comp: uint64(r.IntN(4))}
			rank := int(k.what) * 4 // 0, 4 and 8 axes
			for a := range rank {
				k.index[a] = uint64(r.IntN(20) - 10)
			}
			if rank > 0 && r.IntN(2) == 0 {
				k.index[rank-1] = r.Uint64()
			}
			c := table.at(k.what, k.comp, k.index[:rank])
			if c.bits != want[k] {
				t.Fatalf("%v has %d, not %d", k, c.bits, want[k])
			}
			want[k]++
			c.bits++
		}
		for k, n := range want {
			if c := table.at(k.what, k.comp, k.index[:4*k.what]); c.bits != n {
				t.Fatalf("in the end %v has %d, not %d", k, c.bits, n)
			}
		}
		table.reset()
	}
}

// TestRacesRoom fills what is known of races, by many iterations and by one: it says that it is full,
// finds the races of later loops, and uses no more than it was given.
func TestRacesRoom(t *testing.T) {
	for _, each := range []uint64{1, 100_000} {
		testRacesRoom(t, each)
	}
}

// testRacesRoom is TestRacesRoom for iterations with the given number of accesses.
func testRacesRoom(t *testing.T, each uint64) {
	tr := NewRaces([]launch.Site{{Site: site.Site{Kind: site.Read, What: "X", Shape: []int64{0}}}, {Site: site.Site{Kind: site.Write, What: "X", Shape: []int64{0}}}})
	const room = 4 << 20
	tr.Begin(room)
	for i := range uint64(100_000) {
		tr.touch(0, []uint64{i / each, 1, 0, 0, 1000 * i, i / each})
		if tr.used() > 2*room {
			t.Fatalf("%d accesses in an iteration: %d bytes in use after %d of them", each, tr.used(), i)
		}
	}
	if race, _ := tr.First(); race != nil || !tr.short {
		t.Errorf("there is no room, and it gives %v", race)
	}
	tr.touch(0, []uint64{0, 2, 0, 0, 5, 0})
	tr.touch(1, []uint64{1, 2, 0, 7, 5, 1})
	if tr.count != 1 {
		t.Errorf("%d races in the next loop", tr.count)
	}
	tr.End()
	tr.Begin(room)
	if race, n := tr.First(); race != nil || n != 0 || tr.short {
		t.Errorf("the next launch has %v", race)
	}
}
