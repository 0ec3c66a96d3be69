package raster

import (
	"errors"
	"fmt"
	"math"
)

// A Vec is a point or a direction in space.
type Vec [3]float64

func (a Vec) add(b Vec) Vec       { return Vec{a[0] + b[0], a[1] + b[1], a[2] + b[2]} }
func (a Vec) sub(b Vec) Vec       { return Vec{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }
func (a Vec) times(s float64) Vec { return Vec{a[0] * s, a[1] * s, a[2] * s} }
func (a Vec) dot(b Vec) float64   { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }
func (a Vec) length() float64     { return math.Sqrt(a.dot(a)) }
func (a Vec) cross(b Vec) Vec {
	return Vec{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}

// unit is the direction of a vector, and the first axis for one without a length.
func (a Vec) unit() Vec {
	if n := a.length(); n > 0 {
		return a.times(1 / n)
	}
	return Vec{1, 0, 0}
}

// across is a direction at a right angle to one.
func (a Vec) across() Vec {
	if math.Abs(a[0]) < 0.9*a.length() {
		return a.cross(Vec{1, 0, 0}).unit()
	}
	return a.cross(Vec{0, 1, 0}).unit()
}

// A Camera is where a scene is seen from.
type Camera struct {
	Eye, Target Vec     // where it is, and where it looks
	Up          Vec     // what is up in its picture
	FOV         float64 // the angle from the lower edge of its picture to the upper one, in degrees
}

// Check reports a camera that sees nothing.
func (c Camera) Check() error {
	for _, v := range []Vec{c.Eye, c.Target, c.Up} {
		for _, x := range v {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return fmt.Errorf("a camera with the number %v", x)
			}
		}
	}
	switch {
	case c.Eye == c.Target:
		return errors.New("a camera whose Eye is its Target looks nowhere")
	case c.Up == Vec{}:
		return errors.New("a camera needs a direction that is up")
	case !(c.FOV > 0 && c.FOV < 180):
		return fmt.Errorf("a camera whose FOV is %v; it is an angle between 0 and 180 degrees", c.FOV)
	}
	return nil
}

// Fit is a camera that sees a box, given by two corners, from above and aside.
func Fit(low, high Vec) Camera {
	c := Camera{Target: low.add(high).times(0.5), Up: Vec{0, 1, 0}, FOV: 45}
	radius := max(high.sub(low).length()/2, 1e-6)
	c.Eye = c.Target.add(Vec{0.55, 0.4, 1}.unit().times(1.05 * radius / math.Sin(c.FOV*math.Pi/360)))
	return c
}

// nearest is the smallest angle between the view and the vertical.
const nearest = 0.02

// Turn is the camera after a drag that rotates it around its target. dx is to the right and dy down, in heights of the picture; one height is half a turn.
func (c Camera) Turn(dx, dy float64) Camera {
	off, up := c.Eye.sub(c.Target), c.Up.unit()
	d := off.length()
	polar := math.Acos(min(max(off.dot(up)/d, -1), 1))
	flat := off.sub(up.times(off.dot(up)))
	if flat.length() < 1e-9*d {
		flat = up.across()
	}
	flat = flat.unit()
	polar = min(max(polar-math.Pi*dy, nearest), math.Pi-nearest)
	sin, cos := math.Sincos(-math.Pi * dx)
	flat = flat.times(cos).add(up.cross(flat).times(sin))
	c.Eye = c.Target.add(flat.times(d * math.Sin(polar))).add(up.times(d * math.Cos(polar)))
	return c
}

// Pan is the camera after a drag that moves what it looks at along with the mouse.
func (c Camera) Pan(dx, dy float64) Camera {
	right, up, _ := c.axes()
	height := 2 * c.distance() * math.Tan(c.FOV*math.Pi/360)
	by := right.times(-dx * height).add(up.times(dy * height))
	c.Eye, c.Target = c.Eye.add(by), c.Target.add(by)
	return c
}

// Zoom is the camera after the wheel has turned; up is above 0, and nearer.
func (c Camera) Zoom(notches float64) Camera {
	by := math.Pow(0.9, min(max(notches, -20), 20))
	c.Eye = c.Target.add(c.Eye.sub(c.Target).times(by))
	return c
}

func (c Camera) distance() float64 { return c.Eye.sub(c.Target).length() }

// axes are the directions to the right, up, and forward in the picture.
func (c Camera) axes() (right, up, forward Vec) {
	forward = c.Target.sub(c.Eye).unit()
	right = forward.cross(c.Up)
	if right.length() < 1e-9*c.Up.length() {
		right = forward.across()
	}
	right = right.unit()
	return right, right.cross(forward), forward
}

// depthRange is the distance of the near and the far plane from the camera, by that of its target.
const depthRange = 100

// A view takes positions to the picture of a camera.
type view struct {
	eye, right, up, forward Vec
	near, far               float64
	focal, cx, cy           float64 // in samples
}

func (c Camera) view(width, height int) view {
	v := view{eye: c.Eye, cx: float64(width) / 2, cy: float64(height) / 2}
	v.right, v.up, v.forward = c.axes()
	d := c.distance()
	v.near, v.far = d/depthRange, d*depthRange
	v.focal = v.cy / math.Tan(c.FOV*math.Pi/360)
	return v
}

// local is a position as seen from the camera: to the right, up, and forward.
func (v *view) local(p Vec) Vec {
	p = p.sub(v.eye)
	return Vec{p.dot(v.right), p.dot(v.up), p.dot(v.forward)}
}

// project is where a position is in the picture, and how deep: from 0 at the near plane to 1 at the far one.
func (v *view) project(local Vec) (x, y, depth float64) {
	return v.cx + local[0]/local[2]*v.focal, v.cy - local[1]/local[2]*v.focal, v.depth(local[2])
}

// depth is how deep something is that is so far away.
func (v *view) depth(distance float64) float64 {
	return (1/v.near - 1/distance) / (1/v.near - 1/v.far)
}

// front is how deep the front of a line is, whose radius is given in samples: one along an edge of a triangle lies in front of it.
func (v *view) front(local Vec, radius float64) float64 {
	return v.depth(max(local[2]*(1-radius/v.focal), v.near))
}
