package picture

import (
	"image"
	"image/color"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
)

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// fails checks that an error says what it should.
func fails(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got the error %v; want one with %q", err, want)
	}
}

func runtime(t testing.TB) *ti.Runtime {
	t.Helper()
	rt, err := ti.New(ti.Config{Arch: ti.Oracle})
	check(t, err)
	t.Cleanup(func() { rt.Close() })
	return rt
}

// placed returns a field of 2 rows and 3 columns with one element that is not zero.
func placed[T any](t testing.TB, v T, row, column int) *ti.Field[T] {
	t.Helper()
	f := ti.NewField[T](runtime(t), 2, 3)
	f.Set(v, row, column)
	return f
}

// TestElements looks at the colour of an element of every type, in a view and in its copy.
func TestElements(t *testing.T) {
	half := ti.ToFloat16(0.5)
	nan := float32(math.NaN())
	five := Config{Map: Gradient(5, 0x000001, 0x000005), Low: -1, High: 4}
	type named [3]float32
	for _, c := range []struct {
		name   string
		config Config
		field  ti.AnyField
		want   color.NRGBA
		shared bool
	}{
		{"f32", Config{}, placed(t, float32(0.5), 1, 2), color.NRGBA{128, 128, 128, 255}, true},
		{"f32 beyond", Config{}, placed(t, float32(7), 1, 2), color.NRGBA{255, 255, 255, 255}, true},
		{"f32 below", Config{}, placed(t, float32(-7), 1, 2), color.NRGBA{0, 0, 0, 255}, true},
		{"f32 nan", Config{}, placed(t, nan, 1, 2), color.NRGBA{0, 0, 0, 255}, true},
		{"f64", Config{}, placed(t, 1.0, 1, 2), color.NRGBA{255, 255, 255, 255}, true},
		{"f16", Config{}, placed(t, half, 1, 2), color.NRGBA{128, 128, 128, 255}, true},
		{"u8", Config{}, placed(t, uint8(7), 1, 2), color.NRGBA{7, 7, 7, 255}, true},
		{"bool", Config{}, placed(t, true, 1, 2), color.NRGBA{255, 255, 255, 255}, true},
		{"u32", Config{}, placed(t, uint32(0x80030201), 1, 2), color.NRGBA{1, 2, 3, 0x80}, true},
		{"vec3", Config{}, placed(t, ti.Vec3{1, 0.5, -1}, 1, 2), color.NRGBA{255, 128, 0, 255}, true},
		{"vec4", Config{}, placed(t, ti.Vec4{1, 0.5, 0, 0.2}, 1, 2), color.NRGBA{255, 128, 0, 51}, true},
		{"dvec3", Config{}, placed(t, ti.DVec3{1, 0.5, 0}, 1, 2), color.NRGBA{255, 128, 0, 255}, true},
		{"dvec4", Config{}, placed(t, ti.DVec4{1, 0.5, 0, 1}, 1, 2), color.NRGBA{255, 128, 0, 255}, true},
		{"hvec3", Config{}, placed(t, [3]ti.Float16{0, half, 0}, 1, 2), color.NRGBA{0, 128, 0, 255}, true},
		{"hvec4", Config{}, placed(t, [4]ti.Float16{0, half, 0, half}, 1, 2), color.NRGBA{0, 128, 0, 128}, true},
		{"[3]u8", Config{}, placed(t, [3]uint8{1, 2, 3}, 1, 2), color.NRGBA{1, 2, 3, 255}, true},
		{"[4]u8", Config{}, placed(t, [4]uint8{1, 2, 3, 4}, 1, 2), color.NRGBA{1, 2, 3, 4}, true},
		{"[3]bool", Config{}, placed(t, [3]bool{true, false, true}, 1, 2), color.NRGBA{255, 0, 255, 255}, false},
		{"a type of its own", Config{}, placed(t, named{1, 0, 0}, 1, 2), color.NRGBA{255, 0, 0, 255}, false},
		{"f32 of a map", five, placed(t, float32(2.5), 1, 2), color.NRGBA{0, 0, 4, 255}, true},
		{"f32 at the top", five, placed(t, float32(4), 1, 2), color.NRGBA{0, 0, 5, 255}, true},
		{"i32 of a map", five, placed(t, int32(2), 1, 2), color.NRGBA{0, 0, 3, 255}, true},
		{"i32 beyond", five, placed(t, int32(200), 1, 2), color.NRGBA{0, 0, 5, 255}, true},
		{"i32 below", five, placed(t, int32(-200), 1, 2), color.NRGBA{0, 0, 1, 255}, true},
		{"u8 of a map", five, placed(t, uint8(4), 1, 2), color.NRGBA{0, 0, 5, 255}, true},
		{"i64 of a map", five, placed(t, int64(1), 1, 2), color.NRGBA{0, 0, 2, 255}, false},
		{"u16 of a map", five, placed(t, uint16(1), 1, 2), color.NRGBA{0, 0, 2, 255}, false},
		{"a long map", Config{Map: Gradient(300, 0, 0x0000ff)}, placed(t, float32(1), 1, 2), color.NRGBA{0, 0, 255, 255}, true},
	} {
		v, err := c.config.Image(c.field)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if v.Bounds() != image.Rect(0, 0, 3, 2) || v.Shared() != c.shared {
			t.Errorf("%s: the picture is %v, shared: %v; want 3×2 and %v", c.name, v.Bounds(), v.Shared(), c.shared)
		}
		for name, img := range map[string]image.Image{"view": v, "copy": v.Copy()} {
			if got := color.NRGBAModel.Convert(img.At(2, 1)); got != c.want {
				t.Errorf("%s: a pixel of the %s is %v; want %v", c.name, name, got, c.want)
			}
			if r, _, _, _ := img.At(0, 0).RGBA(); r != 0 {
				t.Errorf("%s: the corner of the %s is %v", c.name, name, img.At(0, 0))
			}
		}
		if v.ColorModel().Convert(v.At(2, 1)) != v.At(2, 1) {
			t.Errorf("%s: a pixel is not of the colour model", c.name)
		}
		if v.At(3, 0) != (color.NRGBA{}) {
			t.Errorf("%s: a pixel outside is %v", c.name, v.At(3, 0))
		}
	}
}

