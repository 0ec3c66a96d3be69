package picture

import (
	"errors"
	"fmt"
	"image"
	"io"
	"os/exec"
	"strconv"
	"strings"
)

// ffmpeg sends frames to the program of that name, which writes the file.
type ffmpeg struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	said  *tail
	pix   []byte // of a frame, red, green and blue
	ended error  // why a frame could not be sent
}

// codecs are the options of ffmpeg for endings of names. Colours at half resolution, the most common form, need an
// even number of rows and columns, so one is added where it is odd.
var codecs = map[string]string{
	".mp4":  "-c:v libx264 -crf 18 -pix_fmt yuv420p -movflags +faststart",
	".webm": "-c:v libvpx-vp9 -crf 24 -b:v 0 -pix_fmt yuv420p",
}

// findFFmpeg returns the path of the program.
func findFFmpeg(ending string) (string, error) {
	path, err := exec.LookPath("ffmpeg")
	if err != nil {
		return "", fmt.Errorf("%s needs the program ffmpeg, which is not found (%w); install it (apt-get install ffmpeg, brew install ffmpeg), or write a .gif or .png", ending, err)
	}
	return path, nil
}

// newFFmpeg is the encoder of .mp4 and .webm.
func newFFmpeg(c Config, path string, first image.Image) (encoder, error) {
	program, err := findFFmpeg(ending(path))
	if err != nil {
		return nil, err
	}
	size := first.Bounds().Size()
	args := strings.Fields("-y -nostdin -loglevel error -f rawvideo -pix_fmt rgb24")
	args = append(args, "-video_size", fmt.Sprintf("%dx%d", size.X, size.Y),
		"-framerate", strconv.FormatFloat(c.fps(), 'f', -1, 64), "-i", "pipe:0", "-an",
		"-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2")
	args = append(append(args, strings.Fields(codecs[ending(path)])...), "file:"+path)
	f := &ffmpeg{cmd: exec.Command(program, args...), said: new(tail), pix: make([]byte, 3*size.X*size.Y)}
	f.cmd.Stdout, f.cmd.Stderr = f.said, f.said
	if f.in, err = f.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if err := f.cmd.Start(); err != nil {
		return nil, fmt.Errorf("ffmpeg does not start: %w", err)
	}
	return f, nil
}

// add sends a frame.
func (f *ffmpeg) add(img image.Image) error {
	b := img.Bounds()
	at := 0
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			f.pix[at], f.pix[at+1], f.pix[at+2] = opaque(img, x, y)
			at += 3
		}
	}
	if _, err := f.in.Write(f.pix); err != nil {
		f.ended = err
		return f.close() // it has ended, and has said why
	}
	return nil
}

// opaque returns the colour of a pixel without its opacity.
func opaque(img image.Image, x, y int) (r, g, b uint8) {
	switch img := img.(type) {
	case *image.NRGBA:
		p := img.Pix[img.PixOffset(x, y):]
		return p[0], p[1], p[2]
	case *image.RGBA: // frames of this type are opaque
		p := img.Pix[img.PixOffset(x, y):]
		return p[0], p[1], p[2]
	}
	r32, g32, b32, _ := img.At(x, y).RGBA()
	return uint8(r32 >> 8), uint8(g32 >> 8), uint8(b32 >> 8)
}

// close ends the film and waits for the program.
func (f *ffmpeg) close() error {
	if f.cmd.ProcessState != nil {
		return nil // add has told
	}
	err := errors.Join(f.ended, f.in.Close())
	if failed := f.cmd.Wait(); failed != nil {
		err = failed
	}
	if err == nil {
		return nil
	}
	if text := f.said.String(); text != "" {
		return fmt.Errorf("ffmpeg failed: %w; it said:\n%s", err, text)
	}
	return fmt.Errorf("ffmpeg failed: %w", err)
}

// tail keeps the last lines of what is written to it.
type tail struct{ text []byte }

// Bounds of what a tail keeps.
const (
	tailBytes = 4 << 10
	tailLines = 10
)

// Write implements [io.Writer].
func (t *tail) Write(p []byte) (int, error) {
	t.text = append(t.text, p...)
	if n := len(t.text); n > tailBytes {
		t.text = append(t.text[:0], t.text[n-tailBytes:]...)
	}
	return len(p), nil
}

// String returns the last lines.
func (t *tail) String() string {
	lines := strings.Split(strings.TrimSpace(string(t.text)), "\n")
	return strings.Join(lines[max(0, len(lines)-tailLines):], "\n")
}
