package pixels

import (
	"bytes"
	"encoding/binary"
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

// TestLevels: levels are rounded to the nearest, of each kind in a row as alone.
func TestLevels(t *testing.T) {
	x := []float64{0, 1, -1, 0.5, 2, math.NaN(), math.Inf(1), math.Inf(-1), 1e-300, 0.5 / 255, math.Nextafter(0.5/255, 0), 254.5 / 255, math.Nextafter(1, 0), 0.001, 1.0 / 3}
	want := func(v float64) uint8 {
		if !(v > 0) {
			return 0
		}
		return uint8(255*min(v, 1) + 0.5)
	}
	for _, k := range []layout.Kind{layout.F32, layout.F64, layout.F16, layout.U8, layout.Bool, layout.I32} {
		f, got, nums := Format{k, 1}, make([]uint8, len(x)), make([]float64, len(x))
		b := make([]byte, len(x)*k.Size())
		for i, v := range x {
			if IsFloat(k) {
				f.put(b[i*k.Size():], v)
			} else {
				b[i*k.Size()] = uint8(i)
			}
		}
		Levels(got, k, b)
		Numbers(nums, k, b)
		for i := range x {
			e := b[i*k.Size():]
			level := want(Number(k, e))
			if k == layout.U8 {
				level = e[0]
			}
			if got[i] != level {
				t.Errorf("%v: the level of %v is %d, want %d", k, Number(k, e), got[i], level)
			}
			if n := Number(k, e); nums[i] != n && n == n {
				t.Errorf("%v: the number %v becomes %v", k, n, nums[i])
			}
		}
	}
}

// TestLevelsByBits compares the levels of floats by their bits with those of numbers, at all that is special.
func TestLevelsByBits(t *testing.T) {
	var all []float32
	for _, x := range []float32{0, float32(math.Copysign(0, -1)), 1, -1, 0.5, 2, 1e-45, -1e-45, 1e-30, 1e30, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN())} {
		all = append(all, x, math.Nextafter32(x, 2), math.Nextafter32(x, -2))
	}
	for i := range 256 {
		x := (float32(i) + 0.5) / 255
		all = append(all, x, math.Nextafter32(x, 2), math.Nextafter32(x, -2))
	}
	b := make([]byte, 4*len(all))
	for i, x := range all {
		binary.LittleEndian.PutUint32(b[4*i:], math.Float32bits(x))
	}
	dst := make([]uint8, len(all))
	Levels(dst, layout.F32, b)
	for i, x := range all {
		if want := Level(float64(x)); dst[i] != want {
			t.Errorf("%v (bits %#x) has the level %d, want %d", x, math.Float32bits(x), dst[i], want)
		}
	}
}
