package main

import (
	_ "embed"

	"github.com/gotaichi/ti"
)

//go:embed maccormack.ti
var source string

type numbers = ti.Field[float32]

// Tube is the host of maccormack.ti.
type Tube struct {
	V     ti.Field[ti.Vec3]
	Dyes  [3]Dye
	Image ti.Field[ti.Vec3]
	N     int
	Dt    float32

	Blow              func() error
	Pour              func(q *numbers, sectors, rings int) error
	Forward, Backward func(from, to *numbers) error
	Correct           func(q, ahead, back, next *numbers) error
	Paint             func() error

	cells *ti.Node
}

// Dye is that of maccormack.ti.
type Dye struct {
	Now, Ahead, Back, Next *numbers
}

// edge is that of a block, in cells.
const edge = 8

// newTube places a tube in n³ cells. Only blocks that it touches take memory.
func newTube(rt *ti.Runtime, n int) (*Tube, error) {
	s := &Tube{N: n, Dt: 1.5}
	s.cells = rt.NewTree().Pointer(ti.IJK, n/edge).Dense(ti.IJK, edge)
	s.cells.Place(&s.V)
	for i := range s.Dyes {
		d := Dye{new(numbers), new(numbers), new(numbers), new(numbers)}
		s.cells.Place(d.Now, d.Ahead, d.Back, d.Next)
		s.Dyes[i] = d
	}
	rt.Place(ti.Shape{256, 256}, &s.Image)
	return s, rt.Load(source, s)
}

// fill makes wind and dyes.
func (s *Tube) fill() error {
	if err := s.Blow(); err != nil {
		return err
	}
	for i, pattern := range [][2]int{{3, 1}, {4, 2}, {6, 3}} {
		if err := s.Pour(s.Dyes[i].Now, pattern[0], pattern[1]); err != nil {
			return err
		}
	}
	return nil
}

// frame takes the steps of a frame.
func (s *Tube) frame() error {
	for range steps {
		if err := s.step(); err != nil {
			return err
		}
	}
	return nil
}

// step carries the dyes for a time of Dt.
func (s *Tube) step() error {
	for _, d := range s.Dyes {
		if err := s.Forward(d.Now, d.Ahead); err != nil {
			return err
		}
	}
	for _, d := range s.Dyes {
		if err := s.Backward(d.Ahead, d.Back); err != nil {
			return err
		}
	}
	for i := range s.Dyes {
		d := &s.Dyes[i]
		if err := s.Correct(d.Now, d.Ahead, d.Back, d.Next); err != nil {
			return err
		}
		d.Now, d.Next = d.Next, d.Now
	}
	return nil
}
