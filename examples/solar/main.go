// Command solar follows four systems of bodies that attract each other: inner planets, outer planets, three stars on
// one curve, and asteroids that Jupiter leads.
package main

import (
	_ "embed"
	"fmt"
	"image"
	"math"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/demo"
	"github.com/gotaichi/ti/picture"
)

//go:embed solar.ti
var source string

// System is the host of solar.ti: it bundles the fields of one system and the kernels that work on them. There may
// be any number of systems, of any sizes.
type System struct {
	Bodies ti.Field[Body]
	Sky    Canvas

	Attract func() error
	Step    func(dt float64) error
	Energy  func() (kinetic, potential float64, err error)
	Trace   func(zoom, angle, dt float64, bright float32) error
	Mark    func(zoom, angle float64) error
}

// Canvas is what bodies draw their traces on.
type Canvas struct {
	Light ti.Field[ti.Vec3]
}

func main() {
	demo.Main("solar", func(d *demo.Demo) (demo.Result, error) {
		result, _, err := run(d, scenes(), 360)
		return result, err
	})
}

// outcome is what a system came to.
type outcome struct {
	bodies []Body
	drift  float64 // part of the energy by which it has changed
}

// run follows the scenes, and draws each in a square of the picture.
func run(d *demo.Demo, scenes []scene, size int) (result demo.Result, outcomes []outcome, err error) {
	rt, err := ti.New(ti.Config{})
	if err != nil {
		return result, nil, err
	}
	defer rt.Close()
	columns := min(len(scenes), 2)
	var squares []image.Image
	amount, bodies := 0.0, 0
	for i := range d.Steps(len(scenes), "systems") {
		sc := scenes[i]
		system, err := newSystem(rt, sc.bodies, size)
		if err != nil {
			return result, nil, err
		}
		o, err := system.follow(d, rt, sc, float64(size)/360)
		if err != nil {
			return result, nil, err
		}
		outcomes = append(outcomes, o)
		square, err := system.develop()
		if err != nil {
			return result, nil, err
		}
		squares = append(squares, square)
		bodies += len(sc.bodies)
		amount += sc.years / sc.dt * float64(len(sc.bodies)*len(sc.bodies))
	}
	worst := 0.0
	for _, o := range outcomes {
		worst = max(worst, o.drift)
	}
	file := d.Path("solar.png")
	return demo.Result{
		Work:   fmt.Sprintf("%d systems of %d bodies, energy kept to %.2g%%", len(scenes), bodies, 100*worst),
		Amount: amount,
		Unit:   "pair",
		File:   file,
	}, outcomes, picture.SaveImage(file, picture.Sheet(columns, 0, squares...))
}

// newSystem returns a system of the bodies, with a square to draw on.
func newSystem(rt *ti.Runtime, bodies []Body, size int) (*System, error) {
	s := new(System)
	rt.Place(ti.Shape{len(bodies)}, &s.Bodies)
	rt.Place(ti.Shape{size, size}, &s.Sky.Light)
	if err := rt.Load(source, s); err != nil { // checked once for all systems
		return nil, err
	}
	return s, s.Bodies.CopyFrom(bodies)
}

// follow lets the time of a scene pass.
func (s *System) follow(d *demo.Demo, rt *ti.Runtime, sc scene, scale float64) (outcome, error) {
	if err := s.Attract(); err != nil {
		return outcome{}, err
	}
	before, err := s.energy()
	if err != nil {
		return outcome{}, err
	}
	steps := int(math.Round(sc.years / sc.dt))
	zoom := sc.zoom * scale
	angle := func(step int) float64 { return sc.angle + sc.spin*sc.dt*float64(step) }
	err = d.Run(rt, func() error {
		for step := range steps {
			if err := s.Step(sc.dt); err != nil {
				return err
			}
			if err := s.Trace(zoom, angle(step+1), sc.dt, sc.bright); err != nil {
				return err
			}
		}
		return s.Mark(zoom, angle(steps))
	})
	if err != nil {
		return outcome{}, err
	}
	after, err := s.energy()
	if err != nil {
		return outcome{}, err
	}
	o := outcome{bodies: make([]Body, len(sc.bodies)), drift: math.Abs(after/before - 1)}
	return o, s.Bodies.CopyTo(o.bodies)
}

// energy returns the whole energy.
func (s *System) energy() (float64, error) {
	kinetic, potential, err := s.Energy()
	return kinetic + potential, err
}

// night is the colour of the sky without light.
var night = ti.Vec3{0.02, 0.025, 0.06}

// develop turns the light on the canvas of a system into colours, and returns their picture.
func (s *System) develop() (image.Image, error) {
	sky := &s.Sky.Light
	for at, light := range sky.All() {
		for c, base := range night {
			light[c] = base + (1-base)*float32(1-math.Exp(float64(-light[c])))
		}
		sky.Set(light, at[0], at[1])
	}
	return picture.Image(sky)
}
