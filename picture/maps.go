package picture

import (
	"image/color"
	"math"
)

// Grey returns n colours from black to white.
func Grey(n int) color.Palette { return Gradient(n, 0, 0xffffff) }

// Viridis returns n colours from violet over green to yellow. Equal steps look equal, also in print and to
// the colour-blind. They are those of Matplotlib's map of that name (by Stéfan van der Walt and
// Nathaniel Smith, CC0), interpolated between 17 of its 256 colours.
func Viridis(n int) color.Palette {
	return Gradient(n, 0x440154, 0x48186a, 0x472d7b, 0x424086, 0x3b528b, 0x33638d, 0x2c728e, 0x26828e, 0x21918c,
		0x1fa088, 0x28ae80, 0x3fbc73, 0x5ec962, 0x84d44b, 0xaddc30, 0xd8e219, 0xfde725)
}

// Diverging returns n colours from blue over light grey to red, for values on both sides of a middle; an
// odd n has the middle in a colour of its own. The colours lie on a path of steady hue through the
// colour space CIELAB, bent smoothly at the grey (Kenneth Moreland, "Diverging color maps for
// scientific visualization", 2009).
func Diverging(n int) color.Palette {
	p := make(color.Palette, max(n, 0))
	low, high := polar(0x3b, 0x4c, 0xc0), polar(0xb4, 0x04, 0x26)
	for i := range p {
		t := float64(i) / float64(max(n-1, 1))
		p[i] = diverge(low, high, t)
	}
	return p
}

// RGB is the opaque colour 0xRRGGBB.
type RGB uint32

// RGBA has the four values, each 0 to 65535, as [color.Color] asks for them.
func (c RGB) RGBA() (r, g, b, a uint32) {
	return uint32(c) >> 16 & 0xff * 0x101, uint32(c) >> 8 & 0xff * 0x101, uint32(c) & 0xff * 0x101, 0xffff
}

// RGBOf returns the red, green and blue of a colour.
func RGBOf(c color.Color) RGB {
	r, g, b, _ := c.RGBA()
	return RGB(r>>8<<16 | g>>8<<8 | b>>8)
}

// Gradient returns n colours, each a [color.RGBA], that run through the given ones at equal
// distances; without any, all are black.
func Gradient(n int, stops ...RGB) color.Palette {
	p := make(color.Palette, max(n, 0))
	if len(stops) < 2 {
		stops = append(append(stops[:len(stops):len(stops)], stops...), 0, 0)[:2]
	}
	for i := range p {
		at := float64(i) / float64(max(n-1, 1)) * float64(len(stops)-1)
		k := min(int(at), len(stops)-2)
		f := at - float64(k)
		mix := func(shift int) uint8 {
			a, b := float64(stops[k]>>shift&0xff), float64(stops[k+1]>>shift&0xff)
			return uint8(a*(1-f) + b*f + 0.5)
		}
		p[i] = color.RGBA{mix(16), mix(8), mix(0), 255}
	}
	return p
}

// msh is a colour of CIELAB in polar coordinates: how far from black, and in which direction,
// as saturation (the angle from grey) and hue.
type msh struct{ m, s, h float64 }

// diverge returns the colour at t of the way from low over grey to high.
func diverge(low, high msh, t float64) color.RGBA {
	const white = 88 // the brightness of the middle
	end, other, part := low, high, 2*t
	if t > 0.5 {
		end, other, part = high, low, 2-2*t
	}
	middle := msh{math.Max(white, math.Max(end.m, other.m)), 0, 0}
	// The hue turns on the way to grey, where it is invisible, so that the step in brightness
	// does not look like a band.
	turn := end.s * math.Sqrt(math.Max(middle.m*middle.m-end.m*end.m, 0)) / (end.m * math.Sin(end.s))
	if end.h > -math.Pi/3 {
		middle.h = end.h + turn
	} else {
		middle.h = end.h - turn
	}
	mix := func(a, b float64) float64 { return a + (b-a)*part }
	return msh{mix(end.m, middle.m), mix(end.s, middle.s), mix(end.h, middle.h)}.rgb()
}

// The white of daylight (D65) in CIE XYZ.
var daylight = [3]float64{0.95047, 1, 1.08883}

// polar converts a colour of sRGB.
func polar(r, g, b uint8) msh {
	lin := func(v uint8) float64 {
		x := float64(v) / 255
		if x <= 0.04045 {
			return x / 12.92
		}
		return math.Pow((x+0.055)/1.055, 2.4)
	}
	lr, lg, lb := lin(r), lin(g), lin(b)
	f := func(k int, v float64) float64 {
		if v /= daylight[k]; v > 0.008856 {
			return math.Cbrt(v)
		}
		return 7.787*v + 16.0/116
	}
	x := f(0, 0.4124*lr+0.3576*lg+0.1805*lb)
	y := f(1, 0.2126*lr+0.7152*lg+0.0722*lb)
	z := f(2, 0.0193*lr+0.1192*lg+0.9505*lb)
	l, a, bb := 116*y-16, 500*(x-y), 200*(y-z)
	m := math.Sqrt(l*l + a*a + bb*bb)
	return msh{m, math.Acos(l / m), math.Atan2(bb, a)}
}

// rgb converts back to sRGB.
func (c msh) rgb() color.RGBA {
	l, a, b := c.m*math.Cos(c.s), c.m*math.Sin(c.s)*math.Cos(c.h), c.m*math.Sin(c.s)*math.Sin(c.h)
	y := (l + 16) / 116
	g := func(k int, v float64) float64 {
		if v*v*v > 0.008856 {
			return daylight[k] * v * v * v
		}
		return daylight[k] * (v - 16.0/116) / 7.787
	}
	x, yy, z := g(0, y+a/500), g(1, y), g(2, y-b/200)
	out := func(v float64) uint8 {
		if v <= 0.0031308 {
			v *= 12.92
		} else {
			v = 1.055*math.Pow(v, 1/2.4) - 0.055
		}
		return uint8(255*math.Min(math.Max(v, 0), 1) + 0.5)
	}
	return color.RGBA{out(3.2406*x - 1.5372*yy - 0.4986*z), out(-0.9689*x + 1.8758*yy + 0.0415*z), out(0.0557*x - 0.204*yy + 1.057*z), 255}
}
