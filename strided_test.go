package ti_test

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"strings"
	"testing"

	ti "github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

const stridedSource = `
package strided

// Halve halves the colours of each pixel and leaves its alpha.
func Halve(p array[[4]u8, D2]) {
	for y, x := range p {
		for c := range 3 {
			p[y][x][c] /= 2
		}
	}
}

func Scale(a array[f64, D2], by f64) {
	for i, j := range a {
		a[i][j] *= by
	}
}

func Volume(a array[f64, D3]) f64 {
	s := f64(0)
	for p := range a {
		s += a[p]
	}
	return s
}
`

type stridedHost struct {
	Halve  func(p ti.Array[[4]uint8]) error
	Scale  func(a ti.Array[float64], by float64) error
	Volume func(a ti.Array[float64]) (float64, error)
}

// TestPixels runs a kernel on pictures and on a part of one.
func TestPixels(t *testing.T) {
	titest.OnEach(t, func(t *testing.T, rt *ti.Runtime) {
		var s stridedHost
		if err := rt.Load(stridedSource, &s); err != nil {
			t.Fatal(err)
		}
		bounds := image.Rect(-2, 1, 7, 6)
		rgba, nrgba := image.NewRGBA(bounds), image.NewNRGBA(bounds)
		for i := range rgba.Pix {
			rgba.Pix[i], nrgba.Pix[i] = 100, 100
		}
		part := image.Rect(0, 2, 3, 4)
		if err := errors.Join(s.Halve(ti.Pixels(rgba.SubImage(part).(*image.RGBA))), s.Halve(ti.Pixels(nrgba))); err != nil {
			t.Fatal(err)
		}
		for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
			for x := bounds.Min.X; x < bounds.Max.X; x++ {
				want := color.RGBA{100, 100, 100, 100}
				if (image.Point{x, y}).In(part) {
					want = color.RGBA{50, 50, 50, 100}
				}
				if got := rgba.RGBAAt(x, y); got != want {
					t.Errorf("pixel %d, %d is %v, want %v", x, y, got, want)
				}
				if got := nrgba.NRGBAAt(x, y); got != (color.NRGBA{50, 50, 50, 100}) {
					t.Errorf("pixel %d, %d of the whole is %v", x, y, got)
				}
			}
		}
		if err := s.Halve(ti.Pixels(rgba.SubImage(image.Rect(20, 20, 30, 30)).(*image.RGBA))); err != nil {
			t.Errorf("an empty part: %v", err)
		}
	})
}

