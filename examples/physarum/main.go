// Command physarum lets a slime mould grow paths.
package main

import (
	_ "embed"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/demo"
)

//go:embed physarum.ti
var source string

// Physarum is the host of physarum.ti.
type Physarum struct {
	Grid, Heading ti.Field[float32]
	Position      ti.Field[ti.Vec2]
	Init          func()
	Step          func(phase int)
}

func main() { demo.Play("physarum", 200, grow) }

func grow(m *demo.Movie) {
	var mould Physarum
	m.Place(ti.Shape{2, 512, 512}, &mould.Grid)
	m.Place(ti.Shape{1024}, &mould.Position, &mould.Heading)
	m.Load(source, &mould)
	mould.Init()
	for range m.Frames() {
		for i := range 4 {
			mould.Step(i % 2)
		}
		m.Show(&mould.Grid, 0)
	}
}
