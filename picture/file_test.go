package picture

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/randtest"
)

// TestSaveLoad writes fields and reads them into others: they are the same, with both orders of axes.
func TestSaveLoad(t *testing.T) {
	dir := t.TempDir()
	saveLoad(t, dir, uint8(77))
	saveLoad(t, dir, float32(51)/255)
	saveLoad(t, dir, 51.0/255)
	saveLoad(t, dir, ti.ToFloat16(51.0/255))
	saveLoad(t, dir, true)
	saveLoad(t, dir, uint32(0x33445566))
	saveLoad(t, dir, ti.Vec3{1, 0, 51.0 / 255})
	saveLoad(t, dir, ti.Vec4{1, 0, 51.0 / 255, 102.0 / 255})
	saveLoad(t, dir, [3]uint8{1, 2, 3})
	saveLoad(t, dir, [4]uint8{1, 2, 3, 4})
}

func saveLoad[T comparable](t *testing.T, dir string, v T) {
	t.Helper()
	from := placed(t, v, 0, 2)
	for _, c := range []Config{{}, {XY: true}} {
		path := filepath.Join(dir, "a.png")
		check(t, c.Save(path, from))
		shape, err := c.Shape(path)
		check(t, err)
		if !slices.Equal(shape, from.Shape()) {
			t.Errorf("the shape is %v; want %v", shape, from.Shape())
		}
		to := ti.NewField[T](runtime(t), shape...)
		to.Fill(v)
		check(t, c.Load(path, to))
		for idx, got := range to.All() {
			want := from.At(idx[0], idx[1])
			if s, ok := any(want).(float32); ok && max(s-any(got).(float32), any(got).(float32)-s) < 1e-6 {
				continue
			}
			if got != want {
				t.Errorf("%T, %+v: [%d][%d] is %v; want %v", v, c, idx[0], idx[1], got, want)
			}
		}
	}
}

// TestLevels checks that all levels stay the same through all kinds.
func TestLevels(t *testing.T) {
	img := image.NewGray(image.Rect(0, 0, 256, 1))
	for i := range img.Pix {
		img.Pix[i] = uint8(i)
	}
	rt := runtime(t)
	for _, f := range []ti.AnyField{ti.NewField[ti.Float16](rt, 1, 256), ti.NewField[float32](rt, 1, 256), ti.NewField[float64](rt, 1, 256), ti.NewField[uint8](rt, 1, 256)} {
		check(t, Copy(f, img))
		v, err := Image(f)
		check(t, err)
		if got := v.Copy().(*image.Gray).Pix; !bytes.Equal(got, img.Pix) {
			t.Errorf("%v: the levels are %v", f.Elem(), got)
		}
	}
}

// TestFormats writes a picture in each format and decodes it.
func TestFormats(t *testing.T) {
	dir := t.TempDir()
	f := placed(t, ti.Vec3{1, 0, 0}, 0, 0)
	for i := range 6 {
		f.Set(ti.Vec3{1, 0, 0}, i/3, i%3)
	}
	for _, name := range []string{"a.png", "a.PNG", "a.jpg", "a.jpeg", "a.gif"} {
		path := filepath.Join(dir, name)
		check(t, Config{Quality: 1000}.Save(path, f))
		file, err := os.Open(path)
		check(t, err)
		img, _, err := image.Decode(file)
		file.Close()
		check(t, err)
		if c := color.NRGBAModel.Convert(img.At(2, 1)).(color.NRGBA); c.R < 250 || c.G > 5 || c.B > 5 || img.Bounds().Max != image.Pt(3, 2) {
			t.Errorf("%s has the colour %v and the size %v", name, c, img.Bounds())
		}
	}
}

// TestLoadErrors checks what is said of files and fields that do not go together, and that the field stays as it was.
func TestLoadErrors(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.png")
	check(t, Save(path, placed(t, uint8(9), 1, 1)))
	whole, err := os.ReadFile(path)
	check(t, err)
	for name, data := range map[string][]byte{"cut.png": whole[:len(whole)-20], "text.png": []byte("no picture"), "huge.png": randtest.HugePNG(), "none.gif": nil} {
		check(t, os.WriteFile(filepath.Join(dir, name), data, 0o666))
	}
	square := ti.NewField[float32](runtime(t), 3, 3)
	right := ti.NewField[float32](runtime(t), 2, 3)
	for _, f := range []*ti.Field[float32]{square, right} {
		f.Fill(5)
	}
	in := func(name string) string { return filepath.Join(dir, name) }
	fails(t, Load(path, square), "has 3×2 pixels, and ")
	fails(t, Load(path, square), "a field for it has the shape [2 3]")
	fails(t, Config{XY: true}.Load(path, square), "a field for it has the shape [3 2]")
	fails(t, Load(path, ti.NewField[int32](runtime(t), 2, 3)), "a picture needs elements of")
	fails(t, Load(path, ti.NewField[float32](runtime(t), 6)), "two axes")
	fails(t, Config{At: []int{0}}.Load(path, ti.NewField[float32](runtime(t), 1, 2, 3)), "a field of two axes")
	fails(t, Load(path, new(ti.Field[float32])), "not placed")
	fails(t, Load(path, nil), "nil field")
	fails(t, Load(in("cut.png"), right), "unexpected EOF")
	fails(t, Load(in("text.png"), right), "pictures are PNG, JPEG or GIF")
	fails(t, Load(in("none.gif"), right), "pictures are PNG, JPEG or GIF")
	fails(t, Load(in("huge.png"), right), "claims to have 65535×65535 pixels")
	fails(t, Load(in("missing.png"), right), "no such file")
	_, err = Shape(in("text.png"))
	fails(t, err, "text.png: image: unknown format")
	_, err = Shape(in("missing.png"))
	fails(t, err, "no such file")
	if square.At(1, 1) != 5 || right.At(1, 1) != 5 {
		t.Error("a failure has changed the field")
	}
}

