package raster

import (
	"image"
	"image/color"
)

// Kind is what a shape is made of.
type Kind uint32

// The kinds of shapes.
const (
	Points    Kind = iota // discs; in space, balls
	Lines                 // from each second position to the next one
	Triangles             // of three positions each; in space, shaded by how they face the camera
)

// A Shape is what one call draws.
type Shape struct {
	Kind      Kind
	Dims      int       // numbers of a position: 2 in the unit square, 3 in space
	Positions []float32 // Dims for each
	Index     []uint32  // the positions of points, lines and triangles; nil for all of them in their order

	Radius float32       // of all positions, if Radii is nil: in units of space, or parts of the picture's height
	Radii  []float32     // of each
	Color  color.NRGBA   // of all positions, if Colors is nil. In space opacity does not count
	Colors []color.NRGBA // of each
}

// Len is the number of positions.
func (s *Shape) Len() int { return len(s.Positions) / s.Dims }

// corners is how many positions the shape has, counted by its index.
func (s *Shape) corners() int {
	if s.Index != nil {
		return len(s.Index)
	}
	return s.Len()
}

// at is the number of the position of a corner.
func (s *Shape) at(corner int) int {
	if s.Index != nil {
		return int(s.Index[corner])
	}
	return corner
}

func (s *Shape) position(i int) (p Vec) {
	for k := range s.Dims {
		p[k] = float64(s.Positions[i*s.Dims+k])
	}
	return p
}

func (s *Shape) radius(i int) float64 {
	if s.Radii != nil {
		return float64(s.Radii[i])
	}
	return float64(s.Radius)
}

func (s *Shape) color(i int) color.NRGBA {
	if s.Colors != nil {
		return s.Colors[i]
	}
	return s.Color
}

// samples is how many samples a pixel has along an axis.
const samples = 2

// smallest is the least radius of points and lines, in pixels: thinner ones would be full of holes.
const smallest = 0.75

// A canvas has the samples of a picture.
type canvas struct {
	width, height int
	pix           []color.NRGBA
	depth         []float32
	view          view
}

// Draw draws shapes into a picture, which is opaque.
func Draw(img *image.NRGBA, camera Camera, shapes []Shape) {
	size := img.Rect.Size()
	c := &canvas{width: samples * size.X, height: samples * size.Y}
	c.pix = make([]color.NRGBA, c.width*c.height)
	c.depth = make([]float32, len(c.pix))
	c.view = camera.view(c.width, c.height)
	for y := range c.height {
		for x := range c.width {
			p := img.Pix[y/samples*img.Stride+x/samples*4:]
			c.pix[y*c.width+x] = color.NRGBA{p[0], p[1], p[2], p[3]}
			c.depth[y*c.width+x] = 2
		}
	}
	for _, dims := range []int{3, 2} {
		for i := range shapes {
			if s := &shapes[i]; s.Dims == dims {
				c.draw(s)
			}
		}
	}
	c.resolve(img)
}

func (c *canvas) draw(s *Shape) {
	switch s.Kind {
	case Points:
		for k := range s.corners() {
			c.point(s, s.at(k))
		}
	case Lines:
		for k := 0; k+1 < s.corners(); k += 2 {
			c.line(s, s.at(k), s.at(k+1))
		}
	case Triangles:
		for k := 0; k+2 < s.corners(); k += 3 {
			c.triangle(s, s.at(k), s.at(k+1), s.at(k+2))
		}
	}
}

// resolve makes pixels of samples.
func (c *canvas) resolve(img *image.NRGBA) {
	size := img.Rect.Size()
	for y := range size.Y {
		for x := range size.X {
			var sum [4]int
			for k := range samples * samples {
				p := c.pix[(y*samples+k/samples)*c.width+x*samples+k%samples]
				sum[0] += int(p.R)
				sum[1] += int(p.G)
				sum[2] += int(p.B)
				sum[3] += int(p.A)
			}
			out := img.Pix[y*img.Stride+4*x:]
			for k, v := range sum {
				out[k] = uint8((v + samples*samples/2) / (samples * samples))
			}
		}
	}
}

// put colours a sample: in space if nothing nearer is there, in the square by its opacity.
func (c *canvas) put(x, y int, depth float64, dims int, to color.NRGBA) {
	p := &c.pix[y*c.width+x]
	if dims == 3 {
		if d := &c.depth[y*c.width+x]; float32(depth) <= *d && depth <= 1 {
			*p, *d = color.NRGBA{to.R, to.G, to.B, 255}, float32(depth)
		}
		return
	}
	a := uint32(to.A)
	mix := func(from, to uint8) uint8 { return uint8((uint32(to)*a + uint32(from)*(255-a) + 127) / 255) }
	*p = color.NRGBA{mix(p.R, to.R), mix(p.G, to.G), mix(p.B, to.B), mix(p.A, 255)}
}
