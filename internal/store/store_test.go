package store

import (
	"bytes"
	"errors"
	"reflect"
	"slices"
	"sync"
	"testing"
	"unsafe"

	"github.com/gotaichi/ti/internal/device"
	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/sparse"
)

// A fakeRuntime stands for the runtime of a store: it records the notifications of the store.
type fakeRuntime struct {
	closed      []*Tree
	overwritten []*Field
	copier      func(*Field) Copier
}

func (o *fakeRuntime) open() *Store {
	return New(Config{
		Launches: &sync.Mutex{}, Budget: sparse.NewBudget(1 << 30), Limit: 1 << 30, Threads: 2, Memory: device.Process{},
		Closed:      func(t *Tree) { o.closed = append(o.closed, t) },
		Overwritten: func(c *Field) { o.overwritten = append(o.overwritten, c) },
		Copier: func(c *Field) Copier {
			if o.copier == nil {
				return nil
			}
			return o.copier(c)
		},
	})
}

// newField returns a field of elements of type T that is not placed.
func newField[T any]() *Field {
	c := &Field{}
	c.Init(reflect.TypeFor[T]())
	return c
}

func set[T any](c *Field, v T, idx ...int) { c.Set(unsafe.Pointer(&v), indexOf(idx), len(idx)) }

func at[T any](c *Field, idx ...int) (v T) {
	c.Get(unsafe.Pointer(&v), indexOf(idx), len(idx))
	return v
}

// refused returns the error that f panics with.
func refused(f func()) (err error) {
	defer func() { err, _ = recover().(error) }()
	f()
	return nil
}

func TestDense(t *testing.T) {
	o := &fakeRuntime{}
	st := o.open()
	c := newField[[2]float32]()
	st.Place(Shape{3, 4}, c)
	set(c, [2]float32{1, 2}, 2, 3)
	if got := at[[2]float32](c, 2, 3); got != [2]float32{1, 2} {
		t.Errorf("the element is %v", got)
	}
	if c.Base.Load() == nil || c.Strided() != c.Base.Load() {
		t.Error("elements of a dense field do not lie at fixed strides")
	}
	all := make([][2]float32, 12)
	if err := c.CopyTo(unsafe.Pointer(&all[0]), len(all)); err != nil || all[11] != [2]float32{1, 2} {
		t.Errorf("CopyTo gives %v, %v", all, err)
	}
	if err := c.CopyTo(unsafe.Pointer(&all[0]), 11); !errors.Is(err, diag.ErrArgs) {
		t.Errorf("CopyTo to a slice that is too short: %v", err)
	}
	if err := c.CopyFrom(unsafe.Pointer(&all[0]), len(all)); err != nil || !slices.Equal(o.overwritten, []*Field{c}) {
		t.Errorf("CopyFrom gives %v, and the runtime knows of %d fields", err, len(o.overwritten))
	}
	if got := st.Lasting(); len(got) != 1 || got[0] != c.Tree() {
		t.Errorf("%d trees last", len(got))
	}
	if a, offset := st.Memory(0); a == nil || &a.Host()[offset] != c.Base.Load() {
		t.Error("the tree does not begin with its only field")
	}
}

