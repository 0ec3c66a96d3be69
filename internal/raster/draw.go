package raster

import (
	"image/color"
	"math"
)

// A place is where a position is among the samples.
type place struct {
	x, y, depth, radius float64
	color               color.NRGBA
}

// place places a position that is seen from the camera, or lies in the square.
func (c *canvas) place(s *Shape, i int, p Vec) (at place) {
	at.color = s.color(i)
	if s.Dims == 2 {
		at.x, at.y, at.radius = p[0]*float64(c.width), p[1]*float64(c.height), s.radius(i)*float64(c.height)
	} else {
		at.x, at.y, at.depth = c.view.project(p)
		at.radius = s.radius(i) / p[2] * c.view.focal
	}
	if !(at.radius > smallest*samples) { // NaN, too
		at.radius = smallest * samples
	}
	return at
}

// span is the range of samples from low to high, within 0 and n.
func span(low, high float64, n int) (int, int) {
	if !(low < high) { // NaN, too
		return 0, 0
	}
	return int(min(max(math.Floor(low), 0), float64(n))), int(min(max(math.Ceil(high)+1, 0), float64(n)))
}

// shade is a colour in a light, which is 1 where it falls at a right angle.
func shade(c color.NRGBA, light float64) color.NRGBA {
	f := ambient + (1-ambient)*light
	dim := func(v uint8) uint8 { return uint8(float64(v)*f + 0.5) }
	return color.NRGBA{dim(c.R), dim(c.G), dim(c.B), c.A}
}

// ambient is the light that is everywhere; the rest comes from the camera.
const ambient = 0.35

// local is a position as the canvas has it: in the square as it is, in space from the camera.
func (c *canvas) local(s *Shape, i int) Vec {
	if s.Dims == 2 {
		return s.position(i)
	}
	return c.view.local(s.position(i))
}

// point draws a disc, or a ball.
func (c *canvas) point(s *Shape, i int) {
	p := c.local(s, i)
	if s.Dims == 3 && !(p[2] >= c.view.near) {
		return
	}
	at := c.place(s, i, p)
	r2 := at.radius * at.radius
	x0, x1 := span(at.x-at.radius, at.x+at.radius, c.width)
	y0, y1 := span(at.y-at.radius, at.y+at.radius, c.height)
	for y := y0; y < y1; y++ {
		for x := x0; x < x1; x++ {
			dx, dy := float64(x)+0.5-at.x, float64(y)+0.5-at.y
			d2 := dx*dx + dy*dy
			if d2 > r2 {
				continue
			}
			to := at.color
			if s.Dims == 3 {
				to = shade(to, math.Sqrt(1-d2/r2))
			}
			c.put(x, y, at.depth, s.Dims, to)
		}
	}
}

// line draws a line with round ends.
func (c *canvas) line(s *Shape, i, j int) {
	p, q := c.local(s, i), c.local(s, j)
	if s.Dims == 3 {
		if !(max(p[2], q[2]) >= c.view.near) {
			return
		}
		p, q = c.clip(p, q), c.clip(q, p)
	}
	a, b := c.place(s, i, p), c.place(s, j, q)
	if s.Dims == 3 {
		a.depth, b.depth = c.view.front(p, a.radius), c.view.front(q, b.radius)
	}
	r := max(a.radius, b.radius)
	x0, x1 := span(min(a.x, b.x)-r, max(a.x, b.x)+r, c.width)
	y0, y1 := span(min(a.y, b.y)-r, max(a.y, b.y)+r, c.height)
	ex, ey := b.x-a.x, b.y-a.y
	e2 := max(ex*ex+ey*ey, 1e-12)
	for y := y0; y < y1; y++ {
		for x := x0; x < x1; x++ {
			dx, dy := float64(x)+0.5-a.x, float64(y)+0.5-a.y
			t := min(max((dx*ex+dy*ey)/e2, 0), 1)
			if r := mix(a.radius, b.radius, t); sqr(dx-t*ex)+sqr(dy-t*ey) <= r*r {
				c.put(x, y, mix(a.depth, b.depth, t), s.Dims, blend(a.color, b.color, t))
			}
		}
	}
}

// clip moves p to the near plane on the line to q, if it is in front of it.
func (c *canvas) clip(p, q Vec) Vec {
	if p[2] >= c.view.near {
		return p
	}
	t := (c.view.near - p[2]) / (q[2] - p[2])
	return p.add(q.sub(p).times(t))
}

