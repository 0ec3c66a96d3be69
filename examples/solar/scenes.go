package main

import (
	"math"

	"github.com/gotaichi/ti"
)

// Body is an element of Bodies in solar.ti: astronomical units, years, suns.
type Body struct {
	Pos, Vel, Acc ti.DVec3
	Mass          float64
	Color         ti.Vec3
	Disc          float32 // radius in the picture, in pixels
}

// A scene is what one system shows, and how it is drawn.
type scene struct {
	bodies []Body
	years  float64 // how long it is followed,
	dt     float64 // in steps of how much
	zoom   float64 // pixels for a unit, in a picture of 360 pixels
	angle  float64 // by which the picture is turned, in radians,
	spin   float64 // and by how much more each year
	bright float32
}

const gravity = 4 * math.Pi * math.Pi

var sun = Body{Mass: 1, Color: ti.Vec3{1, 0.9, 0.5}, Disc: 5}

// scenes are the systems of the picture, of 5, 7, 3 and 362 bodies.
func scenes() []scene {
	return []scene{innerPlanets(), outerPlanets(), figureEight(), trojans()}
}

// innerPlanets are the planets from Mercury to Mars.
func innerPlanets() scene {
	return scene{years: 1.88, dt: 0.001, zoom: 98, bright: 1.4, bodies: centered(sun,
		orbit{0.3871, 0.2056, 7.005, 48.33, 77.46, 140}.body(1.660e-7, ti.Vec3{0.8, 0.7, 0.6}),
		orbit{0.7233, 0.0068, 3.395, 76.68, 131.60, 250}.body(2.448e-6, ti.Vec3{1, 0.75, 0.35}),
		orbit{1.0000, 0.0167, 0.000, 0.00, 102.94, 20}.body(3.003e-6, ti.Vec3{0.3, 0.6, 1}),
		orbit{1.5237, 0.0934, 1.850, 49.56, 336.06, 100}.body(3.227e-7, ti.Vec3{1, 0.35, 0.2}),
	)}
}

// outerPlanets are the planets from Jupiter to Neptune, Pluto and Halley's comet.
func outerPlanets() scene {
	return scene{years: 249, dt: 0.005, zoom: 3.6, angle: 0.7, bright: 1.3, bodies: centered(sun,
		orbit{5.203, 0.0484, 1.304, 100.47, 14.73, 10}.body(9.548e-4, ti.Vec3{0.95, 0.7, 0.5}),
		orbit{9.537, 0.0539, 2.486, 113.66, 92.60, 200}.body(2.859e-4, ti.Vec3{0.9, 0.85, 0.55}),
		orbit{19.19, 0.0473, 0.773, 74.02, 170.95, 40}.body(4.366e-5, ti.Vec3{0.4, 0.85, 0.85}),
		orbit{30.07, 0.0086, 1.770, 131.78, 44.96, 100}.body(5.151e-5, ti.Vec3{0.3, 0.45, 1}),
		orbit{39.48, 0.2488, 17.14, 110.30, 224.07, 300}.body(6.6e-9, ti.Vec3{0.75, 0.55, 0.65}),
		orbit{17.83, 0.9671, 162.3, 58.42, 169.75, 190}.body(1e-16, ti.Vec3{0.6, 1, 0.6}),
	)}
}

// figureEight are three equal stars that chase each other along one curve, found by Moore (1993) and proved to
// exist by Chenciner and Montgomery (2000). Each is followed for a third of the period.
func figureEight() scene {
	p := ti.DVec3{0.97000436, -0.24308753}
	v := ti.DVec3{-0.93240737, -0.86473146}
	half := ti.DVec3{-v[0] / 2, -v[1] / 2}
	const mass = 1 / gravity // these numbers are for a constant of gravity of 1
	return scene{years: 6.32591398 / 3, dt: 0.001, zoom: 135, angle: -math.Pi / 5, bright: 1.4, bodies: []Body{
		{Pos: p, Vel: half, Mass: mass, Color: ti.Vec3{1, 0.45, 0.3}, Disc: 5},
		{Pos: ti.DVec3{-p[0], -p[1]}, Vel: half, Mass: mass, Color: ti.Vec3{0.35, 0.9, 0.5}, Disc: 5},
		{Vel: v, Mass: mass, Color: ti.Vec3{0.4, 0.6, 1}, Disc: 5},
	}}
}

