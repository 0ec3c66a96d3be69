package graph_test

import (
	"context"
	"errors"
	"fmt"
	"go/token"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/check"
	codegen "github.com/gotaichi/ti/internal/codegen/llvm"
	"github.com/gotaichi/ti/internal/driver"
	"github.com/gotaichi/ti/internal/graph"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/llvm/llvmtest"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/randtest"
	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/titest"
	"github.com/gotaichi/ti/internal/typed"
)

// kernels are launched in random order, together with those of renamed.
const kernels = `package p

var X, Y, Z field[i32]
var S field[i32, D0]
var D field[ivec2]
var P, Q field[i32] // in the cells of B
var B node

func Zero() {
	for i := range Y {
		Y[i] = 0
	}
}

func Number() {
	for i := range 16 {
		X[i] = 3*i + 1
	}
}

func Copy() {
	for i := range Y {
		Y[i] = X[i] + 5
	}
}

func Smooth() {
	for i := range span(1, 15) {
		Z[i] = Y[i-1] + 3*Y[i+1]
	}
}

func Far() {
	for i := range Z {
		Z[i] += X[(5*i+Y[i]&1)%16]
	}
}

func Some() {
	for i := range X {
		if X[i]%2 == 0 {
			Z[i] = 9 - X[i]
		}
	}
}

func Sum() {
	S = 0
	for i := range X {
		S += X[i] ^ Z[i]
	}
}

func Spread() {
	s := S % 100
	for i := range Y {
		Y[i] = s + i
	}
	for i := range Z {
		Z[i] = s - i
	}
}

func First() {
	for i := range D {
		D[i].x = X[i]
	}
}

func Second() {
	for i := range D {
		D[i].y = D[i].x * 7
	}
}

func Both() {
	for i := range D {
		D[i] = ivec2(Y[i], i)
	}
}

func Out() {
	for i := range X {
		X[i] = D[15-i].x - D[i].y
	}
}

func Unless() {
	if S%2 == 1 {
		return
	}
	for i := range X {
		X[i] = -i
	}
}

func Grow() {
	for i := range X {
		if X[i]%3 == 0 {
			P[i] = X[i]
		}
	}
}

func Over() {
	for i := range P {
		P[i] += 1
		Q[i] = P[i] * i
	}
}

func Count() {
	n := 0
	for i := range P {
		n += 1 + Q[i]
	}
	S = n
}

func Drop() {
	for b := range B {
		if b%2 == 1 {
			deactivate(B, b)
		}
	}
}

func Back() {
	for i := range Y {
		Y[i] = P[i]
	}
}
`

// renamed has another name for X.
const renamed = `package p

var A, Z field[i32]

func Other() {
	for i := range A {
		A[i] = Z[i]
	}
}
`

// names returns the kernels of both sources.
func names() (all []string) {
	for line := range strings.Lines(kernels + renamed) {
		if rest, is := strings.CutPrefix(line, "func "); is {
			name, _, _ := strings.Cut(rest, "(")
			all = append(all, name)
		}
	}
	return all
}

// A compiled is the descriptors of kernels.
type compiled struct {
	of     map[string]*launch.Kernel
	lay    driver.Layout
	memory map[*layout.Field]*graph.Memory
	nodes  map[*layout.Node]*graph.Node
	trees  map[int]*graph.Tree
}

// compile describes kernels, on fields as [host] has them. The extents of dense ones may be read at launch.
func compile(t *testing.T, symbolic bool) *compiled {
	c := &compiled{of: map[string]*launch.Kernel{}, lay: driver.Layout{}, memory: map[*layout.Field]*graph.Memory{}, nodes: map[*layout.Node]*graph.Node{}, trees: map[int]*graph.Tree{}}
	must := func(n *layout.Node, err error) *layout.Node {
		t.Helper()
		titest.Must(t, err)
		return n
	}
	h := &check.Host{Fields: map[string]check.HostField{}}
	field := func(name string, n *layout.Node, elem typed.Type, of reflect.Type, shape ...int) {
		e, err := layout.ElemOf(of)
		titest.Must(t, err)
		f := layout.NewField(e)
		titest.Must(t, errors.Join(n.Place(f, 0, len(e.Comps)), f.Ready()))
		c.lay[name] = driver.Place{Field: f}
		h.Fields[name] = check.HostField{Elem: elem, Shape: shape, Origin: make([]int, len(shape)), Symbolic: symbolic}
	}
	i32 := reflect.TypeFor[int32]()
	for i, name := range []string{"X", "Y", "Z"} {
		field(name, must(layout.NewTree(i).Root().Dense("i", 16)), typed.I32, i32, 16)
	}
	c.lay["A"], h.Fields["A"] = c.lay["X"], h.Fields["X"]
	field("S", layout.NewTree(3).Root(), typed.I32, i32)
	field("D", must(layout.NewTree(4).Root().Dense("i", 16)), typed.Array{Elem: typed.I32, Len: 2}, reflect.TypeFor[ti.IVec2](), 16)
	b := must(layout.NewTree(5).Root().Pointer("i", 4))
	cells := must(b.Dense("i", 4))
	p, err := layout.ElemOf(i32)
	titest.Must(t, err)
	for _, name := range []string{"P", "Q"} {
		f := layout.NewField(p)
		titest.Must(t, cells.Place(f, 0, 1))
		c.lay[name] = driver.Place{Field: f}
		h.Fields[name] = check.HostField{Elem: typed.I32, Shape: []int{16}, Origin: []int{0}, Sparse: true}
	}
	titest.Must(t, errors.Join(c.lay["P"].Field.Ready(), c.lay["Q"].Field.Ready()))
	node, err := b.Cells()
	titest.Must(t, err)
	c.lay["B"] = driver.Place{Field: node}
	h.Fields["B"] = check.HostField{Shape: []int{4}, Origin: []int{0}, Node: typed.NodePointer, Sparse: true}

	for _, source := range []string{kernels, renamed} {
		c.describe(t, source, h)
	}
	return c
}

