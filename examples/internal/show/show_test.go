package show

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/gif"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestFilm(t *testing.T) {
	palette := color.Palette{RGB(0), RGB(0xff0000), RGB(0x00ff00)}
	frames := [][]uint8{
		{0, 1, 2, 0, 0, 0, 1, 1, 1, 0, 0, 0},
		{0, 1, 2, 0, 0, 0, 1, 2, 1, 0, 0, 0}, // one pixel
		{0, 1, 2, 0, 0, 0, 1, 2, 1, 0, 0, 0}, // none
		{2, 1, 2, 0, 0, 0, 1, 2, 1, 0, 0, 1}, // opposite corners
		{1, 2, 0, 1, 1, 1, 2, 0, 0, 2, 2, 2}, // all
	}
	film := NewFilm(4, 3, 5, palette)
	for _, pix := range frames {
		if err := film.Add(pix); err != nil {
			t.Fatal(err)
		}
	}
	if film.Add(make([]uint8, 5)) == nil {
		t.Error("a frame of the wrong size gave no error")
	}
	sheet := film.Sheet(2, 3, 0, 4) // the last place stays empty
	for i := range 4 * 12 {
		x, y := i%8, i/8
		want := uint8(0)
		if k := y/3*2 + x/4; k < 3 {
			want = frames[[]int{3, 0, 4}[k]][y%3*4+x%4]
		}
		if got := color.NRGBAModel.Convert(sheet.At(x, y)); got != color.NRGBA(palette[want].(color.RGBA)) {
			t.Errorf("pixel %d, %d of the sheet is %v; want %v", x, y, got, palette[want])
		}
	}
	path, err := New("film", t.TempDir(), nil).SaveGIF("film.gif", film)
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	movie, err := gif.DecodeAll(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	if len(movie.Image) != len(frames) {
		t.Fatalf("the film has %d frames; want %d", len(movie.Image), len(frames))
	}
	screen := image.NewNRGBA(image.Rect(0, 0, 4, 3))
	for k, part := range movie.Image {
		for y := part.Rect.Min.Y; y < part.Rect.Max.Y; y++ {
			for x := part.Rect.Min.X; x < part.Rect.Max.X; x++ {
				if _, _, _, alpha := part.At(x, y).RGBA(); alpha != 0 {
					screen.Set(x, y, part.At(x, y))
				}
			}
		}
		for i, v := range frames[k] {
			if got, want := screen.NRGBAAt(i%4, i/4), color.NRGBA(palette[v].(color.RGBA)); got != want {
				t.Errorf("frame %d, pixel %d is %v; want %v", k, i, got, want)
			}
		}
	}
}

// TestUnwritable checks that what cannot be written gives an error with a remedy and leaves nothing behind.
func TestUnwritable(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	picture := image.NewGray(image.Rect(0, 0, 64, 64))
	_, err := New("x", file, nil).SavePNG("x.png", picture)
	if err == nil || !strings.Contains(err.Error(), "-out") {
		t.Errorf("a folder that is a file: got %v, want an error that names -out", err)
	}

	if _, err := os.Stat("/dev/full"); err != nil {
		return // the rest needs a device that is always full
	}
	link := filepath.Join(dir, "full.png")
	if err := os.Symlink("/dev/full", link); err != nil {
		t.Fatal(err)
	}
	_, err = New("x", dir, nil).SavePNG("full.png", picture)
	if err == nil || !strings.Contains(err.Error(), "free some space") {
		t.Errorf("a full disk: got %v, want an error that says to free space", err)
	}
	if _, err := os.Lstat(link); !errors.Is(err, os.ErrNotExist) {
		t.Error("the broken picture is still there")
	}
}

func TestShade(t *testing.T) {
	nan := float32(0)
	nan /= nan
	for _, c := range []struct {
		v    float32
		want uint8
	}{{-1, 0}, {0, 0}, {0.5, 32}, {0.999, 63}, {1, 63}, {1e30, 63}, {nan, 0}} {
		if got := Shade(c.v, 64); got != c.want {
			t.Errorf("Shade(%v, 64) = %d; want %d", c.v, got, c.want)
		}
	}
}

func TestGradient(t *testing.T) {
	p := Gradient(5, RGB(0x000000), RGB(0xff0000), RGB(0xff00ff))
	want := color.Palette{RGB(0), RGB(0x800000), RGB(0xff0000), RGB(0xff0080), RGB(0xff00ff)}
	if !slices.Equal(p, want) {
		t.Errorf("got %v; want %v", p, want)
	}
}

func TestRate(t *testing.T) {
	for _, c := range []struct {
		amount float64
		d      time.Duration
		want   string
	}{
		{5e9, time.Second, "5 Gpair/s"}, {1234567, time.Second, "1.23 Mpair/s"},
		{10, 10 * time.Millisecond, "1 kpair/s"}, {3, time.Second, "3 pair/s"}, {3, 0, "-"},
	} {
		if got := rate(c.amount, c.d, "pair"); got != c.want {
			t.Errorf("rate(%v, %v) = %q; want %q", c.amount, c.d, got, c.want)
		}
	}
}

// TestSteps checks that progress that goes to a file is a line for each tenth.
func TestSteps(t *testing.T) {
	var out strings.Builder
	s := New("x", "", &out)
	sum := 0
	for i := range s.Steps(40, "frames") {
		sum += i
	}
	if sum != 780 {
		t.Errorf("the steps sum to %d; want 780", sum)
	}
	if n := strings.Count(out.String(), "\n"); n != 10 || !strings.HasSuffix(out.String(), "x: 40 of 40 frames\n") {
		t.Errorf("got %d lines:\n%s", n, out.String())
	}
}
