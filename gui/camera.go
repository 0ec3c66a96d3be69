package gui

import (
	"fmt"
	"math"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/raster"
)

// A Camera is where shapes in space are looked at from: what [Window.Points], [Window.Lines] and [Window.Triangles] draw at positions of three numbers.
type Camera struct {
	// Eye is where the camera is, and Target what it looks at, and turns around.
	Eye, Target ti.Vec3

	// Up is the direction that is up in the picture. The zero vector is the second axis.
	Up ti.Vec3

	// FOV is the angle between the lower and the upper edge of the picture, in degrees; 0 is 45.
	FOV float32

	// Fixed says that people do not move the camera, so that mouse and keys are the program's alone.
	Fixed bool
}

// Camera sets from where people look at first. They turn it by a drag, or a finger, move it sideways by a drag with the right button or two fingers, and come
// nearer by the wheel; arrow keys, + and - do the same: pages do so on their own, while the program computes or waits. To set the same camera again changes nothing; another one takes its place.
// Without Camera the window looks at all positions of the first frame. It fails for a camera that sees nothing.
func (w *Window) Camera(c Camera) error {
	v := raster.Camera{Eye: wide(c.Eye), Target: wide(c.Target), Up: wide(c.Up), FOV: float64(c.FOV)}
	if c.Up == (ti.Vec3{}) {
		v.Up = raster.Vec{0, 1, 0}
	}
	if c.FOV == 0 {
		v.FOV = 45
	}
	if err := v.Check(); err != nil {
		return w.fail(fmt.Errorf("gui: %w", err))
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.camera == nil || *w.camera != v || w.fixed != c.Fixed {
		w.camera, w.fixed = &v, c.Fixed
		w.screen.tell(w.cameraMessage())
	}
	return nil
}

func wide(v ti.Vec3) raster.Vec { return raster.Vec{float64(v[0]), float64(v[1]), float64(v[2])} }

// A cameraSay is a camera as pages have it.
type cameraSay struct {
	Eye    raster.Vec `json:"eye"`
	Target raster.Vec `json:"target"`
	Up     raster.Vec `json:"up"`
	FOV    float64    `json:"fov"`
	Fixed  bool       `json:"fixed,omitempty"`
}

// cameraMessage tells pages the camera. The window is locked.
func (w *Window) cameraMessage() message {
	c := w.camera
	return message{Camera: &cameraSay{c.Eye, c.Target, c.Up, c.FOV, w.fixed}}
}

// aim gives the window a camera before the first frame with shapes in space, if the program has not.
func (w *Window) aim(f *frame) {
	if w.camera != nil || !f.spatial() {
		return
	}
	low := raster.Vec{math.Inf(1), math.Inf(1), math.Inf(1)}
	high := raster.Vec{math.Inf(-1), math.Inf(-1), math.Inf(-1)}
	for _, s := range f.shapes {
		if s.Dims != 3 {
			continue
		}
		for i, x := range s.Positions {
			if x := float64(x); !math.IsInf(x, 0) && !math.IsNaN(x) {
				low[i%3], high[i%3] = min(low[i%3], x), max(high[i%3], x)
			}
		}
	}
	for k := range low {
		if low[k] > high[k] { // there is no position
			low[k], high[k] = -1, 1
		}
	}
	c := raster.Fit(low, high)
	w.camera = &c
	w.screen.tell(w.cameraMessage())
}

// spatial reports whether there are shapes in space.
func (f *frame) spatial() bool {
	for i := range f.shapes {
		if f.shapes[i].Dims == 3 {
			return true
		}
	}
	return false
}
