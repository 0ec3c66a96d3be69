package script

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"slices"
	"strings"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/treetext"
)

// This file paints which cells of a sparse tree of two axes are active: a pixel for each
// element, rows along the first axis as in pictures of fields, in the colour of the
// innermost level that is active there. Neighbouring cells differ in brightness.

// longestTopology is the most pixels along a side; what is larger is painted smaller.
const longestTopology = 2048

// Colours of what is not active, and of levels from the innermost sparse one out; the
// outermost of many have the last.
var (
	inactiveColour = color.NRGBA{24, 26, 32, 255}
	levelColours   = []color.NRGBA{{233, 196, 106, 255}, {42, 157, 143, 255}, {58, 96, 150, 255}, {72, 52, 96, 255}}
)

// HasTopology says why there is no picture of the way to n, if there is none.
func (n *TreeNode) HasTopology() error {
	if axes := n.PathAxes(); len(axes) != 2 {
		return fmt.Errorf("a picture of active cells needs a node of two axes, not %d", len(axes))
	}
	if !n.Sparse() {
		return fmt.Errorf("all cells of a dense node are active; a picture is of pointer, bitmasked, hash and dynamic nodes")
	}
	return nil
}

// A level is a sparse node on the way, with the size of its cells in cells of the last.
type level struct {
	node *ti.Node
	axes []int   // 0 or 1 for each axis of its index
	low  []int64 // the lowest index along these
	span [2]int64
}

// levels returns the sparse nodes on the way to n.
func (n *TreeNode) levels() []level {
	all := n.PathAxes()
	leaf := n.node().Shape()
	var out []level
	for _, m := range n.Path() {
		if m.Kind == "dense" {
			continue
		}
		l := level{node: n.Tree.Nodes[m], low: (&TreeNode{m, n.Tree}).lowest(), span: [2]int64{int64(leaf[0]), int64(leaf[1])}}
		shape := l.node.Shape()
		for i, a := range m.PathAxes() {
			k := slices.Index(all, a)
			l.axes = append(l.axes, k)
			l.span[k] /= int64(shape[i])
		}
		out = append(out, l)
	}
	return out
}

// A patch is an active cell: the elements lo to hi of both axes, hi not included.
type patch struct {
	lo, hi [2]int64
	colour color.NRGBA
}

// patches returns the active cells, those of outer levels first. An axis that a level
// does not have yet is covered from end to end.
func (n *TreeNode) patches() []patch {
	lowest, leaf := n.lowest(), n.node().Shape()
	var out []patch
	levels := n.levels()
	for depth, l := range levels {
		base := levelColours[min(len(levels)-1-depth, len(levelColours)-1)]
		for idx := range l.node.Cells() {
			p := patch{colour: base}
			odd := 0
			for k := range 2 {
				p.lo[k], p.hi[k] = lowest[k], lowest[k]+int64(leaf[k])
			}
			for i, k := range l.axes {
				p.lo[k] = lowest[k] + (int64(idx[i])-l.low[i])*l.span[k]
				p.hi[k] = p.lo[k] + l.span[k]
				odd += int(idx[i]) & 1
			}
			if odd == 1 && (l.span[0] > 1 || l.span[1] > 1) {
				p.colour = color.NRGBA{dim(base.R), dim(base.G), dim(base.B), 255}
			}
			out = append(out, p)
		}
	}
	return out
}

func dim(c uint8) uint8 { return uint8(int(c) * 7 / 8) }

// lowest returns the lowest index of the cells of n along each axis, rounded down. It has no
// meaning for a tree without bounds. The Origin counts the finest cells at and below the
// outermost node that divides an axis.
func (n *TreeNode) lowest() []int64 {
	o, low := n.Tree.Text.Origin, make([]int64, len(n.PathAxes()))
	if o == nil {
		return low
	}
	shape := n.node().Shape()
	for i, a := range n.PathAxes() {
		if k := slices.Index([]rune(o.Axes), a); k >= 0 && len(o.Lowest) > 0 {
			cells := int64(o.Lowest[min(k, len(o.Lowest)-1)]) * int64(shape[i])
			finest := n.finest(a)
			low[i] = cells / finest
			if cells < 0 && cells%finest != 0 {
				low[i]--
			}
		}
	}
	return low
}

// finest returns the extent along an axis of the finest cells at and below the outermost
// node, of n and those above it, that divides the axis.
func (n *TreeNode) finest(axis rune) int64 {
	path := n.Path()
	top := path[slices.IndexFunc(path, func(m *treetext.Node) bool { return strings.ContainsRune(m.Axes, axis) })]
	var widest func(m *treetext.Node) int64
	widest = func(m *treetext.Node) int64 {
		most := int64(n.Tree.Nodes[m].Shape()[slices.Index(m.PathAxes(), axis)])
		for _, c := range m.Nodes {
			most = max(most, widest(c))
		}
		return most
	}
	return widest(top)
}

// topology paints the active cells on the way to n, as a PNG file.
func (n *TreeNode) topology() ([]byte, error) {
	patches := n.patches()
	lo, hi := [2]int64(n.lowest()), [2]int64{}
	for k, s := range n.node().Shape() {
		hi[k] = lo[k] + int64(s)
	}
	if n.Unbounded() { // what is active
		if len(patches) == 0 {
			return nil, fmt.Errorf("nothing is active, and the tree has no bounds; activate something first")
		}
		lo, hi = patches[0].lo, patches[0].hi
		for _, p := range patches {
			for k := range 2 {
				lo[k], hi[k] = min(lo[k], p.lo[k]), max(hi[k], p.hi[k])
			}
		}
	}
	scale := max(1, (max(hi[0]-lo[0], hi[1]-lo[1])+longestTopology-1)/longestTopology)
	size := func(k int) int { return int((hi[k] - lo[k] + scale - 1) / scale) }
	img := image.NewNRGBA(image.Rect(0, 0, size(1), size(0)))
	fill(img, img.Bounds(), inactiveColour)
	for _, p := range patches {
		at := func(k int) (int, int) {
			return int((p.lo[k] - lo[k]) / scale), int((p.hi[k] - lo[k] + scale - 1) / scale)
		}
		y0, y1 := at(0)
		x0, x1 := at(1)
		fill(img, image.Rect(x0, y0, x1, y1), p.colour)
	}
	var buf bytes.Buffer
	err := png.Encode(&buf, img)
	return buf.Bytes(), err
}

// SaveTopology writes the picture to a file.
func (n *TreeNode) SaveTopology(name string) error {
	data, err := n.topology()
	if err != nil {
		return err
	}
	return WriteFile(name, data)
}

func fill(img *image.NRGBA, r image.Rectangle, c color.NRGBA) {
	r = r.Intersect(img.Bounds())
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			img.SetNRGBA(x, y, c)
		}
	}
}

// TreeNode returns the node of a field or node of -tree by its name.
func (s *Session) TreeNode(name string) *TreeNode {
	if n := s.Nodes[name]; n != nil {
		return n
	}
	if f := s.Fields[name]; f != nil {
		return f.home
	}
	return nil
}
