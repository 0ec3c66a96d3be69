package gui

import (
	"context"
	"errors"
	"fmt"
	"image"
	"iter"
	"sync"
	"time"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/raster"
)

// A Window shows fields and hears people. [Open] makes one.
type Window struct {
	config        Config
	title         string
	width, height int
	screen        screen

	mu      sync.Mutex
	heard   []event // since the frame began
	now     input   // what this frame sees
	widgets []widget
	frames  int            // that have begun
	inFrame bool           // one has begun, and has not ended
	drawn   *frame         // what has been drawn, and is not shown yet; nil for nothing
	number  uint32         // of the last picture
	camera  *raster.Camera // nil before the program has one, and before there are shapes in space
	fixed   bool           // people do not move the camera
	began   time.Time
	err     error
	closed  bool
}

// A screen is where a window is shown. It calls [Window.hear].
type screen interface {
	show(f *frame) // as soon as it can; it does not wait for that
	tell(m message)
	begin(ctx context.Context, n int) bool // waits until frame n may begin; false if there is none, since the window has ended
	sync(ctx context.Context) error        // waits until the last picture is drawn
	close() error
}

// ErrClosed is the error of a picture for a window that was closed.
var ErrClosed = errors.New("gui: the window is closed")

func newWindow(c Config, title string, width, height int) *Window {
	return &Window{config: c, title: title, width: width, height: height, now: newInput()}
}

// Frames yields the numbers of the frames, from 0 on. It waits for somebody to look before the first one, unless Config.Unseen is set, and ends when the window
// is closed, by people or by Close, when the context ends, or after an error, which Err tells. What [Window.Mouse], keys and widgets say changes when a frame
// begins. What a frame draws is shown when it ends. There is one loop over frames at a time.
func (w *Window) Frames(ctx context.Context) iter.Seq[int] {
	return func(yield func(int) bool) {
		for n := 0; w.begin(ctx, n) && yield(n); n++ {
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		w.flush()
		w.inFrame = false
	}
}

// begin waits for the beginning of a frame, and reports whether there is one.
func (w *Window) begin(ctx context.Context, n int) bool {
	w.mu.Lock()
	w.flush()
	w.mu.Unlock()
	if n > 0 && w.config.FPS > 0 {
		left := time.Duration(float64(time.Second)/w.config.FPS) - time.Since(w.began)
		select {
		case <-ctx.Done():
			return false
		case <-time.After(left):
		}
	}
	if ctx.Err() != nil || w.Err() != nil || !w.screen.begin(ctx, n) {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.began, w.inFrame = time.Now(), true
	w.frames++
	w.now.next(w.heard)
	for _, e := range w.heard {
		if e.Kind == eventWidget && e.Widget >= 0 && e.Widget < len(w.widgets) {
			w.widgets[e.Widget].hear(e)
		}
	}
	w.heard = w.heard[:0]
	return !w.closed
}

// mostHeard is how many events wait for a frame at most; of more the first ones are lost. Pages send some hundreds a second.
const mostHeard = 1 << 14

// hear takes what happens in the window, for the next frame.
func (w *Window) hear(e event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if n := len(w.heard); n > 0 && e.Kind == eventMove && w.heard[n-1].Kind == eventMove {
		w.heard[n-1] = e
		return
	}
	if len(w.heard) == mostHeard {
		w.heard = append(w.heard[:0], w.heard[mostHeard/2:]...)
	}
	w.heard = append(w.heard, e)
}

// Show shows a field as Config.Picture says, scaled to the window. It copies the elements, so that kernels may change them at once, and does not wait. In a frame of
// Frames the last picture counts, and is shown with the points, lines and triangles when the frame ends. It fails for a field that is no picture, as
// [picture.Image] does, and for a window that was closed.
func (w *Window) Show(f ti.AnyField) error {
	if err := w.Err(); err != nil {
		return err
	}
	v, err := w.config.Picture.Image(f)
	if err != nil {
		return w.fail(fmt.Errorf("gui: %w", err))
	}
	return w.ShowImage(v.Copy())
}

// ShowImage shows a picture, which must not change any more.
func (w *Window) ShowImage(img image.Image) error {
	img, err := sendable(img)
	if err != nil {
		return w.fail(err)
	}
	return w.draw(func(f *frame) {
		size := img.Bounds().Size()
		f.img, f.width, f.height = img, size.X, size.Y
		if !w.inFrame {
			w.flush()
		}
	})
}

// draw adds something to what is shown next.
func (w *Window) draw(add func(f *frame)) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.err != nil:
		return w.err
	case w.closed:
		return ErrClosed
	}
	if w.drawn == nil {
		w.drawn = &frame{width: w.width, height: w.height}
	}
	add(w.drawn)
	return nil
}

// flush shows what has been drawn. The window is locked.
func (w *Window) flush() {
	f := w.drawn
	if f == nil {
		return
	}
	w.drawn = nil
	w.aim(f)
	w.number++
	f.number = w.number
	w.screen.show(f)
}

// Sync shows what has been drawn, and waits until a page has drawn it, if any looks.
func (w *Window) Sync(ctx context.Context) error {
	w.mu.Lock()
	w.flush()
	w.mu.Unlock()
	return w.screen.sync(ctx)
}

// Err is the first error of the window, nil if there is none.
func (w *Window) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// fail keeps the first error.
func (w *Window) fail(err error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = err
	}
	return err
}

// Close closes the window. Pages say that the program has ended; a film is written. It returns the first error of the window. A second call does nothing more.
func (w *Window) Close() error {
	w.mu.Lock()
	done := w.closed
	if !done {
		w.flush()
	}
	w.closed = true
	w.mu.Unlock()
	if !done {
		if err := w.screen.close(); err != nil {
			_ = w.fail(fmt.Errorf("gui: %w", err))
		}
	}
	return w.Err()
}
