package picture

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/color/palette"
	"image/draw"
	"image/gif"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gotaichi/ti"
)

var three = color.Palette{RGB(0), RGB(0xff0000), RGB(0x00ff00)}

// shots are frames of 4×3 indices of three colours.
var shots = [][]uint8{
	{0, 1, 2, 0, 0, 0, 1, 1, 1, 0, 0, 0},
	{0, 1, 2, 0, 0, 0, 1, 2, 1, 0, 0, 0}, // one pixel
	{0, 1, 2, 0, 0, 0, 1, 2, 1, 0, 0, 0}, // none
	{2, 1, 2, 0, 0, 0, 1, 2, 1, 0, 0, 1}, // opposite corners
	{1, 2, 0, 1, 1, 1, 2, 0, 0, 2, 2, 2}, // all
}

// shoot makes a film of the frames, each converted.
func shoot(t *testing.T, c Config, name string, convert func(*image.Paletted) image.Image) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	film, err := c.NewFilm(path)
	check(t, err)
	for _, pix := range shots {
		check(t, film.AddImage(convert(&image.Paletted{Pix: pix, Stride: 4, Rect: image.Rect(0, 0, 4, 3), Palette: three})))
	}
	check(t, film.Close())
	check(t, film.Close())
	return path
}

// conversions are the types that frames may have.
var conversions = map[string]func(*image.Paletted) image.Image{
	"paletted": func(p *image.Paletted) image.Image { return p },
	"part": func(p *image.Paletted) image.Image {
		large := image.NewPaletted(image.Rect(-3, -3, 9, 9), three)
		r := image.Rect(2, 2, 6, 5)
		draw.Draw(large, r, p, image.Point{}, draw.Src)
		return large.SubImage(r)
	},
	"full palette": func(p *image.Paletted) image.Image {
		all := &image.Paletted{Pix: p.Pix, Stride: 4, Rect: p.Rect, Palette: slices.Clone(palette.Plan9)}
		copy(all.Palette, three)
		return all
	},
	"rgba":  func(p *image.Paletted) image.Image { return draws(image.NewRGBA(p.Rect), p) },
	"nrgba": func(p *image.Paletted) image.Image { return draws(image.NewNRGBA(p.Rect), p) },
	"64":    func(p *image.Paletted) image.Image { return draws(image.NewRGBA64(p.Rect), p) },
}

func draws(to draw.Image, from image.Image) image.Image {
	draw.Draw(to, to.Bounds(), from, image.Point{}, draw.Src)
	return to
}

// compare checks the pixels of a frame.
func compare(t *testing.T, name string, k int, img image.Image) {
	t.Helper()
	for i, v := range shots[k] {
		if got, want := color.NRGBAModel.Convert(img.At(i%4, i/4)), color.NRGBA(color.RGBAModel.Convert(three[v]).(color.RGBA)); got != want {
			t.Errorf("%s: frame %d, pixel %d is %v; want %v", name, k, i, got, want)
		}
	}
}

func TestGIF(t *testing.T) {
	for name, convert := range conversions {
		movie := decodeGIF(t, shoot(t, Config{FPS: 30}, "film.gif", convert))
		if len(movie.Image) != len(shots) || movie.Config.Width != 4 || movie.Config.Height != 3 || movie.LoopCount != 0 {
			t.Fatalf("%s: the film has %d frames of %v, loops %d", name, len(movie.Image), movie.Config, movie.LoopCount)
		}
		if !slices.Equal(movie.Delay, []int{3, 4, 3, 3, 4}) { // 16.7 in all
			t.Errorf("%s: the delays are %v", name, movie.Delay)
		}
		screen := image.NewNRGBA(image.Rect(0, 0, 4, 3))
		for k, part := range movie.Image {
			draw.Draw(screen, part.Rect, part, part.Rect.Min, draw.Over)
			compare(t, name, k, screen)
		}
	}
}

func decodeGIF(t *testing.T, path string) *gif.GIF {
	t.Helper()
	data, err := os.ReadFile(path)
	check(t, err)
	movie, err := gif.DecodeAll(bytes.NewReader(data))
	check(t, err)
	return movie
}

