package layout

// MaxRank is the largest number of axes of a field.
const MaxRank = 8

// Term is a part of an address: ((idx[Axis]-origin)/Div % Mod) * Stride bytes; a
// Mod of 0 takes no remainder. Axis counts the field's indices from 0.
type Term struct {
	Axis             int
	Div, Mod, Stride int64
	// Inner has a bit for each axis whose extent, divided by its [Access.Span], multiplies
	// the stride as well: one that is read at launch.
	Inner uint8
}

// Access is the address formula of one component of a field.
type Access struct {
	Tree   int    // as given to NewTree
	Steps  []Step // to the block that it lies in, outermost first; none where all nodes are dense
	Const  int64
	Terms  []Term
	Origin []int64 // lowest index along each axis
	Shape  []int64 // extent along each axis
	Span   []int64 // where extents are read at launch: how many indices a cell of the outermost node has along each axis; nil for one each
	Kind   Kind    // of the number that kernels compute with
	Packed *Packed // nil for one that is stored as Go does
}

// Offset computes the address relative to the component's block, which is the tree's
// base unless there are steps. Indices must be in range.
func (a *Access) Offset(idx []int) int64 { return a.Const + Sum(a.Terms, idx, a.Origin) }

// Sum adds up terms.
func Sum(terms []Term, idx []int, origin []int64) int64 {
	sum := int64(0)
	for _, t := range terms {
		c := int64(idx[t.Axis]) - origin[t.Axis]
		if t.Div != 1 { // a division takes longer than the rest
			c /= t.Div
		}
		if t.Mod != 0 {
			c %= t.Mod
		}
		sum += c * t.Stride
	}
	return sum
}

// SameBlock reports whether two components of one field lie in the same block.
func SameBlock(a, b *Access) bool {
	into := func(steps []Step) *Block {
		for i := len(steps) - 1; i >= 0; i-- {
			if steps[i].Into != nil {
				return steps[i].Into
			}
		}
		return nil
	}
	return a.Tree == b.Tree && into(a.Steps) == into(b.Steps)
}

// Flat reports whether the address is linear in every index, and the stride of
// each axis in bytes if so. A number in a word has no address of its own.
func (a *Access) Flat() (strides [MaxRank]int64, ok bool) {
	if len(a.Steps) > 0 || a.Packed != nil {
		return strides, false
	}
	for _, t := range a.Terms {
		if t.Div != 1 || t.Mod != 0 {
			return strides, false
		}
		strides[t.Axis] += t.Stride
	}
	return strides, true
}

// NestDim is a loop of the nest that visits the elements of a field in the order
// in which they lie in memory: idx[Axis] = origin + Σ coordinate*Mul over the
// dimensions of that axis.
type NestDim struct {
	Axis        int
	Extent, Mul int64
}

// level is one axis of one node on the path to a field, or one bit of its index
// there, before merging.
type level struct {
	axis   int // letter number
	size   int64
	div    int64 // elements of the field along the axis in one cell of the node
	stride int64
	top    bool // the outermost level of its axis
}

// terms turns levels, outermost first, into address terms, and joins those that
// continue each other: the levels of an axis whose strides fit need no division
// between them.
func terms(levels []level, index func(axis int) int) []Term {
	var out []Term
	for _, l := range levels {
		t := Term{Axis: index(l.axis), Div: l.div, Mod: l.size, Stride: l.stride}
		if l.top {
			t.Mod = 0
		}
		out = joinTerm(out, t)
	}
	return out
}

func joinTerm(ts []Term, t Term) []Term {
	for i := len(ts) - 1; i >= 0; i-- {
		o := &ts[i]
		if o.Axis != t.Axis {
			continue
		}
		if t.Mod != 0 && o.Inner == t.Inner && o.Div == t.Div*t.Mod && o.Stride == t.Stride*t.Mod {
			o.Div, o.Stride = t.Div, t.Stride
			if o.Mod != 0 {
				o.Mod *= t.Mod
			}
			return ts
		}
		break
	}
	return append(ts, t)
}

// nest turns levels, outermost first, into the memory-order loop nest, joining
// neighbours of one axis.
func nest(levels []level, index func(axis int) int) []NestDim {
	var out []NestDim
	for _, l := range levels {
		out = joinDim(out, NestDim{Axis: index(l.axis), Extent: l.size, Mul: l.div})
	}
	return out
}

func joinDim(out []NestDim, d NestDim) []NestDim {
	n := len(out)
	if n == 0 || out[n-1].Axis != d.Axis || out[n-1].Mul != d.Mul*d.Extent {
		return append(out, d)
	}
	if out[n-1].Extent >= 0 { // else it is read at launch, as before
		out[n-1].Extent *= d.Extent
	}
	out[n-1].Mul = d.Mul
	return out
}