// TestUnwritable checks that what cannot be written gives an error with a remedy and leaves nothing behind.
func TestUnwritable(t *testing.T) {
	dir := t.TempDir()
	f := placed(t, uint8(9), 1, 1)
	fails(t, Save(filepath.Join(dir, "a.bmp"), f), "has to end in .png, .jpg or .gif")
	fails(t, Save(filepath.Join(dir, "none", "a.png"), f), "make the folder first")
	fails(t, SaveImage(filepath.Join(dir, "a.png"), image.NewGray(image.Rectangle{})), "no pixels")
	fails(t, SaveImage(filepath.Join(dir, "a.png"), nil), "no pixels")
	fails(t, SaveImage(filepath.Join(dir, "a.gif"), image.NewUniform(color.White)), "and there is room for")
	fails(t, explain("picture", "a.png", os.ErrPermission), "make the folder writable")
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("there are files left: %v %v", left, err)
	}
	err := Save(fullDisk(t, "a.png"), f)
	fails(t, err, "free some space")
	if !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("%v is no error of a full disk", err)
	}
}

// fullDisk returns the path of a file that nothing can be written to. It skips the test where there is none.
func fullDisk(t *testing.T, name string) string {
	t.Helper()
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip(err)
	}
	link := filepath.Join(t.TempDir(), name)
	check(t, os.Symlink("/dev/full", link))
	t.Cleanup(func() {
		if _, err := os.Lstat(link); !errors.Is(err, os.ErrNotExist) {
			t.Error("the broken file is still there")
		}
	})
	return link
}

// TestSheet checks where pictures are, and when a sheet has a palette.
func TestSheet(t *testing.T) {
	p := func(i uint8) image.Image {
		img := image.NewPaletted(image.Rect(5, 5, 7, 6), Gradient(4, RGB(1), RGB(4)))
		img.Pix[1] = i
		return img
	}
	sheet := Sheet(2, 0, p(1), p(2), p(3))
	if s, ok := sheet.(*image.Paletted); !ok || s.Rect != image.Rect(0, 0, 4, 2) || !bytes.Equal(s.Pix, []uint8{0, 1, 0, 2, 0, 3, 0, 0}) {
		t.Errorf("the sheet is %v", sheet)
	}
	sheet = Sheet(2, 3, p(1), p(2), image.NewGray(image.Rect(0, 0, 2, 1)))
	if sheet.Bounds() != image.Rect(0, 0, 7, 5) || sheet.At(6, 0) != (color.NRGBA{0, 0, 3, 255}) || sheet.At(2, 2) != (color.NRGBA{255, 255, 255, 255}) {
		t.Errorf("the sheet with gaps is %v", sheet)
	}
	if Sheet(0, -1).Bounds().Empty() != true {
		t.Error("a sheet of nothing is not empty")
	}
}

// FuzzLoad reads pictures, whose headers may claim any size.
func FuzzLoad(f *testing.F) {
	img := image.NewPaletted(image.Rect(0, 0, 7, 5), Viridis(9))
	dir := f.TempDir()
	for _, name := range []string{"a.png", "a.jpg", "a.gif"} {
		path := filepath.Join(dir, name)
		check(f, SaveImage(path, img))
		data, err := os.ReadFile(path)
		check(f, err)
		f.Add(data)
	}
	f.Add(randtest.HugePNG())
	rt := runtime(f)
	to := ti.NewField[ti.Vec3](rt, 5, 7)
	path := filepath.Join(dir, "fuzzed.png")
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<16 {
			return
		}
		check(t, os.WriteFile(path, data, 0o666))
		if err := Load(path, to); err != nil && !strings.Contains(err.Error(), path) {
			t.Errorf("an error does not name the file: %v", err)
		}
	})
}