// TestManyColours checks that a frame of more than 256 colours is close to what it should be, and one
// of 256 exact.
func TestManyColours(t *testing.T) {
	for n, tolerance := range map[int]int{16: 0, 64: 60} {
		img := image.NewNRGBA(image.Rect(0, 0, n, n))
		for i := range n * n {
			img.SetNRGBA(i%n, i/n, color.NRGBA{uint8(i % n * 4), uint8(i / n * 4), 100, 255})
		}
		path := filepath.Join(t.TempDir(), "a.gif")
		check(t, SaveImage(path, img))
		got := decodeGIF(t, path).Image[0]
		sum := 0
		for i := range n * n {
			c := color.NRGBAModel.Convert(got.At(i%n, i/n)).(color.NRGBA)
			sum += max(int(c.R)-i%n*4, i%n*4-int(c.R))
		}
		if sum > tolerance*n*n {
			t.Errorf("%d×%d colours are wrong by %d in all", n, n, sum)
		}
	}
}

// TestAPNG takes the frames apart: each is a PNG with the chunks of its own.
func TestAPNG(t *testing.T) {
	for name, convert := range conversions {
		data, err := os.ReadFile(shoot(t, Config{FPS: 30}, "film.png", convert))
		check(t, err)
		frames, delay := splitAPNG(t, data)
		if len(frames) != len(shots) || delay != [2]uint16{1000, 30000} {
			t.Fatalf("%s: the film has %d frames of %v s", name, len(frames), delay)
		}
		for k, frame := range frames {
			img, err := png.Decode(bytes.NewReader(frame))
			check(t, err)
			compare(t, name, k, img)
		}
		first, err := png.Decode(bytes.NewReader(data)) // as those see it who know no animation
		check(t, err)
		compare(t, name, 0, first)
	}
}

// TestAPNGRates checks the delays of rates that 1000 seconds have too many frames for.
func TestAPNGRates(t *testing.T) {
	for fps, want := range map[float64][2]uint16{0.0001: {1000, 1}, 29.97: {1000, 29970}, 97: {675, 65475}, 120: {546, 65520}, 1e9: {1, 65535}} {
		a := &apng{fps: fps}
		if seconds, frames := a.delay(); want != [2]uint16{seconds, frames} {
			t.Errorf("at %v frames per second the delay is %d/%d; want %v", fps, seconds, frames, want)
		}
	}
}

// TestOpacity checks what remains of colours that an image.RGBA multiplies by their opacity.
func TestOpacity(t *testing.T) {
	clear := image.NewRGBA(image.Rect(0, 0, 20, 20))
	for i := range 20 * 20 { // more colours than a GIF has
		clear.Set(i%20, i/20, color.NRGBA{uint8(i % 20 * 12), uint8(i / 20 * 12), 100, 128})
	}
	clear.Set(0, 0, color.NRGBA{200, 100, 60, 128})
	solid := draws(image.NewRGBA(clear.Rect), image.White)
	near := func(got color.Color, want color.NRGBA) {
		t.Helper()
		c := color.NRGBAModel.Convert(got).(color.NRGBA)
		for _, d := range []int{int(c.R) - int(want.R), int(c.G) - int(want.G), int(c.B) - int(want.B), int(c.A) - int(want.A)} {
			if d < -60 || d > 60 {
				t.Errorf("the pixel is %v; want %v", c, want)
				return
			}
		}
	}
	first := alike(nil, clear)
	near(first.At(0, 0), color.NRGBA{200, 100, 60, 128})
	near(alike(first, solid).At(0, 0), color.NRGBA{255, 255, 255, 255})
	near(alike(alike(nil, solid), clear).At(0, 0), color.NRGBA{200, 100, 60, 255})
	near(indexed(first).At(0, 0), color.NRGBA{200, 100, 60, 255})
	if _, ok := alike(nil, solid).(*image.RGBA); !ok {
		t.Error("an opaque picture gets opacity")
	}
}