func sqr(x float64) float64       { return x * x }
func mix(a, b, t float64) float64 { return a + (b-a)*t }

func blend(a, b color.NRGBA, t float64) color.NRGBA {
	if a == b {
		return a
	}
	f := func(a, b uint8) uint8 { return uint8(mix(float64(a), float64(b), t) + 0.5) }
	return color.NRGBA{f(a.R, b.R), f(a.G, b.G), f(a.B, b.B), f(a.A, b.A)}
}

// A corner is one of a triangle that the near plane may have cut.
type corner struct {
	p     Vec // as seen from the camera
	color [4]float64
}

func (a corner) toward(b corner, t float64) corner {
	a.p = a.p.add(b.p.sub(a.p).times(t))
	for k := range a.color {
		a.color[k] = mix(a.color[k], b.color[k], t)
	}
	return a
}

// triangle draws a triangle.
func (c *canvas) triangle(s *Shape, i, j, k int) {
	var all []corner
	for _, n := range []int{i, j, k} {
		col := s.color(n)
		all = append(all, corner{c.local(s, n), [4]float64{float64(col.R), float64(col.G), float64(col.B), float64(col.A)}})
	}
	light := 1.0
	if s.Dims == 3 {
		normal := all[1].p.sub(all[0].p).cross(all[2].p.sub(all[0].p))
		light = math.Abs(normal[2]) / max(normal.length(), 1e-300)
		all = c.cut(all)
	}
	for n := 2; n < len(all); n++ {
		c.fill(s.Dims, all[0], all[n-1], all[n], light)
	}
}

// cut cuts off what is in front of the near plane.
func (c *canvas) cut(all []corner) (kept []corner) {
	near := c.view.near
	for n, a := range all {
		b := all[(n+1)%len(all)]
		if a.p[2] >= near {
			kept = append(kept, a)
		}
		if (a.p[2] >= near) != (b.p[2] >= near) {
			kept = append(kept, a.toward(b, (near-a.p[2])/(b.p[2]-a.p[2])))
		}
	}
	return kept
}

// fill colours the samples of a triangle behind the near plane. Colours are interpolated in perspective.
func (c *canvas) fill(dims int, a, b, d corner, light float64) {
	var x, y, depth, near [3]float64 // near is 1 by the distance
	all := [3]corner{a, b, d}
	for n, one := range all {
		if dims == 2 {
			x[n], y[n], near[n] = one.p[0]*float64(c.width), one.p[1]*float64(c.height), 1
		} else {
			x[n], y[n], depth[n] = c.view.project(one.p)
			near[n] = 1 / one.p[2]
		}
	}
	area := (x[1]-x[0])*(y[2]-y[0]) - (x[2]-x[0])*(y[1]-y[0])
	if !(math.Abs(area) > 1e-12) { // NaN, too
		return
	}
	x0, x1 := span(min(x[0], x[1], x[2]), max(x[0], x[1], x[2]), c.width)
	y0, y1 := span(min(y[0], y[1], y[2]), max(y[0], y[1], y[2]), c.height)
	for sy := y0; sy < y1; sy++ {
		for sx := x0; sx < x1; sx++ {
			px, py := float64(sx)+0.5, float64(sy)+0.5
			w1 := ((px-x[0])*(y[2]-y[0]) - (x[2]-x[0])*(py-y[0])) / area
			w2 := ((x[1]-x[0])*(py-y[0]) - (px-x[0])*(y[1]-y[0])) / area
			w0 := 1 - w1 - w2
			if w0 < 0 || w1 < 0 || w2 < 0 {
				continue
			}
			z := w0*depth[0] + w1*depth[1] + w2*depth[2]
			w0, w1, w2 = w0*near[0], w1*near[1], w2*near[2]
			var col [4]uint8
			for k := range col {
				col[k] = uint8((w0*all[0].color[k]+w1*all[1].color[k]+w2*all[2].color[k])/(w0+w1+w2) + 0.5)
			}
			to := color.NRGBA{col[0], col[1], col[2], col[3]}
			if dims == 3 {
				to = shade(to, light)
			}
			c.put(sx, sy, z, dims, to)
		}
	}
}
