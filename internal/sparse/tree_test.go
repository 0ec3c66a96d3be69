package sparse

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/gotaichi/ti/internal/device"
	"github.com/gotaichi/ti/internal/layout"
)

// level adds a node of a kind to a tree.
type level struct {
	kind  layout.NodeKind
	axes  string
	sizes []int
}

// built is a tree with a field of float32 in its innermost node.
type built struct {
	*Tree
	field *layout.Field
	nodes []*layout.Node // on the path, outermost first
}

const (
	dense     = layout.Dense
	pointer   = layout.Pointer
	bitmasked = layout.Bitmasked
	dynamic   = layout.Dynamic
	hash      = layout.Hash
)

var shapes = map[string][]level{
	"pointer":             {{pointer, "ij", []int{3, 2}}, {dense, "ij", []int{4, 5}}},
	"pointer of pointer":  {{pointer, "ij", []int{3, 2}}, {pointer, "ji", []int{2}}, {bitmasked, "ij", []int{3, 5}}, {dense, "i", []int{2}}},
	"dense above pointer": {{dense, "ij", []int{3, 2}}, {pointer, "i", []int{3}}, {dense, "j", []int{4}}},
	"bitmasked":           {{bitmasked, "ij", []int{9, 11}}},
	"bitmasked twice":     {{bitmasked, "i", []int{3}}, {dense, "j", []int{2}}, {bitmasked, "ij", []int{4, 3}}},
	"pointer in bits":     {{bitmasked, "ij", []int{3, 4}}, {dense, "i", []int{2}}, {pointer, "j", []int{3}}, {dense, "ij", []int{2, 1}}},
	"list":                {{dynamic, "i", []int{37}}},
	"long list":           {{dynamic, "i", []int{5000}}},
	"list in cells":       {{dense, "i", []int{3}}, {pointer, "ij", []int{2, 4}}, {dynamic, "k", []int{19}}},
	"hash":                {{hash, "ij", []int{7, 5}}, {dense, "ij", []int{2, 3}}},
	"unbounded hash":      {{hash, "ji", nil}, {dense, "ij", []int{2, 3}}},
	"hash of lists":       {{hash, "ij", []int{3, 5}}, {dynamic, "k", []int{9}}},
	"hash of pointers":    {{hash, "ij", []int{3, 5}}, {pointer, "ij", []int{2}}, {bitmasked, "j", []int{70}}},
}

func build(t testing.TB, levels []level, b *Budget) *built {
	t.Helper()
	return buildIn(t, levels, b, device.Process{})
}

// buildIn is build in a space.
func buildIn(t testing.TB, levels []level, b *Budget, space device.Space) *built {
	t.Helper()
	lay := layout.NewTree(0)
	x := &built{}
	n := lay.Root()
	for _, l := range levels {
		var err error
		switch l.kind {
		case dense:
			n, err = n.Dense(l.axes, l.sizes...)
		case pointer:
			n, err = n.Pointer(l.axes, l.sizes...)
		case bitmasked:
			n, err = n.Bitmasked(l.axes, l.sizes...)
		case hash:
			n, err = n.Hash(l.axes, l.sizes...)
		case dynamic:
			if n, err = n.Dynamic(l.axes, l.sizes[0]); err == nil {
				err = n.Chunk(4)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		x.nodes = append(x.nodes, n)
	}
	elem, err := layout.ElemOf(reflect.TypeFor[float32]())
	if err != nil {
		t.Fatal(err)
	}
	x.field = layout.NewField(elem)
	if err := errors.Join(n.Place(x.field, 0, 1), x.field.Ready()); err != nil {
		t.Fatal(err)
	}
	if x.Tree, err = New(lay, 3, b, space); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		own := x.BytesInUse()
		others := b.Used() - own
		if err := x.Close(); err != nil || b.Used() != others {
			t.Errorf("of %d bytes closing gave %d back, error %v", own, own+others-b.Used(), err)
		}
	})
	return x
}

// model is the same tree as sets of active cells, one for each node of the path, with
// the values of elements.
type model struct {
	x      *built
	active []map[[4]int]bool // by node of the path; nil for dense nodes
	length map[[4]int]int    // of lists, by the cell above
	values map[[4]int]float32
}

func newModel(x *built) *model {
	m := &model{x: x, length: map[[4]int]int{}, values: map[[4]int]float32{}}
	for _, n := range x.nodes {
		var s map[[4]int]bool
		if n.Kind() != dense && n.Kind() != dynamic {
			s = map[[4]int]bool{}
		}
		m.active = append(m.active, s)
	}
	return m
}

func key(idx []int) (k [4]int) {
	copy(k[:], idx)
	return k
}

// cell returns the index of the cell of a node of the path with an element.
func (m *model) cell(node int, idx []int) []int {
	for i := len(m.x.nodes) - 1; i > node; i-- {
		idx = m.x.above(m.x.nodes[i], m.x.nodes[i-1], idx)
	}
	return idx
}

func (m *model) set(idx []int, v float32) {
	for i, s := range m.active {
		if s != nil {
			s[key(m.cell(i, idx))] = true
		}
	}
	if n := len(idx) - 1; m.x.field.Node().Kind() == dynamic {
		m.length[key(idx[:n])] = max(m.length[key(idx[:n])], idx[n]+1)
	}
	m.values[key(idx)] = v
}