// describe describes the kernels of a source.
func (c *compiled) describe(t *testing.T, source string, h *check.Host) {
	t.Helper()
	file, errs := syntax.Parse("p.ti", source, token.Position{})
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	pkg, errs := check.Declare([]*syntax.File{file})
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	program, errs := pkg.Check(h)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	lib := llvmtest.Library(t)
	o := driver.Options{Options: option.Options{Level: 3, Threads: 2}, Compiler: codegen.New(lib), Launch: map[string]string{}}
	for name := range h.Fields {
		o.Launch[name] = name // if its extents are read at launch
	}
	for _, k := range program.Kernels {
		u, err := driver.Prepare(&program.Program, k.Name, c.lay, o)
		titest.Must(t, err)
		c.of[k.Name], err = u.Describe()
		titest.Must(t, err)
	}
}

// launches is launches of kernels.
func (c *compiled) launches(order []string) (all []graph.Launch) {
	for i, name := range order {
		l := graph.Launch{Kernel: c.of[name], Number: uint64(i + 1)}
		for _, f := range l.Kernel.Fields {
			l.Fields = append(l.Fields, c.storage(f.Name))
		}
		all = append(all, l)
	}
	return all
}

// storage is where a field lies.
func (c *compiled) storage(name string) (s graph.Storage) {
	f := c.lay[name].Field
	if name != "B" {
		if c.memory[f] == nil {
			c.memory[f] = &graph.Memory{Name: name, Comps: len(f.Elem.Comps)}
		}
		s.Memory = c.memory[f]
	}
	for n := f.LeadNode(0); n != nil; n = n.Parent() {
		if n.Kind() != layout.Pointer {
			continue
		}
		tree := n.Tree().ID()
		if c.trees[tree] == nil {
			c.trees[tree] = &graph.Tree{Name: "B"}
		}
		if c.nodes[n] == nil {
			c.nodes[n] = &graph.Node{Name: "B", Tree: c.trees[tree]}
		}
		s.Nodes, s.Cells = []*graph.Node{c.nodes[n]}, c.nodes[n]
	}
	return s
}

// A host has the fields, and the kernels.
type host struct {
	x, y, z, s, p, q ti.Field[int32]
	d                ti.Field[ti.IVec2]
	b                *ti.Node
	kernels          map[string]*ti.Kernel
}

func newHost(t *testing.T) *host {
	rt := titest.New(t, ti.Config{Arch: ti.Oracle})
	h := &host{kernels: map[string]*ti.Kernel{}}
	rt.Place(ti.Shape{16}, &h.x, &h.y, &h.z, &h.d)
	rt.Place(nil, &h.s)
	h.b = rt.NewTree().Pointer(ti.I, 4)
	h.b.Dense(ti.I, 4).Place(&h.p, &h.q)
	for source, b := range map[string]ti.Bindings{
		kernels: {"X": &h.x, "Y": &h.y, "Z": &h.z, "S": &h.s, "D": &h.d, "P": &h.p, "Q": &h.q, "B": h.b},
		renamed: {"A": &h.x, "Z": &h.z},
	} {
		p, err := rt.Compile(ti.Text("p.ti", source), b)
		titest.Must(t, err)
		for _, k := range p.Kernels() {
			h.kernels[k.Name()] = k
		}
	}
	return h
}

