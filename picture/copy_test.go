package picture

import (
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gotaichi/ti"
)

// filled is a field of 37 rows and 21 columns with numbers around 0 and 1, and some that are no colours.
func filled[T any](t testing.TB, of func(x float32) T) *ti.Field[T] {
	t.Helper()
	f := ti.NewField[T](runtime(t), 37, 21)
	random := rand.New(rand.NewPCG(1, 2))
	odd := []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), 1, 0, -1, 1e30, 1e-30}
	for i := range f.Len() {
		x := 1.2*random.Float32() - 0.1
		if i%10 == 9 {
			x = odd[i/10%len(odd)]
		}
		f.Set(of(x), i/21, i%21)
	}
	return f
}

// TestCopy: a copy has the pixels of its view, to the bit, whichever way its axes run.
func TestCopy(t *testing.T) {
	fields := []ti.AnyField{
		filled(t, func(x float32) float32 { return x }),
		filled(t, func(x float32) float64 { return float64(x) }),
		filled(t, func(x float32) uint8 { return uint8(100 * max(min(x, 2), 0)) }),
		filled(t, func(x float32) int32 { return int32(100 * max(min(x, 9), -9)) }),
		filled(t, func(x float32) uint32 { return math.Float32bits(x) }),
		filled(t, func(x float32) ti.Vec3 { return ti.Vec3{x, 1 - x, x * x} }),
		filled(t, func(x float32) ti.Vec4 { return ti.Vec4{x, 1 - x, x * x, 0.7} }),
		filled(t, func(x float32) ti.DVec4 { return ti.DVec4{float64(x), 0, 1, float64(x)} }),
		filled(t, func(x float32) [3]uint8 { return [3]uint8{1, 2, uint8(100 * max(min(x, 2), 0))} }),
		filled(t, func(x float32) [4]uint8 { return [4]uint8{1, 2, 3, uint8(100 * max(min(x, 2), 0))} }),
	}
	for _, f := range fields {
		for _, c := range []Config{{}, {XY: true}, {Map: Viridis(64), XY: true}, {Map: Viridis(64), High: 3}, {Map: Viridis(300)}} {
			v, err := c.Image(f)
			if err != nil {
				continue // an integer without a map
			}
			img := v.Copy()
			for y := range v.Bounds().Dy() {
				for x := range v.Bounds().Dx() {
					if got, want := color.NRGBAModel.Convert(img.At(x, y)), color.NRGBAModel.Convert(v.At(x, y)); got != want && !sameInvisible(got, want) {
						t.Fatalf("%v, XY %v, %d colours: at %d, %d the copy has %v, the view %v", f.Elem(), c.XY, len(c.Map), x, y, got, want)
					}
				}
			}
			if c.XY {
				continue
			}
			colours, err := c.Colors(f)
			check(t, err)
			for i, got := range colours {
				if want := color.NRGBAModel.Convert(v.At(i%21, i/21)); got != want && !sameInvisible(got, want) {
					t.Fatalf("%v: colour %d is %v, want %v", f.Elem(), i, got, want)
				}
			}
		}
	}
}

// sameInvisible reports whether both colours have opacity 0, which conversions do not keep.
func sameInvisible(a, b color.Color) bool {
	_, _, _, x := a.RGBA()
	_, _, _, y := b.RGBA()
	return x == 0 && y == 0
}

// TestColors: fields of any number of axes have colours, and others give an error.
func TestColors(t *testing.T) {
	rt := runtime(t)
	f := ti.NewField[float32](rt, 2, 1, 2)
	f.Set(1, 1, 0, 1)
	got, err := Config{At: []int{1}}.Colors(f)
	check(t, err)
	black, white := color.NRGBA{A: 255}, color.NRGBA{255, 255, 255, 255}
	if want := []color.NRGBA{black, black, black, white}; !slices.Equal(got, want) {
		t.Errorf("the colours are %v, want %v", got, want)
	}
	for want, f := range map[string]ti.AnyField{"a nil field": nil, "not placed": &ti.Field[float32]{}, "With Config.Map": ti.NewField[int32](rt, 3)} {
		_, err := Config{}.Colors(f)
		fails(t, err, want)
	}
	_, err = Config{Map: color.Palette{}}.Colors(f)
	fails(t, err, "no colours")
}

// BenchmarkCopy copies pictures of 512×512 pixels.
func BenchmarkCopy(b *testing.B) {
	rt := runtime(b)
	grey, colours, packed := ti.NewField[float32](rt, 512, 512), ti.NewField[[3]float32](rt, 512, 512), ti.NewField[uint32](rt, 512, 512)
	for k, f := range []ti.AnyField{grey, grey, grey, colours, packed} {
		c := []Config{{}, {XY: true}, {Map: Viridis(64)}, {}, {}}[k]
		b.Run([]string{"f32", "XY", "map", "vec3", "u32"}[k], func(b *testing.B) {
			for b.Loop() {
				v, err := c.Image(f)
				check(b, err)
				if v.Copy() == image.Image(nil) {
					b.Fatal("there is no copy")
				}
			}
		})
	}
}