// TestAxes checks where the element [0][1] of a field is, and that a view follows its field.
func TestAxes(t *testing.T) {
	f := placed(t, uint8(255), 0, 1)
	bright := func(img image.Image) (at []image.Point) {
		for y := range img.Bounds().Dy() {
			for x := range img.Bounds().Dx() {
				if r, _, _, _ := img.At(x, y).RGBA(); r > 0 {
					at = append(at, image.Pt(x, y))
				}
			}
		}
		return at
	}
	v, err := Image(f)
	check(t, err)
	if at := bright(v); v.Bounds().Max != image.Pt(3, 2) || !slices.Equal(at, []image.Point{{1, 0}}) {
		t.Errorf("by rows: %v of %v", at, v.Bounds())
	}
	xy, err := Config{XY: true}.Image(f)
	check(t, err)
	if at := bright(xy); xy.Bounds().Max != image.Pt(2, 3) || !slices.Equal(at, []image.Point{{0, 1}}) {
		t.Errorf("by x and y: %v of %v", at, xy.Bounds())
	}
	f.Set(1, 1, 2)
	if at := bright(xy.Copy()); len(bright(v)) != 2 || !slices.Contains(at, image.Pt(1, 0)) {
		t.Errorf("after a change: %v and %v", bright(v), at)
	}
}

// TestLayouts looks at fields whose elements have to be copied.
func TestLayouts(t *testing.T) {
	rt := runtime(t)
	var x, y ti.Field[float32]
	rt.NewTree().Dense(ti.IJ, 2, 3).Place(&x, &y)
	var sparse ti.Field[float32]
	rt.NewTree().Pointer(ti.IJ, 2, 3).Dense(ti.IJ, 2).Place(&sparse)
	layers := ti.NewField[float32](rt, 2, 2, 4, 6)
	dynamic := ti.NewFieldOf(rt, x.Elem(), 4, 6)
	x.Set(1, 1, 2)
	sparse.Set(1, 3, 2)
	layers.Set(1, 1, 0, 3, 2)
	for _, c := range []struct {
		config Config
		f      ti.AnyField
		at     image.Point
		shared bool
	}{
		{Config{}, &x, image.Pt(2, 1), false},
		{Config{}, &sparse, image.Pt(2, 3), false},
		{Config{At: []int{1, 0}}, layers, image.Pt(2, 3), true},
	} {
		v, err := c.config.Image(c.f)
		check(t, err)
		if got := v.At(c.at.X, c.at.Y); got != (color.Gray{255}) || v.Shared() != c.shared {
			t.Errorf("%v: %v, shared: %v", c.f, got, v.Shared())
		}
	}
	if v, err := Image(dynamic); err != nil || v.Bounds().Max != image.Pt(6, 4) {
		t.Errorf("a field made by reflection: %v", err)
	}
}

