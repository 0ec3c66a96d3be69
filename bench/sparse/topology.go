package main

import (
	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/bench/internal/suite"
)

// A shell is the host of shell.ti, and of what the two forms of the band share.
type shell struct {
	X, Y       ti.Field[float32]
	N          int
	Low, High  int32
	Fill, Step func() error
	Total      func() (float64, error)
}

func newShell(d domain) shell {
	low, high := d.band()
	return shell{N: d.n, Low: int32(low), High: int32(high)}
}

// trial times a step.
func (s *shell) trial() (*suite.Trial, error) {
	return &suite.Trial{Launch: s.Step, Check: func() (float64, error) {
		if err := s.Step(); err != nil {
			return 0, err
		}
		return s.Total()
	}}, s.Fill()
}

// band times a narrow band of cells with a bit each.
func band(rt *ti.Runtime, d domain) (*suite.Trial, error) {
	s := struct {
		shell
		Block *ti.Node
	}{shell: newShell(d)}
	s.Block = rt.NewTree().Pointer(ti.IJK, d.blocks())
	s.Block.Bitmasked(ti.IJK, leaf).Place(&s.X, &s.Y)
	if err := load(rt, &s, "shell", "band"); err != nil {
		return nil, err
	}
	return s.trial()
}

// arrayBand times it on arrays with marks.
func arrayBand(rt *ti.Runtime, d domain) (*suite.Trial, error) {
	s := struct {
		shell
		In, Grown ti.Field[uint8]
	}{shell: newShell(d)}
	rt.Place(ti.Shape{d.n, d.n, d.n}, &s.X, &s.Y, &s.In, &s.Grown)
	if err := load(rt, &s, "shell", "arrayband"); err != nil {
		return nil, err
	}
	return s.trial()
}

// numbers returns how many the append case sorts: 2²⁰ in the domain of the suite.
func numbers(d domain) int { return d.n * d.n * d.n / 16 }

// sorted times appending to lists, in cells that exist when they have been written to, or in an array of cells.
func sorted(inArray bool) start {
	return func(rt *ti.Runtime, d domain) (*suite.Trial, error) {
		s := struct {
			List     ti.Field[int32]
			Cell     *ti.Node
			N, Count int
			Sort     func(r2 int32) error
			Total    func() (float64, error)
		}{N: d.n, Count: numbers(d)}
		if inArray {
			s.Cell = rt.NewTree().Dense(ti.IJK, d.blocks())
		} else {
			s.Cell = rt.NewTree().Pointer(ti.IJK, d.blocks())
		}
		s.Cell.Dynamic(ti.L, 4096).Chunk(32).Place(&s.List)
		if err := load(rt, &s, "lists"); err != nil {
			return nil, err
		}
		r2 := int32(d.ball())
		launch := func() error { return s.Sort(r2) }
		return &suite.Trial{Launch: launch, Check: func() (float64, error) {
			if err := launch(); err != nil {
				return 0, err
			}
			return s.Total()
		}}, nil
	}
}

// A copier is the host of topology.ti.
type copier struct {
	ball
	Z           ti.Field[float32]
	Block, Copy *ti.Node
	Drop, Again func() error
	Cells       func() (int64, error)
}

func newCopier(rt *ti.Runtime, d domain) (*copier, int32, error) {
	c := &copier{ball: ball{N: d.n}}
	c.Block = rt.NewTree().Pointer(ti.IJK, d.blocks())
	c.Block.Dense(ti.IJK, leaf).Place(&c.X)
	c.Copy = rt.NewTree().Pointer(ti.IJK, d.blocks())
	c.Copy.Dense(ti.IJK, leaf).Place(&c.Z)
	if err := load(rt, c, "ball", "topology"); err != nil {
		return nil, 0, err
	}
	r2 := int32(d.ball())
	return c, r2, c.Fill(r2)
}

// reactivate times deactivation of all, and writing it again.
func reactivate(rt *ti.Runtime, d domain) (*suite.Trial, error) {
	c, r2, err := newCopier(rt, d)
	if err != nil {
		return nil, err
	}
	launch := func() error { return suite.InOrder(c.Drop, func() error { return c.Fill(r2) }) }
	return &suite.Trial{Launch: launch, Check: func() (float64, error) {
		if err := launch(); err != nil {
			return 0, err
		}
		sum, _, err := c.Total(&c.X, r2)
		return sum, err
	}}, nil
}

// copied times copying a topology.
func copied(rt *ti.Runtime, d domain) (*suite.Trial, error) {
	c, _, err := newCopier(rt, d)
	if err != nil {
		return nil, err
	}
	return &suite.Trial{Launch: c.Again, Check: func() (float64, error) {
		if err := c.Again(); err != nil {
			return 0, err
		}
		cells, err := c.Cells()
		return float64(cells), err
	}}, nil
}