// splitAPNG returns the frames as pictures, and the delay of the last one.
func splitAPNG(t *testing.T, data []byte) (frames [][]byte, delay [2]uint16) {
	t.Helper()
	be := binary.BigEndian
	head := data[:8]
	count, sequence := uint32(0), uint32(0)
	next := func(p []byte) {
		if be.Uint32(p) != sequence {
			t.Errorf("chunk %d has the number %d", sequence, be.Uint32(p))
		}
		sequence++
	}
	for at := 8; at < len(data); {
		n := int(be.Uint32(data[at:]))
		name, body, all := string(data[at+4:at+8]), data[at+8:at+8+n], data[at:at+12+n]
		at += 12 + n
		switch name {
		case "acTL":
			count = be.Uint32(body)
			if !bytes.Equal(chunk(nil, name, body), all) {
				t.Error("the checksum of the number of frames is wrong")
			}
		case "fcTL":
			next(body)
			delay = [2]uint16{be.Uint16(body[20:]), be.Uint16(body[22:])}
			frames = append(frames, slices.Clone(head))
		case "IDAT", "fdAT":
			if name == "fdAT" {
				next(body)
				body = body[4:]
			}
			frames[len(frames)-1] = chunk(chunk(frames[len(frames)-1], "IDAT", body), "IEND", nil)
		case "IEND":
		default:
			head = append(slices.Clone(head), all...)
		}
	}
	if int(count) != len(frames) {
		t.Errorf("there are %d frames, and the file says %d", len(frames), count)
	}
	return frames, delay
}

// TestFields makes films of fields, whose frames are of one type or another.
func TestFields(t *testing.T) {
	for _, c := range []struct {
		config Config
		field  ti.AnyField
		want   color.NRGBA
	}{
		{Config{}, placed(t, float32(0.2), 1, 2), color.NRGBA{51, 51, 51, 255}},
		{Config{Map: three}, placed(t, int32(2), 1, 2), color.NRGBA{0, 255, 0, 255}},
		{Config{}, placed(t, ti.Vec3{1, 0, 1}, 1, 2), color.NRGBA{255, 0, 255, 255}},
		{Config{}, placed(t, ti.Vec4{1, 0, 1, 1}, 1, 2), color.NRGBA{255, 0, 255, 255}},
	} {
		for _, name := range []string{"a.gif", "a.apng"} {
			path := filepath.Join(t.TempDir(), name)
			film, err := c.config.NewFilm(path)
			check(t, err)
			for range 2 {
				check(t, film.Add(c.field))
			}
			check(t, film.Close())
			data, err := os.ReadFile(path)
			check(t, err)
			img, _, err := image.Decode(bytes.NewReader(data))
			check(t, err)
			if got := color.NRGBAModel.Convert(img.At(2, 1)); got != c.want {
				t.Errorf("%s of %v: %v; want %v", name, c.field.Elem(), got, c.want)
			}
		}
	}
}

// TestFilmErrors checks what is said of frames that do not belong to a film, and that no file is left.
func TestFilmErrors(t *testing.T) {
	dir := t.TempDir()
	frame := image.NewGray(image.Rect(0, 0, 4, 3))
	start := func() *Film {
		film, err := NewFilm(filepath.Join(dir, "a.gif"))
		check(t, err)
		return film
	}
	film := start()
	check(t, film.AddImage(frame))
	fails(t, film.AddImage(image.NewGray(image.Rect(0, 0, 3, 4))), "a frame has 3×4 pixels, and the first one 4×3")
	fails(t, film.AddImage(frame), "a frame has 3×4 pixels")
	fails(t, film.Close(), "a frame has 3×4 pixels")

	film = start()
	fails(t, film.Add(new(ti.Field[float32])), "not placed")
	fails(t, film.Close(), "not placed")
	film = start()
	fails(t, film.AddImage(nil), "no pixels")
	fails(t, film.Close(), "no pixels")
	fails(t, start().Close(), "it has no frames")
	film = start()
	const wide = "at most 65535 pixels along a side"
	if err := film.AddImage(image.NewGray(image.Rect(0, 0, 70000, 1))); err != nil { // the writer may be that fast
		fails(t, err, wide)
	}
	fails(t, film.Close(), wide)
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("there are files left: %v %v", left, err)
	}

	film = start()
	check(t, film.AddImage(frame))
	check(t, film.Close())
	if err := film.AddImage(frame); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
	check(t, film.Close())

	_, err := NewFilm("a.avi")
	fails(t, err, "has to end in .gif, .png, .apng, .mp4 or .webm")
	_, err = NewFilm(filepath.Join(dir, "none", "a.gif"))
	fails(t, err, "make the folder first")
}