// TestNoPicture checks the errors of fields that are no pictures.
func TestNoPicture(t *testing.T) {
	rt := runtime(t)
	type pair struct{ A, B float32 }
	var huge ti.Field[float32]
	rt.NewTree().Pointer(ti.IJ, 1<<20).Dense(ti.IJ, 1<<4).Place(&huge)
	var hash ti.Field[float32]
	rt.NewTree().Hash(ti.IJ).Place(&hash)
	closed := ti.NewField[float32](rt, 2, 3)
	check(t, closed.Tree().Close())
	cube := ti.NewField[float32](rt, 2, 3, 4)
	for _, c := range []struct {
		config Config
		f      ti.AnyField
		want   string
	}{
		{Config{}, nil, "nil field"},
		{Config{}, (*ti.Field[float32])(nil), "not placed"},
		{Config{}, new(ti.Field[float32]), "not placed; call rt.Place"},
		{Config{}, ti.NewField[float32](rt, 5), "needs two axes, and it has 1"},
		{Config{}, cube, "Config.At: []int{0}"},
		{Config{At: []int{0, 0}}, cube, "has 2 indices, and there are 1 axes"},
		{Config{At: []int{2}}, cube, "its shape is [2 3 4]"},
		{Config{At: []int{-1}}, cube, "Config.At is [-1]"},
		{Config{}, ti.NewField[int32](rt, 2, 3), "f16, f32, f64, u8 or bool"},
		{Config{}, ti.NewField[ti.Vec2](rt, 2, 3), "it has [2]float32"},
		{Config{}, ti.NewField[ti.Mat3](rt, 2, 3), "vectors of 3 or 4"},
		{Config{Map: Grey(9)}, ti.NewField[ti.IVec3](rt, 2, 3), "vectors of 3 or 4"},
		{Config{Map: Grey(0)}, ti.NewField[float32](rt, 2, 3), "Config.Map has no colours"},
		{Config{}, ti.NewField[pair](rt, 2, 3), "ti.Member"},
		{Config{}, ti.NewField[string](rt, 2, 3), "string"},
		{Config{}, &huge, "there is room for"},
		{Config{}, &hash, "there is room for"},
		{Config{}, closed, "closed"},
	} {
		_, err := c.config.Image(c.f)
		fails(t, err, c.want)
	}
}

// TestMaps checks the ends and the middle of the maps, and that their brightness runs as it should.
func TestMaps(t *testing.T) {
	for name, c := range map[string]struct {
		p    color.Palette
		want [3]RGB
	}{
		"grey":      {Grey(255), [3]RGB{0, 0x808080, 0xffffff}},
		"viridis":   {Viridis(255), [3]RGB{0x440154, 0x21918c, 0xfde725}},
		"diverging": {Diverging(255), [3]RGB{0x3b4cc0, 0xdddddd, 0xb40426}},
	} {
		for i, want := range c.want {
			if got := c.p[i*127].(color.RGBA); !near(got, color.RGBAModel.Convert(want).(color.RGBA)) || RGBOf(want) != want {
				t.Errorf("%s: colour %d is %v; want %v", name, i*127, got, want)
			}
		}
		last := -1.0
		for i, q := range c.p[:128] { // brighter from the first colour to the middle in all of them
			if l := lightness(q.(color.RGBA)); l < last-0.3 {
				t.Errorf("%s: colour %d has a lightness of %v, the one before %v", name, i, l, last)
			} else {
				last = l
			}
		}
	}
	for _, c := range []struct {
		got  color.Palette
		want []RGB
	}{
		{Gradient(5, 0, 0xff0000, 0xff00ff), []RGB{0, 0x800000, 0xff0000, 0xff0080, 0xff00ff}},
		{Gradient(-1), nil}, {Diverging(-1), nil}, {Gradient(1), []RGB{0}}, {Gradient(1, 5, 7), []RGB{5}}, {Gradient(2, 5), []RGB{5, 5}},
	} {
		if !slices.EqualFunc(c.got, c.want, func(got color.Color, want RGB) bool { return RGBOf(got) == want }) {
			t.Errorf("a gradient is %v; want %06x", c.got, c.want)
		}
	}
}

func near(a, b color.RGBA) bool {
	d := func(a, b uint8) int { return max(int(a)-int(b), int(b)-int(a)) }
	return d(a.R, b.R) < 3 && d(a.G, b.G) < 3 && d(a.B, b.B) < 3
}

// lightness is CIELAB's L*.
func lightness(c color.RGBA) float64 {
	p := polar(c.R, c.G, c.B)
	return p.m * math.Cos(p.s)
}