func TestStridedErrors(t *testing.T) {
	rt := titest.New(t, ti.Config{})
	var s stridedHost
	if err := rt.Load(stridedSource, &s); err != nil {
		t.Fatal(err)
	}
	data := make([]float64, 12)
	const huge = 1 << 62
	tests := []struct {
		array ti.Array[float64]
		want  string // "" for none
	}{
		{ti.Strided(data, ti.Shape{3, 4}, 4), ""},
		{ti.Strided(data, ti.Shape{2, 4}, 8), ""},
		{ti.Strided(data[:11], ti.Shape{3, 3}, 4), ""},
		{ti.Strided(data, ti.Shape{1, 12}, huge), ""},
		{ti.Strided(data, ti.Shape{0, huge >> 32}, 1), ""},
		{ti.Strided([]float64(nil), ti.Shape{0, 0}, 0), ""},
		{ti.Strided(data, ti.Shape{3, 4}, 5), "the shape [3 4] with strides [5] goes beyond the 12 elements of data; give it more of them, or a smaller Shape"},
		{ti.Strided(data, ti.Shape{3, 4}, huge), "goes beyond the 12 elements"},
		{ti.Strided(data, ti.Shape{huge, 4}, 4), "goes beyond the 12 elements"},
		{ti.Strided(data, ti.Shape{1, 13}, 13), "goes beyond the 12 elements"},
		{ti.Strided(data[:0], ti.Shape{1, 1}, 1), "goes beyond the 0 elements"},
		{ti.Strided(data, ti.Shape{3, 4}, 3), "elements overlap: an index along axis 0 spans 4 elements, and the stride there is 3; make it 4 or more"},
		{ti.Strided(data, ti.Shape{3, 4}, -4), "the stride along axis 0 is -4; strides are not negative"},
		{ti.Strided(data, ti.Shape{3, 4}), "a Shape of 2 axes takes 1 stride, one for each axis but the last, and it has 0"},
		{ti.Strided(data, ti.Shape{3, 4}, 4, 1), "and it has 2"},
		{ti.Strided(data, ti.Shape{12}, 4), "has the shape [12], and the parameter 2 axes"},
		{ti.Strided(data, ti.Shape{-1, 4}, 4), "extents are not negative"},
		{ti.Strided(data, ti.Shape{12}), "has the shape [12], and the parameter 2 axes"},
		{ti.Strided(data, ti.Shape{0, 1 << 40}, 4), "does not fit an i32"},
	}
	for n, tt := range tests {
		err := s.Scale(tt.array, 1)
		switch {
		case tt.want == "" && err == nil:
		case tt.want == "" || !errors.Is(err, ti.ErrArgs) || !strings.Contains(err.Error(), tt.want):
			t.Errorf("array %d: %v, want %q", n, err, tt.want)
		}
	}
	if err := s.Scale(ti.Strided(data, ti.Shape{3, 4}, 5), 1); err == nil || !strings.Contains(err.Error(), "argument 1 of func Scale(a array[f64, D2], by f64) comes from ti.Strided at strided_test.go:") {
		t.Errorf("without its place: %v", err)
	}
	// Data and Shape may be set after Strided, and are looked at again.
	a := ti.Strided(data, ti.Shape{3, 4}, 4)
	a.Data = a.Data[:7]
	if err := s.Scale(a, 1); err == nil || !strings.Contains(err.Error(), "was changed after ti.Strided made it: the shape [3 4]") {
		t.Errorf("a shorter slice: %v", err)
	}
	if _, err := s.Volume(ti.Strided(data, ti.Shape{2, 2, 2}, 4, 3)); !strings.Contains(fmt.Sprint(err), "an index along axis 0 spans 5 elements, and the stride there is 4") {
		t.Errorf("overlapping planes: %v", err)
	}

	odd := image.NewRGBA(image.Rect(0, 0, 4, 4))
	odd.Stride = 15
	short := image.NewNRGBA(image.Rect(0, 0, 4, 4))
	short.Pix = short.Pix[:60]
	for want, p := range map[string]ti.Array[[4]uint8]{
		"comes from ti.Pixels at strided_test.go:":                             ti.Pixels(odd),
		"the picture has a stride of 15 bytes, which is no multiple of the 4":  ti.Pixels(odd),
		"the shape [4 4] with strides [4] goes beyond the 15 elements of data": ti.Pixels(short),
		"the picture is nil": ti.Pixels((*image.RGBA)(nil)),
	} {
		if err := s.Halve(p); !errors.Is(err, ti.ErrArgs) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// ExampleStrided doubles the right half of a matrix.
func ExampleStrided() {
	rt := mustNew(ti.Config{})
	defer rt.Close()
	var k struct {
		Scale func(a ti.Array[float64], by float64) error
	}
	err := rt.Load(`
package scale

func Scale(a array[f64, D2], by f64) {
	for i, j := range a {
		a[i][j] *= by
	}
}`, &k)
	if err != nil {
		fmt.Println(err)
		return
	}
	m := []float64{
		1, 2, 3, 4,
		5, 6, 7, 8,
	}
	if err := k.Scale(ti.Strided(m[2:], ti.Shape{2, 2}, 4), 2); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m)
	// Output: [1 2 6 8 5 6 14 16]
}

const arraySumSource = `
package sums

func Add(dst, src array[f32, D2]) {
	for p := range dst {
		dst[p] += src[p]
	}
}

func Total(a array[f32, D2]) f32 {
	s := f32(0)
	for p := range a {
		s += a[p]
	}
	return s
}
`

// BenchmarkStrided compares whole arrays with parts of larger ones, with index checks
// and without: what strides cost that are read at launch.
func BenchmarkStrided(b *testing.B) {
	for _, checks := range []bool{true, false} {
		rt, err := ti.New(ti.Config{Threads: 1, Unchecked: !checks})
		if err != nil {
			b.Fatal(err)
		}
		defer rt.Close()
		var s struct {
			Add   func(dst, src ti.Array[float32]) error
			Total func(a ti.Array[float32]) (float32, error)
		}
		if err := rt.Load(arraySumSource, &s); err != nil {
			b.Fatal(err)
		}
		const rows, columns = 256, 256
		dst, src := make([]float32, rows*2*columns), make([]float32, rows*2*columns)
		shape := ti.Shape{rows, columns}
		for _, c := range []struct {
			name string
			of   func([]float32) ti.Array[float32]
		}{
			{"whole", func(data []float32) ti.Array[float32] {
				return ti.Array[float32]{Data: data[:rows*columns], Shape: shape}
			}},
			{"part", func(data []float32) ti.Array[float32] { return ti.Strided(data, shape, 2*columns) }},
		} {
			checked := map[bool]string{true: "checked", false: "unchecked"}[checks]
			b.Run("add/"+c.name+"/"+checked, func(b *testing.B) {
				b.SetBytes(rows * columns * 12)
				for b.Loop() {
					if err := s.Add(c.of(dst), c.of(src)); err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run("sum/"+c.name+"/"+checked, func(b *testing.B) {
				b.SetBytes(rows * columns * 4)
				for b.Loop() {
					if _, err := s.Total(c.of(src)); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
