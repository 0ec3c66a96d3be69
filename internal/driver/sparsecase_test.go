package driver_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/randtest"
)

// plant is a plot with one branch: nodes from the root on, and two fields of i32 in the
// innermost.
func plant(nodes ...*plotNode) *plot {
	p := &plot{rank: 3, roots: []*plotNode{{}}}
	up := p.roots[0]
	for i, n := range nodes {
		n.name, n.parent = fmt.Sprint("N", i), up
		up.children = append(up.children, n)
		p.nodes = append(p.nodes, n)
		up = n
	}
	for i := range 2 {
		f := &plotField{name: fmt.Sprint("X", i), elem: plotElems[0], node: up}
		up.contents = append(up.contents, part{f, 0, 1})
		p.fields = append(p.fields, f)
	}
	return p
}

func seed(kind layout.NodeKind, axes string, sizes ...int64) *plotNode {
	n := &plotNode{kind: kind, sizes: sizes}
	for _, r := range axes {
		n.axes = append(n.axes, int(r-'i'))
	}
	return n
}

// A sparseCase is a kernel on a plot.
type sparseCase struct {
	name  string
	plot  func() *plot
	body  string // of the kernel
	inner bool   // no index is out of range
}

// sparseCases are what random kernels have found.
var sparseCases = []sparseCase{
	{"a place that is named before its cell is active", func() *plot {
		return plant(seed(layout.Hash, "i", 5), seed(layout.Dense, "i", 5))
	}, `
	for i := range 25 {
		X0[i] = X1[i] + 1
		r0 += X0[i]
		X1[i] ^= n
	}
	for i := range X0 {
		if i%2 == 0 {
			X1[i] += 1
		}
		activate(N0, 1)
		X1[i] += 2
	}`, true},
	{"a place that is read before and after its cell becomes active", func() *plot {
		return plant(seed(layout.Pointer, "i", 8))
	}, `
	for i := range serial(8) {
		r0 += X0[i]
		X0[(i+n+8)%8] = i + 1
		r0 = 10*r0 + X0[i]
	}`, true},
	{"a list that is emptied and written", func() *plot {
		return plant(seed(layout.Pointer, "i", 4), seed(layout.Dynamic, "j", 20))
	}, `
	for i := range 4 {
		X0[i][3] = n
		for k := range 3 {
			r0 += len(X0[i]) * k
			clear(X0[i])
			X0[i][1+i] += 5
		}
	}
	for i, j := range X0 {
		r1 = max(r1, j)
		if j == 0 {
			clear(X1[i])
			X1[i][0] = 3
		}
	}`, true},
	{"an index out of range before a list in a block with coordinates", func() *plot {
		return plant(seed(layout.Hash, "ij", 7, 4), seed(layout.Dynamic, "k", 70))
	}, `
	for i, j := range ndrange(7, 4) {
		append(X0[i][j], i)
	}
	for i, j := range serial(ndrange(7, 4)) {
		r0 += X0[i+2][j][0] + X0[i][j-1][i] + len(X0[i+1][j])
		k := append(X0[i+3][j], n)
		r0 = 3*r0 + k
		if isActive(N0, i, j+1) {
			r1 += 1
		}
	}`, false},
	{"an index out of range of a question whose answer makes no difference", func() *plot {
		return plant(seed(layout.Pointer, "i", 8), seed(layout.Dynamic, "j", 9))
	}, `
	for i := range 8 {
		X0[i][1] = i
		r0 += ifelse(isActive(N0, i+n), 3, 3)
		k := len(X0[i])
		k = 2
		r1 += k
	}`, false},
	{"cells that become active in few places of a domain", func() *plot {
		return plant(seed(layout.Pointer, "ij", 2, 3), seed(layout.Dense, "ij", 16, 16))
	}, `
	for i, j := range ndrange(32, 40) {
		r := (i-16)*(i-16) + (j-20)*(j-20)
		if r > 100+n && r < 150 {
			X0[i][j] = r
			r0 += r
		}
	}
	for i, j := range ndrange(32, 40) {
		if (i*3+j)%37 == 5 {
			if X0[i][j] == 0 {
				X1[j%32][i] += i
				continue
			}
			X1[i][j] += 1
		}
	}
	for i, j := range serial(X0) {
		r1 = r1*31 + X0[i][j] + 7*X1[i][j] + i - j
	}`, true},
	{"coordinates below a node without bounds", func() *plot {
		return plant(seed(layout.Hash, "ji"), seed(layout.Pointer, "ij", 5, 3), seed(layout.Pointer, "j", 3))
	}, `
	for i, j := range ndrange(span(-9, 9), span(-7, 5)) {
		if (i+j)%3 == 0 {
			X0[i][j] = i*j + n
		}
	}
	for i, j := range N2 {
		r0 += (i + 3) * (j + 5)
		X1[i][j] = X0[i][j-1]*j + i/2
	}
	for i, j := range serial(N1) {
		r0 = r0*31 + i*7 + j
	}`, true},
	{"blocks with one bit", func() *plot {
		return plant(seed(layout.Pointer, "i", 40), seed(layout.Bitmasked, "j", 1))
	}, `
	for i := range 20 {
		activate(N0, i*2)
		if i%3 == 0 {
			X0[i*2][0] = i + n
		}
	}
	for i, j := range N1 {
		r0 += (i + 3) * (j + 5)
		if i < 38 {
			X1[i+2][0] += i
		}
	}
	for i, j := range serial(X1) {
		r1 = r1*31 + X1[i][j] + i
		X0[(i+4)%40][j] = 1
	}`, true},
	{"reads far apart in one loop", func() *plot {
		return plant(seed(layout.Pointer, "ij", 4, 3), seed(layout.Pointer, "i", 3), seed(layout.Dense, "ij", 2, 5))
	}, `
	for i := range 60 {
		X0[i*i%24][i%15] = i*7 + n
		X1[i%24][i*4%15] = i
	}
	for i := range 9 {
		s, low := 0, 0
		var high f32
		for k := range 77 {
			h := u32(i*77+k) * 2654435761
			h ^= h >> 15
			v := X0[i32(h % 24)][i32(h / 24 % 15)]
			s += v*k + X1[i][X0[k%24][i]&7]
			low = min(low, v)
			high = max(high, f32(v))
		}
		r0 += s + low
		r1 += i32(high)
	}`, true},
}

func TestSparseCases(t *testing.T) {
	for _, c := range sparseCases {
		t.Run(c.name, func(t *testing.T) {
			var variants []plotVariant
			for _, level := range []int{0, 3} {
				for _, threads := range []int{1, 3} {
					variants = append(variants, plotVariant{level: level, threads: threads, unchecked: c.inner && threads == 1})
				}
			}
			c.run(t, variants...)
		})
	}
}

// run launches the kernel twice, in all ways; a quarter of the tests does it without optimisation, too.
func (c sparseCase) run(t *testing.T, variants ...plotVariant) {
	if !randtest.Share(t.Name()) && len(variants) > 1 {
		variants = slices.DeleteFunc(variants, func(v plotVariant) bool { return v.level == 0 })
	}
	p := c.plot()
	p.written = true
	p.build(t)
	g := &kernelGen{p: p}
	g.source(0)
	src := g.b.String() + "\nfunc K0(n int) (r0, r1 int) {" + c.body + "\n\treturn\n}\n"
	compareWorlds(t, p, src, []plotStep{p.launch("K0", 3), p.launch("K0", -2)}, variants...)
}
