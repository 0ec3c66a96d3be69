package pixels

import (
	"bytes"
	"image"
	"image/color/palette"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/randtest"
)

// FuzzDecode reads pictures, whose headers may claim any size.
func FuzzDecode(f *testing.F) {
	img := image.NewPaletted(image.Rect(0, 0, 7, 5), palette.WebSafe)
	for _, encode := range []func(w io.Writer) error{
		func(w io.Writer) error { return png.Encode(w, img) },
		func(w io.Writer) error { return jpeg.Encode(w, img, nil) },
		func(w io.Writer) error { return gif.Encode(w, img, nil) },
	} {
		var b bytes.Buffer
		if err := encode(&b); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	f.Add(randtest.HugePNG())
	format := Format{layout.F32, 3}
	f.Fuzz(func(t *testing.T, data []byte) {
		randtest.Bounded(t, func() {
			img, err := Decode(bytes.NewReader(data), format.Size(), randtest.FileRoom)
			if err != nil {
				return
			}
			if n := img.Bounds().Dx() * img.Bounds().Dy() * format.Size(); n != len(format.Elements(img)) {
				t.Errorf("%v: %d bytes", img.Bounds(), len(format.Elements(img)))
			}
		})
	})
}

// TestDecode checks that what is too large is left alone.
func TestDecode(t *testing.T) {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 200, 100))); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		data []byte
		most int64
		want string
	}{
		{randtest.HugePNG(), 1 << 30, "claims to have 65535×65535 pixels"},
		{b.Bytes(), 20000*12 - 1, "200×100 pixels would take 240000 bytes, and there is room for 239999 bytes; make it smaller"},
		{b.Bytes(), int64(b.Len()) - 1, "it has more than"},
		{b.Bytes()[:b.Len()-20], 1 << 30, "unexpected EOF; pictures are"},
		{nil, 1 << 30, "pictures are PNG, JPEG or GIF"},
	} {
		if _, err := Decode(bytes.NewReader(c.data), 4, c.most); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got the error %v; want one with %q", err, c.want)
		}
	}
	if _, err := Decode(&b, 4, 20000*12); err != nil {
		t.Error(err)
	}
}

// TestLevel checks the ends and the rounding.
func TestLevel(t *testing.T) {
	for v, want := range map[float64]uint8{-1: 0, 0: 0, 0.5: 128, 0.001: 0, 0.002: 1, 1: 255, 1e300: 255, math.Inf(1): 255, math.Inf(-1): 0} {
		if got := Level(v); got != want {
			t.Errorf("the level of %v is %d; want %d", v, got, want)
		}
	}
	if Level(math.NaN()) != 0 {
		t.Error("NaN has a level")
	}
}
