package gui

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gotaichi/ti/picture"
)

// recordedFrames is how many frames a recording has where its input does not close the window.
const recordedFrames = 100

// A recording is a window whose frames become a film, and in which happens what a file says.
type recording struct {
	w      *Window
	film   *picture.Film // nil for a folder of pictures
	folder string
	input  []event // in the order of their frames
	shown  int
	last   *frame // that was shown since the frame began
	shapes bool   // there were some, so that frames have the size of the window
	orbit  orbit
}

// openRecording records a window into a film, or for a path that ends in a separator into a folder. Each line of the file of input, if there is one, is an event with the number of its frame.
func openRecording(w *Window, path, input string) (*recording, error) {
	r := &recording{w: w}
	if input != "" {
		data, err := os.ReadFile(input)
		if err == nil {
			r.input, err = parseInput(data)
		}
		if err != nil {
			return nil, fmt.Errorf("gui: the input of a recorded window (%s): %w", EnvInput, err)
		}
	}
	if strings.HasSuffix(path, "/") || strings.HasSuffix(path, string(filepath.Separator)) {
		if err := os.MkdirAll(path, 0o777); err != nil {
			return nil, fmt.Errorf("gui: the folder of a recorded window: %w", err)
		}
		r.folder = path
		return r, nil
	}
	var err error
	if r.film, err = w.config.Picture.NewFilm(path); err != nil {
		return nil, fmt.Errorf("gui: recording a window (%s): %w", EnvMode, err)
	}
	return r, nil
}

// parseInput reads the lines of a file of input.
func parseInput(data []byte) (all []event, err error) {
	lines := bufio.NewScanner(bytes.NewReader(data))
	for n := 1; lines.Scan(); n++ {
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		var e event
		d := json.NewDecoder(bytes.NewReader(line))
		d.DisallowUnknownFields()
		if err := d.Decode(&e); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		if !knownEvents[e.Kind] {
			return nil, fmt.Errorf("line %d: there is no kind of event %q", n, e.Kind)
		}
		if len(all) > 0 && e.Frame < all[len(all)-1].Frame {
			return nil, fmt.Errorf("line %d: frame %d comes behind frame %d", n, e.Frame, all[len(all)-1].Frame)
		}
		all = append(all, e)
	}
	return all, lines.Err()
}

// knownEvents are those that a file of input may have.
var knownEvents = map[string]bool{eventMove: true, eventPress: true, eventRelease: true, eventWheel: true, eventKeyDown: true, eventKeyUp: true, eventBlur: true, eventWidget: true, eventClose: true}

func (r *recording) begin(_ context.Context, n int) bool {
	r.w.mu.Lock()
	err := r.keep()
	r.w.mu.Unlock()
	if err != nil {
		_ = r.w.fail(err)
		return false
	}
	for len(r.input) > 0 && int(r.input[0].Frame) <= n {
		e := r.input[0]
		r.input = r.input[1:]
		if e.Kind == eventClose {
			return false
		}
		r.w.mu.Lock()
		r.orbit.hear(e)
		r.w.mu.Unlock()
		r.w.hear(e)
	}
	return n < recordedFrames || len(r.input) > 0
}

// keep writes the last picture of a frame.
func (r *recording) keep() error {
	f := r.last
	if r.last = nil; f == nil {
		return nil
	}
	img := f.img
	if r.shapes = r.shapes || len(f.shapes) > 0; r.shapes {
		img = f.rastered(r.w.width, r.w.height, r.w.config.back(), r.orbit.camera)
	}
	if r.film != nil {
		return r.film.AddImage(img)
	}
	r.shown++
	return picture.SaveImage(filepath.Join(r.folder, fmt.Sprintf("%04d.png", r.shown-1)), img)
}

func (r *recording) show(f *frame) {
	r.last = f
	r.orbit.look(f)
}

func (r *recording) tell(m message) {
	if m.Camera != nil {
		r.orbit.take(m.Camera)
	}
}

func (r *recording) sync(context.Context) error { return nil }

func (r *recording) close() error {
	r.w.mu.Lock()
	err := r.keep()
	r.w.mu.Unlock()
	if r.film == nil {
		return err
	}
	if r.number() == 0 && err == nil {
		return fmt.Errorf("nothing was shown in the recorded window")
	}
	if failed := r.film.Close(); err == nil {
		err = failed
	}
	return err
}

// number is how many pictures were shown.
func (r *recording) number() uint32 {
	r.w.mu.Lock()
	defer r.w.mu.Unlock()
	return r.w.number
}
