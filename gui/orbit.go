package gui

import (
	"image"
	"image/color"

	"github.com/gotaichi/ti/internal/raster"
)

// An orbit is the camera of a window without a page, which the mouse moves as page/shapes.js has it.
type orbit struct {
	camera  raster.Camera
	fixed   bool
	spatial bool    // the last frame has shapes in space
	aspect  float64 // width by height of the last frame
	x, y    float64 // where the mouse is
	down    [mouseButtons]bool
}

// take takes the camera of the program.
func (o *orbit) take(c *cameraSay) {
	o.camera, o.fixed = raster.Camera{Eye: c.Eye, Target: c.Target, Up: c.Up, FOV: c.FOV}, c.Fixed
}

// look notes what is shown.
func (o *orbit) look(f *frame) {
	o.spatial, o.aspect = f.spatial(), float64(f.width)/float64(f.height)
}

// keyMoves are the keys that move the camera: how far each turns it, in heights of the picture, and how many notches nearer it brings it. The page has the same in shapes.js.
var keyMoves = map[string]struct{ x, y, nearer float64 }{
	"ArrowLeft": {x: -1. / 36}, "ArrowRight": {x: 1. / 36}, "ArrowUp": {y: -1. / 36}, "ArrowDown": {y: 1. / 36},
	"+": {nearer: 1}, "PageUp": {nearer: 1}, "-": {nearer: -1}, "PageDown": {nearer: -1},
}

// hear moves the camera: the left button turns it, another one moves it sideways, the wheel brings it nearer, and keys do so too.
func (o *orbit) hear(e event) {
	moves := o.spatial && !o.fixed
	switch e.Kind {
	case eventMove, eventPress, eventRelease:
		dx, dy := (e.X-o.x)*o.aspect, e.Y-o.y
		o.x, o.y = e.X, e.Y
		switch {
		case !moves:
		case o.down[0]:
			o.camera = o.camera.Turn(dx, dy)
		case o.down[1] || o.down[2]:
			o.camera = o.camera.Pan(dx, dy)
		}
		if e.Kind != eventMove && e.Button >= 0 && e.Button < mouseButtons {
			o.down[e.Button] = e.Kind == eventPress
		}
	case eventWheel:
		if moves {
			o.camera = o.camera.Zoom(e.Wheel)
		}
	case eventKeyDown:
		if k, is := keyMoves[e.Key]; is && moves && k.nearer != 0 {
			o.camera = o.camera.Zoom(k.nearer)
		} else if is && moves {
			o.camera = o.camera.Turn(k.x, k.y)
		}
	case eventBlur:
		o.down = [mouseButtons]bool{}
	}
}

// rastered is a frame as a page shows it in a window, made by the processor: the picture, or a background, is scaled to the window, and shapes are above it.
func (f *frame) rastered(width, height int, back color.NRGBA, c raster.Camera) image.Image {
	scale := min(float64(width)/float64(f.width), float64(height)/float64(f.height))
	width, height = max(1, int(scale*float64(f.width)+0.5)), max(1, int(scale*float64(f.height)+0.5))
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			p := back
			if f.img != nil {
				origin := f.img.Bounds().Min
				p = over(color.NRGBAModel.Convert(f.img.At(origin.X+x*f.width/width, origin.Y+y*f.height/height)).(color.NRGBA), back)
			}
			img.SetNRGBA(x, y, p)
		}
	}
	if c == (raster.Camera{}) { // nothing is in space
		c = raster.Fit(raster.Vec{}, raster.Vec{})
	}
	raster.Draw(img, c, f.shapes)
	return img
}

// over is a colour above an opaque one.
func over(c, back color.NRGBA) color.NRGBA {
	mix := func(a, b uint8) uint8 {
		return uint8((uint32(a)*uint32(c.A) + uint32(b)*(255-uint32(c.A)) + 127) / 255)
	}
	return color.NRGBA{mix(c.R, back.R), mix(c.G, back.G), mix(c.B, back.B), 255}
}