// trojans are asteroids that Jupiter keeps 60° ahead of it and behind, and the Hildas, that go three times around
// the sun while it goes twice. The picture turns with Jupiter.
func trojans() scene {
	const jupiter, mass = 5.203, 9.548e-4
	bodies := []Body{sun, orbit{a: jupiter}.body(mass, ti.Vec3{0.95, 0.7, 0.5})}
	for i := range 120 {
		spread := 22 * math.Sin(float64(i)*2.4)
		a, e := jupiter+0.09*math.Cos(float64(i)*1.7), 0.02+0.03*math.Mod(float64(i)*0.618, 1)
		ahead := orbit{a: a, e: e, peri: float64(i) * 137.5}
		ahead.anomaly = ahead.eccentric(60 + spread - ahead.peri)
		behind := ahead
		behind.anomaly = behind.eccentric(-60 + spread - behind.peri)
		hilda := orbit{a: 3.97, e: 0.12 + 0.06*math.Mod(float64(i)*0.618, 1), peri: 3 * float64(i)}
		hilda.anomaly = hilda.eccentric(-1.5*hilda.peri + 180*float64(i%2)) // meets Jupiter when nearest to the sun
		bodies = append(bodies, ahead.body(0, ti.Vec3{1, 0.5, 0.2}), behind.body(0, ti.Vec3{0.25, 0.6, 1}),
			hilda.body(0, ti.Vec3{0.75, 0.4, 0.9}))
	}
	for i := range bodies[2:] {
		bodies[2+i].Disc = 1.2
	}
	return scene{bodies: centered(bodies...), years: 160, dt: 0.05, zoom: 29, angle: math.Pi / 2,
		spin: math.Sqrt(gravity * (1 + mass) / (jupiter * jupiter * jupiter)), bright: 0.006}
}

// An orbit around the sun: its half axis, eccentricity, and angles in degrees (inclination, longitudes of the node
// and of the perihelion, eccentric anomaly).
type orbit struct{ a, e, incl, node, peri, anomaly float64 }

const degree = math.Pi / 180

// body returns a body on the orbit.
func (o orbit) body(mass float64, color ti.Vec3) Body {
	sin, cos := math.Sincos(o.anomaly * degree)
	b := math.Sqrt(1 - o.e*o.e)
	speed := math.Sqrt(gravity*(1+mass)/o.a) / (1 - o.e*cos)
	turn := func(x, y float64) ti.DVec3 {
		x, y = rotate(x, y, (o.peri-o.node)*degree)
		y, z := rotate(y, 0, o.incl*degree)
		x, y = rotate(x, y, o.node*degree)
		return ti.DVec3{x, y, z}
	}
	return Body{Pos: turn(o.a*(cos-o.e), o.a*b*sin), Vel: turn(-speed*sin, speed*b*cos), Mass: mass, Color: color, Disc: 3}
}

// eccentric solves Kepler's equation: it returns the eccentric anomaly for a mean anomaly.
func (o orbit) eccentric(mean float64) float64 {
	m := mean * degree
	e := m
	for range 50 {
		e = m + o.e*math.Sin(e)
	}
	return e / degree
}

func rotate(x, y, angle float64) (float64, float64) {
	sin, cos := math.Sincos(angle)
	return cos*x - sin*y, sin*x + cos*y
}

// centered returns the bodies with their centre of mass at rest at the origin.
func centered(bodies ...Body) []Body {
	var pos, vel ti.DVec3
	mass := 0.0
	for _, b := range bodies {
		mass += b.Mass
		for k := range pos {
			pos[k] += b.Mass * b.Pos[k]
			vel[k] += b.Mass * b.Vel[k]
		}
	}
	for i := range bodies {
		for k := range pos {
			bodies[i].Pos[k] -= pos[k] / mass
			bodies[i].Vel[k] -= vel[k] / mass
		}
	}
	return bodies
}
