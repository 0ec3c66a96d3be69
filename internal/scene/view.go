package scene

import (
	"cmp"
	"fmt"
	"image/color"
	"strconv"
	"strings"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/gui"
	"github.com/gotaichi/ti/internal/raster"
)

// A window is what a scene says of its window.
type window struct {
	number        int // of the line; 0 for none
	width, height int
	xy            bool // places are x to the right and y up
	background    color.Color
}

// A camera is that of a scene.
type camera struct {
	number int // of the line; 0 for none
	gui.Camera
}

// The sizes of windows: without a picture or the word, and the largest.
const (
	windowSize     = 512
	mostWindowSize = 8192
)

// xy reports whether the first axis of places and pictures runs to the right and the second one up.
func (sc *Scene) xy() bool { return sc.window.xy || sc.show.config.XY }

// window takes a line with the window.
func (p *parser) window(rest string) error {
	w := &p.scene.window
	if w.number > 0 {
		return fmt.Errorf("line %d says already what the window is like", w.number)
	}
	w.number = p.at
	for option := range strings.FieldsSeq(rest) {
		name, value, has := strings.Cut(option, "=")
		width, height, sized := strings.Cut(option, "x")
		switch {
		case option == "xy":
			w.xy = true
		case name == "background" && has:
			c, err := colour(value)
			if err != nil {
				return err
			}
			w.background = c
		case sized:
			var wrong [2]error
			w.width, wrong[0] = strconv.Atoi(width)
			w.height, wrong[1] = strconv.Atoi(height)
			if wrong != [2]error{} || min(w.width, w.height) < 1 || max(w.width, w.height) > mostWindowSize {
				return fmt.Errorf("%q is no size of a window; it has from 1x1 to %dx%d pixels", option, mostWindowSize, mostWindowSize)
			}
		default:
			return fmt.Errorf("window has no option %q; there are a size, as in 800x600, xy and background=", option)
		}
	}
	return nil
}

// camera takes a line with the camera.
func (p *parser) camera(rest string) error {
	c := &p.scene.camera
	if c.number > 0 {
		return fmt.Errorf("line %d has a camera already", c.number)
	}
	c.number = p.at
	for option := range strings.FieldsSeq(rest) {
		name, value, has := strings.Cut(option, "=")
		to := map[string]*ti.Vec3{"eye": &c.Eye, "target": &c.Target, "up": &c.Up}[name]
		switch {
		case option == "fixed":
			c.Fixed = true
		case name == "fov" && has:
			x, err := strconv.ParseFloat(value, 32)
			if err != nil {
				return fmt.Errorf("%q is no angle in degrees", value)
			}
			c.FOV = float32(x)
		case to != nil && has:
			if err := vector(to, value); err != nil {
				return err
			}
		default:
			return fmt.Errorf("camera has no option %q; there are eye=, target=, up=, fov= and fixed", option)
		}
	}
	if c.Up == (ti.Vec3{}) {
		c.Up = ti.Vec3{0, 1, 0}
	}
	if err := (raster.Camera{Eye: wide(c.Eye), Target: wide(c.Target), Up: wide(c.Up), FOV: float64(cmp.Or(c.FOV, 45))}).Check(); err != nil {
		return fmt.Errorf("%w; write camera eye=1,1,3 target=0,0,0", err)
	}
	return nil
}

func wide(v ti.Vec3) raster.Vec { return raster.Vec{float64(v[0]), float64(v[1]), float64(v[2])} }

// vector reads three numbers.
func vector(to *ti.Vec3, text string) error {
	parts := strings.Split(text, ",")
	if len(parts) != len(to) {
		return fmt.Errorf("%q is no place in space; one is written with three numbers, as 1,0.5,3", text)
	}
	for i, part := range parts {
		x, err := strconv.ParseFloat(part, 32)
		if err != nil || x-x != 0 {
			return fmt.Errorf("%q is no place in space; one is written with three numbers, as 1,0.5,3", text)
		}
		to[i] = float32(x)
	}
	return nil
}
