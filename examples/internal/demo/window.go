package demo

import (
	"context"
	"fmt"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/gui"
	"github.com/gotaichi/ti/picture"
)

// InWindow has the example show a window whose page is served at an address, at any if it is "".
func (d *Demo) InWindow(listen string) { d.window, d.listen = true, listen }

// Window opens a window, if the example was asked for one; nil if not.
func (d *Demo) Window(title string, width, height int, c picture.Config) (*gui.Window, error) {
	if !d.window {
		return nil, nil
	}
	return gui.Config{Picture: c, Listen: d.listen}.Open(title, width, height)
}

// Loop has a window show frames until it is closed: what compute computes, which is timed, and show shows. Amount is the work of a frame, in some unit.
func (d *Demo) Loop(rt *ti.Runtime, w *gui.Window, amount float64, unit string, compute, show func() error) (Result, error) {
	frames := 0
	for range w.Frames(context.Background()) {
		if err := d.Run(rt, compute); err != nil {
			return Result{}, err
		}
		if err := show(); err != nil {
			return Result{}, err
		}
		frames++
	}
	return Result{Work: fmt.Sprintf("%d frames in a window", frames), Amount: float64(frames) * amount, Unit: unit}, w.Close()
}