// TestFullDisk checks that a film that cannot be written says so, and blocks nobody.
func TestFullDisk(t *testing.T) {
	for _, name := range []string{"a.gif", "a.png"} {
		t.Run(name, func(t *testing.T) {
			film, err := NewFilm(fullDisk(t, name))
			check(t, err)
			for i := range 2 * waiting {
				frame := image.NewGray(image.Rect(0, 0, 300, 300))
				for k := range frame.Pix {
					frame.Pix[k] = uint8(k * k / (i + 7))
				}
				_ = film.AddImage(frame)
			}
			fails(t, film.Close(), "free some space on the disk")
		})
	}
}

// TestConcurrent adds frames from several goroutines.
func TestConcurrent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.gif")
	film, err := NewFilm(path)
	check(t, err)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 5 {
				if err := film.AddImage(image.NewGray(image.Rect(0, 0, 4, 3))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	check(t, film.Close())
	if n := len(decodeGIF(t, path).Image); n != 40 {
		t.Errorf("the film has %d frames; want 40", n)
	}
}

// fakeFFmpeg puts a shell script of that name first on the path.
func fakeFFmpeg(t *testing.T, script string) {
	t.Helper()
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	check(t, os.WriteFile(filepath.Join(dir, "ffmpeg"), []byte("#!/bin/sh\n"+script), 0o777))
	t.Setenv("PATH", dir+":/usr/bin:/bin")
}

// lastArgument sets $path to the file that ffmpeg is to write.
const lastArgument = "for path; do :; done; path=${path#file:}\n"

// TestFFmpeg checks what is sent to ffmpeg.
func TestFFmpeg(t *testing.T) {
	fakeFFmpeg(t, lastArgument+`echo "$@" >"$path"; cat >>"$path"`)
	for name, codec := range map[string]string{"film.mp4": "libx264", "film.webm": "libvpx-vp9"} {
		for kind, convert := range conversions {
			data, err := os.ReadFile(shoot(t, Config{FPS: 12.5}, name, convert))
			check(t, err)
			args, pix, _ := strings.Cut(string(data), "\n")
			if !strings.Contains(args, "-video_size 4x3 -framerate 12.5 -i pipe:0") || !strings.Contains(args, codec) {
				t.Errorf("the arguments are %s", args)
			}
			var want []byte
			for _, frame := range shots {
				for _, v := range frame {
					c := color.RGBAModel.Convert(three[v]).(color.RGBA)
					want = append(want, c.R, c.G, c.B)
				}
			}
			if pix != string(want) {
				t.Errorf("%s, %s: the frames are %x; want %x", name, kind, pix, want)
			}
		}
	}
}

// TestFFmpegFails lets the program be missing, fail in the middle and fail at the end.
func TestFFmpegFails(t *testing.T) {
	frame := image.NewRGBA(image.Rect(0, 0, 300, 300))
	for _, c := range []struct {
		name, script string
		want         []string
	}{
		{"middle", lastArgument + `echo x >"$path"; head -c 100000 >/dev/null; for i in 1 2 3 4 5 6 7 8 9 10 11; do echo line $i >&2; done; exit 7`,
			[]string{"ffmpeg failed: exit status 7; it said:\nline 2\n", "\nline 11"}},
		{"end", lastArgument + `echo x >"$path"; cat >/dev/null; echo no space left >&2; exit 1`, []string{"exit status 1; it said:\nno space left"}},
		{"silent", `cat >/dev/null; exit 3`, []string{"ffmpeg failed: exit status 3"}},
		{"early end without an error", `exit 0`, []string{"ffmpeg failed: "}},
	} {
		t.Run(c.name, func(t *testing.T) {
			fakeFFmpeg(t, c.script)
			path := filepath.Join(t.TempDir(), "a.mp4")
			film, err := NewFilm(path)
			check(t, err)
			for range 2 * waiting {
				_ = film.AddImage(frame)
			}
			err = film.Close()
			for _, want := range c.want {
				fails(t, err, want)
			}
			if strings.Contains(fmt.Sprint(err), "line 1\n") {
				t.Errorf("too much is repeated: %v", err)
			}
			if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
				t.Error("the broken film is still there")
			}
		})
	}
	t.Setenv("PATH", t.TempDir())
	_, err := NewFilm(filepath.Join(t.TempDir(), "a.webm"))
	fails(t, err, ".webm needs the program ffmpeg, which is not found")
}