func TestClose(t *testing.T) {
	o := &fakeRuntime{}
	st := o.open()
	c := newField[int32]()
	st.Place(Shape{8}, c)
	set(c, int32(1), 3)
	keys, err := c.Keys()
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := c.Keys(); again != keys || keys.Comps() != 1 || !slices.Equal(keys.Shape(), c.Shape()) {
		t.Error("a field has other keys the second time, or of another shape")
	}
	tree := c.Tree()
	for range 2 { // the second time nothing happens
		if err := tree.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(o.closed, []*Tree{tree, keys.Tree()}) {
		t.Errorf("the runtime was told of %d trees, not of the field's and that of its keys", len(o.closed))
	}
	if err := refused(func() { at[int32](c, 3) }); !errors.Is(err, diag.ErrClosed) {
		t.Errorf("an element of a closed tree: %v", err)
	}
	if a, _ := st.Memory(0); a != nil || len(st.Lasting()) > 0 || st.cfg.Budget.Used() != 0 {
		t.Error("a closed tree has memory")
	}
	late := newField[int32]()
	st.Place(Shape{8}, late)
	st.Shut()
	if err := late.Ready(); !errors.Is(err, diag.ErrClosed) {
		t.Errorf("a tree that is first used after the store was shut: %v", err)
	}
}

func TestMistakes(t *testing.T) {
	st := (&fakeRuntime{}).open()
	c := newField[int32]()
	if err := c.Ready(); !errors.Is(err, diag.ErrPlace) {
		t.Errorf("a field that is not placed: %v", err)
	}
	st.NameAfter(c, "X") // as binding it does, which then finds it not placed
	if c.Name() != "X" {
		t.Errorf("the field is %s", c.Name())
	}
	tree := st.NewTree()
	tree.Dense("ii", 4).Place(c)
	e, ok := errors.AsType[*diag.Error](c.Ready())
	if !ok || e.Code != diag.LayoutAxes || e.Pos.Filename != "store_test.go" {
		t.Errorf("a node with an axis twice: %v", e)
	}
	st.Place(Shape{4}, nil)
	if got := st.Mistakes(); len(got) != 1 {
		t.Errorf("%d mistakes of what no field knows", len(got))
	}
}

// sparseField returns a field of 64 elements in blocks of 4.
func sparseField(st *Store) *Field {
	c := newField[float32]()
	st.NewTree().Pointer("i", 16).Dense("i", 4).Place(c)
	return c
}

func TestSparse(t *testing.T) {
	st := (&fakeRuntime{}).open()
	c := sparseField(st)
	before := at[float32](c, 9) // reading activates nothing
	n := c.Node()
	if before != 0 || n.Count() != 0 {
		t.Errorf("an inactive element is %v, and %d cells are active", before, n.Count())
	}
	set(c, float32(5), 9)
	if n.Count() != 4 || !n.Active(8) || n.Active(12) {
		t.Errorf("%d cells are active behind a store to one", n.Count())
	}
	version := c.Topology()
	sum, err := c.CellSum(version)
	if err != nil {
		t.Fatal(err)
	}
	set(c, float32(5), 12)
	changed, err := c.CellSum(c.Topology())
	if err != nil || c.Topology() == version || changed == sum {
		t.Errorf("other cells are active, and topology is %d, %d, sums are %d, %d (%v)", version, c.Topology(), sum, changed, err)
	}
	cells, err := c.ActiveCells()
	if err != nil || len(cells) != 8 || cells[1].Index[0] != 9 || cells[1].Bits == 0 || cells[0].Bits != 0 {
		t.Errorf("the active cells are %v, %v", cells, err)
	}
}

func TestTreeFile(t *testing.T) {
	st := (&fakeRuntime{}).open()
	for _, c := range []*Field{sparseField(st), func() *Field { c := newField[float32](); st.Place(Shape{64}, c); return c }()} {
		set(c, float32(7), 33)
		var file bytes.Buffer
		if _, err := c.Tree().WriteTo(&file); err != nil {
			t.Fatal(err)
		}
		set(c, float32(0), 33)
		set(c, float32(1), 2)
		saved := slices.Clone(file.Bytes())
		if _, err := c.Tree().ReadFrom(&file); err != nil || at[float32](c, 33) != 7 || at[float32](c, 2) != 0 {
			t.Errorf("the tree holds %v and %v again, %v", at[float32](c, 33), at[float32](c, 2), err)
		}
		saved[len(saved)/2] ^= 1
		if _, err := c.Tree().ReadFrom(bytes.NewReader(saved)); !errors.Is(err, diag.ErrLayout) || at[float32](c, 33) != 7 {
			t.Errorf("a damaged file: %v", err)
		}
	}
}

func TestCopy(t *testing.T) {
	st := (&fakeRuntime{}).open()
	c := newField[[2]int32]()
	st.Place(Shape{5}, c)
	set(c, [2]int32{1, 2}, 3)
	copied := func(c *Field) *Copy {
		k, err := c.Tree().NewCopy()
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	changed := func(k *Copy) bool {
		is, err := k.IsChanged()
		if err != nil {
			t.Fatal(err)
		}
		return is
	}
	k := copied(c)
	if changed(k) {
		t.Error("a tree differs from its copy at once")
	}
	set(c, [2]int32{1, 9}, 3)
	var found [][2]int
	for n, idx := range k.Changes(c, copied(c)) {
		found = append(found, [2]int{n, idx[0]})
	}
	if !changed(k) || !slices.Equal(found, [][2]int{{1, 3}}) {
		t.Errorf("component 1 of element 3 has changed, and the copy finds %v", found)
	}
	if bits, ok := k.Bits(c, 1, []int{3}); !ok || bits != 2 {
		t.Errorf("the copy has %d, %v", bits, ok)
	}
	if err := k.Update(); err != nil {
		t.Fatal(err)
	}
	if bits, _ := k.Bits(c, 1, []int{3}); changed(k) || bits != 9 {
		t.Errorf("the copy has %d behind an update", bits)
	}
	d, x, y := newField[[2]int32](), newField[int32](), newField[int32]() // a component of d lies in another tree
	x.MemberOf(d, "[0]")
	y.MemberOf(d, "[1]")
	st.Place(Shape{5}, x, y)
	set(d, [2]int32{1, 2}, 3)
	k = copied(x)
	set(d, [2]int32{7, 8}, 3)
	found = nil
	for n, idx := range k.Changes(d, copied(x)) {
		found = append(found, [2]int{n, idx[0]})
	}
	if !slices.Equal(found, [][2]int{{0, 3}}) {
		t.Errorf("component 0 of element 3 has changed in the tree, and the copy finds %v", found)
	}
	if _, ok := k.Bits(d, 1, []int{3}); ok {
		t.Error("a copy has what lies in another tree")
	}
}

// TestScan scans fields in each way that there is, and must find the numbers that At has.
func TestScan(t *testing.T) {
	st := (&fakeRuntime{}).open()
	dense, strided, blocks := newField[int32](), newField[int32](), sparseField(st)
	st.Place(Shape{40_000}, dense)
	st.NewTree().Dense("i", 100).Place(strided, newField[float64]())
	for i := range 40_000 {
		set(dense, int32(i), i)
	}
	for i := range 100 {
		set(strided, int32(i), i)
	}
	set(blocks, float32(3), 41)
	for _, test := range []struct {
		c         *Field
		n         int
		sum, most float64
	}{{dense, 40_000, 40_000 * 39_999 / 2, 39_999}, {strided, 100, 4950, 99}, {blocks, 4, 3, 3}} {
		var mu sync.Mutex
		n, sum, most := 0, 0.0, 0.0
		size, kind := int(test.c.Elem().Size()), test.c.Access(0).Kind
		test.c.Scan(func(scan func(Scanner)) {
			scan(func(elements unsafe.Pointer, many int) {
				mu.Lock()
				defer mu.Unlock()
				for i := range many {
					v := Real(unsafe.Add(elements, i*size), kind)
					n, sum, most = n+1, sum+v, max(most, v)
				}
			})
		})
		if n != test.n || sum != test.sum || most != test.most {
			t.Errorf("%s: %d numbers of sum %v up to %v; want %d, %v, %v", test.c.Name(), n, sum, most, test.n, test.sum, test.most)
		}
	}
}

func TestNumbers(t *testing.T) {
	st := (&fakeRuntime{}).open()
	c := sparseField(st)
	set(c, float32(2), 9)
	e, err := c.Elements()
	if err != nil {
		t.Fatal(err)
	}
	if all, err := e.Numbers(); err != nil || !slices.Equal(all, []float64{0, 2, 0, 0}) {
		t.Errorf("the active numbers are %v, %v", all, err)
	}
	set(c, float32(1), 63) // which e does not have
	if err := e.SetNumbers([]float64{1, 2, 3, 4}); err != nil || at[float32](c, 11) != 4 || at[float32](c, 63) != 1 {
		t.Errorf("SetNumbers: %v", err)
	}
}

func TestCompanion(t *testing.T) {
	st := (&fakeRuntime{}).open()
	c, g := newField[float32](), newField[float32]()
	made := 0
	grad := func() any {
		return c.Companion(Grad, func() (*Field, any) { made++; return g, "public" })
	}
	for range 2 {
		if got := grad(); got != "public" || made != 1 {
			t.Errorf("the companion is %v, made %d times", got, made)
		}
	}
	if of, role := g.CompanionOf(); of != c || role != Grad || c.Placed(Grad) != nil {
		t.Error("a companion that is not placed")
	}
	st.Place(Shape{4}, c, g)
	c.Call("X")
	if got, err := c.Adjoint(); err != nil || got != g || g.Name() != "X.grad" {
		t.Errorf("the adjoint is %v, %v", got.Name(), err)
	}
	if got := st.Adjoints(); !slices.Equal(got, []*Field{g}) {
		t.Errorf("%d adjoints are in use", len(got))
	}
	if err := g.Tree().Close(); err != nil || len(st.Adjoints()) != 0 {
		t.Errorf("an adjoint is in use after its tree was closed (%v)", err)
	}
	d, e := newField[float32](), newField[float32]()
	d.Companion(Grad, func() (*Field, any) { return e, nil })
	st.Place(Shape{4}, d)
	st.Place(Shape{5}, e)
	if _, err := d.Adjoint(); !errors.Is(err, diag.ErrLayout) {
		t.Errorf("an adjoint of another shape: %v", err)
	}
}

// noteCopier records the requests of a store to a copier.
type noteCopier struct {
	ways  []Way
	freed int
}

func (n *noteCopier) Copy(w Way, at unsafe.Pointer) bool { n.ways = append(n.ways, w); return false }
func (n *noteCopier) Free()                              { n.freed++ }

func TestCopier(t *testing.T) {
	n := &noteCopier{}
	made := 0
	st := (&fakeRuntime{copier: func(*Field) Copier { made++; return n }}).open()
	c := newField[int32]()
	st.NewTree().Dense("i", 8).Place(c, newField[float64]()) // elements have gaps between them
	all := []int32{0, 1, 2, 3, 4, 5, 6, 7}
	back := make([]int32, 8)
	err := errors.Join(c.CopyFrom(unsafe.Pointer(&all[0]), 8), c.CopyTo(unsafe.Pointer(&back[0]), 8))
	if err != nil || !slices.Equal(back, all) || !slices.Equal(n.ways, []Way{Into, OutOf}) || made != 1 {
		t.Errorf("%v came back, %v; a copier made %d times was asked for %v", back, err, made, n.ways)
	}
	if err := c.Tree().Close(); err != nil || n.freed != 1 {
		t.Errorf("the copier was freed %d times, %v", n.freed, err)
	}
}

// TestElsewhere has a field whose second component lies in another tree, in cells that come and go by themselves.
func TestElsewhere(t *testing.T) {
	st := (&fakeRuntime{}).open()
	c := newField[[2]float32]()
	x, y := newField[float32](), newField[float32]()
	x.MemberOf(c, "[0]")
	y.MemberOf(c, "[1]")
	lists := st.NewTree()
	lists.Pointer("i", 8).Place(x)
	st.NewTree().Dense("i", 8).Place(y)
	set(c, [2]float32{1, 2}, 3)
	tree, following, fields := st.Followed(c.LayoutNode())
	if tree != lists || following != tree.Following() || !slices.Equal(fields, []*Field{c}) {
		t.Fatalf("%d fields go along with the cells, in %d changes", len(fields), following)
	}
	parts := c.Elsewhere()
	if len(parts) != 1 || parts[0].Lo() != 1 || parts[0].Comps() != 1 || !parts[0].Overlaps(y) || parts[0].Overlaps(x) {
		t.Errorf("elsewhere lie %d parts, not the second component", len(parts))
	}
	x.Node().Clear()
	if got := at[[2]float32](c, 3); got != [2]float32{} {
		t.Errorf("an element is %v after its cell was deactivated", got)
	}
}