// run launches kernels one after the other, on fields as they always are at first, and returns what is left in them.
func (h *host) run(t *testing.T, order []string) string {
	t.Helper()
	for i := range 16 {
		h.x.Set(int32(i*i), i)
		h.y.Set(int32(100-i), i)
		h.z.Set(int32(7*i), i)
		h.d.Set(ti.IVec2{int32(i), int32(-i)}, i)
	}
	h.s.Set(4)
	h.b.Clear()
	h.p.Set(11, 13)
	for _, name := range order {
		if _, err := h.kernels[name].Launch(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	text := fmt.Sprintln(h.x.Values(), h.y.Values(), h.z.Values(), h.d.Values(), h.s.At(), slices.Collect(h.b.Cells()))
	for i := range 16 {
		text += fmt.Sprint(h.p.At(i), h.q.At(i), " ")
	}
	return text
}

// TestKernels: launches of real kernels leave the same values in each order that the graph allows, and without those that are dead.
func TestKernels(t *testing.T) {
	c, h := compile(t, false), newHost(t)
	all := names()
	moved, dead := 0, 0
	for seed := range uint64(randtest.Usual(uint(150))) {
		r := rand.New(rand.NewPCG(seed, 8))
		var order []string
		for range 3 + r.IntN(12) {
			order = append(order, all[r.IntN(len(all))])
		}
		g := graph.New(c.launches(order), nil)
		want := h.run(t, order)
		var other, left []string
		changed := launchOrder(r, g)
		for _, n := range changed {
			other = append(other, order[n])
		}
		if !slices.IsSorted(changed) {
			moved++
		}
		if got := h.run(t, other); got != want {
			t.Fatalf("seed %d: %q leaves\n%s\nbut %q leaves\n%s", seed, order, want, other, got)
		}
		gone := g.DeadLaunches()
		dead += len(gone)
		for n, name := range order {
			if !slices.ContainsFunc(gone, func(r graph.Removal) bool { return r.Launch == n }) {
				left = append(left, name)
			}
		}
		if got := h.run(t, left); got != want {
			t.Fatalf("seed %d: %q leaves\n%s\nbut without the dead ones %q leaves\n%s", seed, order, want, left, got)
		}
	}
	if moved < 100 || dead < 50 {
		t.Errorf("%d launches are dead, and %d orders are not those of the program: the test finds nothing", dead, moved)
	}
	t.Logf("%d launches are dead, and %d orders are not those of the program", dead, moved)
}

// TestKernelEdges: the graph of real kernels, and which of them are dead.
func TestKernelEdges(t *testing.T) {
	c := compile(t, false)
	for _, k := range []struct{ launches, edges, dead string }{
		{"Number Copy", "Number>Copy flow X", ""},
		{"Number Other", "Number>Other output X", "Number"},
		{"Zero Copy", "Zero>Copy output Y", "Zero"},
		{"Copy Zero Smooth", "Copy>Zero output Y, Zero>Smooth flow Y", "Copy"},
		{"First Second", "First>Second flow D.0", ""},
		{"First Second Both", "First>Second flow D.0, First>Both output D.0, Second>Both anti D.0, Second>Both output D.1", "First Second"},
		{"Over Count", "Over>Count1 flow Q, Count>Count1 flow+output frame 0, Count1>Count2 flow+output frame 0", ""},
		{"Grow Over", "Grow>Over flow+output P, Grow>Over flow mask of B, Grow>Over flow lists of B", ""},
		{"Over Drop", "Over>Drop anti mask of B, Over>Drop anti lists of B, Over>Drop anti cells of B", ""},
	} {
		g := graph.New(c.launches(strings.Fields(k.launches)), nil)
		if got := strings.Join(edgesOf(g), ", "); got != k.edges {
			t.Errorf("%s: the edges are %s", k.launches, got)
		}
		if got := removed(g, g.DeadLaunches()); got != k.dead {
			t.Errorf("%s: %q is dead, want %q", k.launches, got, k.dead)
		}
	}
}

// TestExtentsAtLaunch: kernels whose extents are read at launch have ranges that are not too long.
func TestExtentsAtLaunch(t *testing.T) {
	c := compile(t, true)
	if k := c.of["Zero"]; k.Tasks[0].Dims[0].Hi.From != launch.Arg {
		t.Fatalf("the range of Zero is %+v", k.Tasks[0].Dims)
	}
	g := graph.New(c.launches([]string{"Zero", "Second", "Zero", "Second"}), nil)
	for n, s := range g.Segments {
		if s.Keep != "" {
			t.Errorf("%s is kept since %s", g.Name(n), s.Keep)
		}
	}
	if got := removed(g, g.DeadLaunches()); got != "Zero Second" {
		t.Errorf("%q is dead", got)
	}
}
