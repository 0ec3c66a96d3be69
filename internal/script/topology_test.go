package script

import (
	"bytes"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"testing"
)

const dots = `package dots

var (
	X field[f32, D2]
	B node
)

func Dot(i, j int) {
	X[i][j] = 1
}
`

// TestTopology looks at pixels of pictures of active cells.
func TestTopology(t *testing.T) {
	file := filepath.Join(t.TempDir(), "dots.ti")
	if err := os.WriteFile(file, []byte(dots), 0o666); err != nil {
		t.Fatal(err)
	}
	inner, outer := levelColours[0], levelColours[1]
	darker := func(c color.NRGBA) color.NRGBA { return color.NRGBA{dim(c.R), dim(c.G), dim(c.B), 255} }
	type pixel struct {
		x, y int
		want color.NRGBA
	}
	for _, c := range []struct {
		name, tree, what string
		dots             [][2]int // rows and columns
		w, h             int
		pixels           []pixel
	}{
		{"levels", "pointer(ij,4,6).B=bitmasked(ij,5).place(X)", "X", [][2]int{{2, 7}, {19, 29}}, 30, 20,
			[]pixel{{7, 2, inner}, {8, 2, darker(outer)}, {5, 0, darker(outer)}, {4, 0, inactiveColour}, {29, 19, inner}, {28, 19, outer}}},
		{"a node", "B=pointer(ij,4,6).bitmasked(ij,5).place(X)", "B", [][2]int{{2, 7}}, 6, 4,
			[]pixel{{1, 0, inner}, {0, 0, inactiveColour}, {2, 0, inactiveColour}}},
		{"an axis at a time", "B=pointer(j,3).pointer(i,4).dense(ij,2,2).place(X)", "X", [][2]int{{5, 2}}, 6, 8,
			[]pixel{{2, 5, darker(inner)}, {3, 4, darker(inner)}, {2, 0, darker(outer)}, {4, 5, inactiveColour}}},
		{"an origin", "origin(ij,-10).B=bitmasked(ij,4).dense(ij,5).place(X)", "X", [][2]int{{-10, 9}}, 20, 20,
			[]pixel{{19, 0, darker(inner)}, {14, 0, inactiveColour}, {19, 5, inactiveColour}}},
		{"a coarse node with an origin", "origin(ij,-10).B=bitmasked(ij,4).dense(ij,5).place(X)", "B", [][2]int{{-10, 9}}, 4, 4,
			[]pixel{{3, 0, inner}, {2, 0, inactiveColour}, {3, 1, inactiveColour}}},
		{"levels with an origin", "origin(ij,-20).B=pointer(ij,4).{bitmasked(ij,5).place(X); bitmasked(ij,10)}", "X", [][2]int{{-10, -6}}, 20, 20,
			[]pixel{{4, 0, inner}, {3, 0, outer}, {5, 0, inactiveColour}, {4, 5, inactiveColour}}},
		{"no bounds", "B=hash(ij).dense(ij,4).place(X)", "X", [][2]int{{-1, -100}, {3, -99}}, 4, 8,
			[]pixel{{0, 0, inner}, {3, 7, darker(inner)}}},
		{"large", "B=pointer(ij,64).dense(ij,256).place(X)", "X", [][2]int{{16383, 0}}, 2048, 2048,
			[]pixel{{0, 2047, darker(inner)}, {31, 2016, darker(inner)}, {32, 2047, inactiveColour}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := Open(Options{Files: []string{file}, Trees: []string{c.tree}})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Runtime.Close()
			for _, d := range c.dots {
				if _, err := s.Program.Kernel("Dot").Launch(t.Context(), d[0], d[1]); err != nil {
					t.Fatal(err)
				}
			}
			data, err := s.TreeNode(c.what).topology()
			if err != nil {
				t.Fatal(err)
			}
			img, err := png.Decode(bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			if b := img.Bounds(); b.Dx() != c.w || b.Dy() != c.h {
				t.Fatalf("%d×%d pixels, not %d×%d", b.Dx(), b.Dy(), c.w, c.h)
			}
			for _, p := range c.pixels {
				if got := color.NRGBAModel.Convert(img.At(p.x, p.y)); got != p.want {
					t.Errorf("pixel %d, %d is %v, not %v", p.x, p.y, got, p.want)
				}
			}
		})
	}
}
