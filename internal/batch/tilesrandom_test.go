package batch_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/randtest"
	"github.com/gotaichi/ti/internal/titest"
)

var tileSeeds = randtest.New("tileseeds", "firsttile", "made-up chains of launches that run tile by tile", 8, 40)

// TestRandomTiles: made-up chains of launches leave the bits that the launches leave by themselves.
func TestRandomTiles(t *testing.T) {
	names := strings.Fields("There Back Clamp Guard Up Down Own Push Pull Line Enil Cube Cubed Waves Spread Noise Turn FillB Wrap First Turned Returns1 Sum")
	alone := newTiled(t, ti.Config{Batch: 1, Threads: 1, StrictMath: true, Deterministic: true}, 23, 9)
	t.Setenv("TI_TILE_ROWS", "4")
	tiled := newTiled(t, ti.Config{Batch: 40, Threads: 1, StrictMath: true, Deterministic: true}, 23, 9)
	inTiles := 0
	tileSeeds.Each(t, func(t *testing.T, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 7))
		var launches []string
		for range 2 + r.IntN(6) {
			launches = append(launches, names[r.IntN(len(names))])
		}
		c := &chain{launches: strings.Join(launches, " "), times: 1 + r.IntN(3)}
		c.name = fmt.Sprintf("%d times %s", c.times, c.launches)
		want, got := alone.run(t, c), tiled.run(t, c)
		for k := range want {
			if got[k] != want[k] {
				t.Fatalf("%s: number %d of %d is %x, want %x", c.name, k, len(want), got[k], want[k])
			}
		}
		titest.Must(t, alone.launch(c)) // so that the numbers of the next launches are equal
		if tiled.inTiles(t, c) {
			inTiles++
		}
	})
	if inTiles == 0 && tiles(tiled.rt) {
		t.Error("no chain has run in tiles")
	}
}