// under reports whether an index of a node of the path lies in a cell of one above.
func (m *model) under(node int, k [4]int, above int, cell []int) bool {
	idx := k[:len(m.x.nodes[node].PathAxes())]
	for i := node; i > above; i-- {
		idx = m.x.above(m.x.nodes[i], m.x.nodes[i-1], idx)
	}
	return slices.Equal(idx, cell)
}

func (m *model) deactivate(node int, cell []int) {
	last := len(m.x.nodes) - 1
	for i := node; i <= last; i++ {
		for k := range m.active[i] {
			if m.under(i, k, node, cell) {
				delete(m.active[i], k)
			}
		}
	}
	for k := range m.values {
		if m.under(last, k, node, cell) {
			delete(m.values, k)
		}
	}
	for k := range m.length {
		if m.under(last-1, k, node, cell) {
			delete(m.length, k)
		}
	}
}

// count returns the number of active cells of a node of the path.
func (m *model) count(node int) int {
	n, cells := m.x.nodes[node], 1
	for ; n.Kind() == dense; n = m.x.nodes[node] {
		for _, s := range n.Sizes() {
			cells *= int(s)
		}
		if node == 0 {
			return cells
		}
		node--
	}
	if n.Kind() == dynamic {
		total := 0
		for _, l := range m.length {
			total += l
		}
		return total
	}
	return cells * len(m.active[node])
}

// random returns an index of an element.
func (m *model) random(r *rand.Rand) []int {
	var idx []int
	f := m.x.field
	for k, s := range f.Shape() {
		i := r.Int64N(min(s, 60))
		if s > 1<<31 {
			i += 30*int64(f.Rank()) - 60 - f.Origin()[k]
		}
		idx = append(idx, int(i+f.Origin()[k]))
	}
	return idx
}

// check compares the tree with the model in every respect.
func (m *model) check(t *testing.T) {
	t.Helper()
	a := m.x.field.Access(0)
	for i, n := range m.x.nodes {
		got, err := m.x.Count(n)
		if want := m.count(i); got != want || err != nil {
			t.Fatalf("node %d has %d active cells, not %d (%v)", i, got, want, err)
		}
		var failed error
		reached := map[[4]int]bool{}
		for idx := range m.x.Cells(n, &failed) {
			if !m.x.Active(n, idx) || reached[key(idx)] || m.active[i] != nil && !m.active[i][key(idx)] {
				t.Fatalf("node %d: cell %v is visited; active %t, seen %t", i, idx, m.x.Active(n, idx), reached[key(idx)])
			}
			reached[key(idx)] = true
		}
		if len(reached) != got || failed != nil {
			t.Fatalf("node %d: %d of %d cells are visited (%v)", i, len(reached), got, failed)
		}
	}
	found := 0
	var failed error
	for idx, block := range m.x.Cells(m.x.field.Node(), &failed) {
		v := *(*float32)(at(uint64(uintptr(block)) + uint64(a.Offset(idx))))
		want, set := m.values[key(idx)]
		if v != want {
			t.Fatalf("element %v is %v, not %v", idx, v, want)
		}
		if set {
			found++
		}
		if p := m.x.Find(a, idx); p == nil || *(*float32)(p) != v || !m.x.ActiveAt(a, idx) {
			t.Fatalf("element %v is not found", idx)
		}
	}
	if found != len(m.values) || failed != nil {
		t.Fatalf("%d of %d elements are visited (%v)", found, len(m.values), failed)
	}
}

// TestRandom activates and deactivates cells of small trees, and compares with sets.
func TestRandom(t *testing.T) {
	for name, levels := range shapes {
		for seed := range uint64(4) {
			t.Run(fmt.Sprint(name, seed), func(t *testing.T) {
				r := rand.New(rand.NewPCG(seed, 1))
				x := build(t, levels, NewBudget(1<<28))
				m := newModel(x)
				m.check(t)
				for round := range 30 {
					for range r.IntN(20) {
						idx := m.random(r)
						p, err := x.Enter(x.field.Access(0), idx)
						if err != nil {
							t.Fatal(err)
						}
						v := r.Float32()
						*(*float32)(p) = v
						m.set(idx, v)
					}
					for range r.IntN(1 + round%6) {
						i := r.IntN(len(x.nodes))
						cell := m.cell(i, m.random(r))
						x.Deactivate(x.nodes[i], cell)
						x.Deactivate(x.nodes[i], cell)
						if m.active[i] != nil {
							m.deactivate(i, cell)
						}
					}
					x.Collect()
					if err := x.Settle(); err != nil {
						t.Fatal(err)
					}
					m.check(t)
				}
				for i := len(x.nodes) - 1; i >= 0; i-- {
					if err := x.Clear(x.nodes[i]); err != nil {
						t.Fatal(err)
					}
					if m.active[i] != nil || x.nodes[i].Kind() == dynamic {
						if n, err := x.Count(x.nodes[i]); n != 0 || err != nil {
							t.Errorf("%d cells are active after clearing (%v)", n, err)
						}
					}
				}
				m = newModel(x)
				m.check(t)
				for _, p := range x.pools[1:] {
					if p.top()-p.gone != p.count() {
						t.Errorf("of %d slots %d are free after all was cleared", p.top()-p.gone, p.count())
					}
				}
			})
		}
	}
}
