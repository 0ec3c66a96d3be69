package store_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/randtest"
	"github.com/gotaichi/ti/internal/titest"
)

// pebble is an element with members that may be placed by themselves.
type pebble struct {
	Mass float32
	At   ti.Vec2
}

// TestPlacedTwice places fields, members and adjoints twice, in different trees and by different calls. Load reports it, as do
// the methods of the field.
func TestPlacedTwice(t *testing.T) {
	type host struct{ P ti.Field[pebble] }
	packed := func(rt *ti.Runtime, f ti.AnyField) {
		rt.NewTree().Dense(ti.I, 4).BitStruct(32).Place(f, ti.QuantFixed(20, 8))
	}
	for name, place := range map[string]func(rt *ti.Runtime, p *ti.Field[pebble]){
		"Place and Place": func(rt *ti.Runtime, p *ti.Field[pebble]) {
			rt.Place(ti.Shape{4}, p)
			rt.Place(ti.Shape{4}, p)
		},
		"one Place": func(rt *ti.Runtime, p *ti.Field[pebble]) { rt.Place(ti.Shape{4}, p, p) },
		"trees": func(rt *ti.Runtime, p *ti.Field[pebble]) {
			rt.NewTree().Dense(ti.I, 4).Place(p)
			rt.NewTree().Pointer(ti.I, 4).Place(p)
		},
		"one tree": func(rt *ti.Runtime, p *ti.Field[pebble]) {
			tree := rt.NewTree()
			tree.Dense(ti.I, 4).Place(p)
			tree.Dense(ti.I, 4).Place(p)
		},
		"a member behind the whole": func(rt *ti.Runtime, p *ti.Field[pebble]) {
			rt.Place(ti.Shape{4}, p)
			rt.Place(ti.Shape{4}, ti.Member[float32](p, "Mass"))
		},
		"a member and again": func(rt *ti.Runtime, p *ti.Field[pebble]) {
			rt.Place(ti.Shape{4}, ti.Member[float32](p, "At[1]"))
			rt.NewTree().Dense(ti.I, 4).Place(p)
			rt.NewTree().Dense(ti.I, 4).Place(ti.Member[float32](p, "At[1]"))
		},
		"the whole behind all members": func(rt *ti.Runtime, p *ti.Field[pebble]) {
			rt.Place(ti.Shape{4}, ti.Members(p)...)
			rt.Place(ti.Shape{4}, p)
		},
		"a word": func(rt *ti.Runtime, p *ti.Field[pebble]) {
			rt.Place(ti.Shape{4}, p)
			packed(rt, ti.Member[float32](p, "Mass"))
		},
		"a shared word": func(rt *ti.Runtime, p *ti.Field[pebble]) {
			rt.Place(ti.Shape{4}, p)
			rt.NewTree().Dense(ti.I, 4).BitStruct(32).PlaceShared(ti.QuantFloat(5, 9), ti.Member[ti.Vec2](p, "At"))
		},
		"an adjoint": func(rt *ti.Runtime, p *ti.Field[pebble]) {
			rt.Place(ti.Shape{4}, ti.WithGrad(p)...)
			rt.Place(ti.Shape{4}, p.Grad())
		},
		"a field in use": func(rt *ti.Runtime, p *ti.Field[pebble]) {
			rt.Place(ti.Shape{4}, p)
			p.Set(pebble{Mass: 1}, 2)
			rt.Place(ti.Shape{4}, p)
		},
	} {
		t.Run(name, func(t *testing.T) {
			rt := titest.New(t, ti.Config{})
			var h host
			place(rt, &h.P)
			err := rt.Load("package p\n\ntype pebble struct {\n\tMass f32\n\tAt vec2\n}\n\nvar P field[pebble]\n\nfunc K() {\n\tfor i := range P {\n\t\tP[i].Mass = 1\n\t}\n}", &h)
			if err == nil || !strings.Contains(err.Error(), "placed already") || !strings.Contains(err.Error(), "TI0804") || !errors.Is(err, ti.ErrLayout) || !strings.Contains(err.Error(), "placing_test.go:") {
				t.Errorf("Load: %v", err)
			}
			if name == "an adjoint" { // the field itself is what it was
				return
			}
			defer func() {
				if r := recover(); r == nil {
					t.Error("the field is used all the same")
				}
			}()
			h.P.At(0)
		})
	}
}

// TestChangedAfterUse changes trees that are in use. The next Load reports what came to nothing.
func TestChangedAfterUse(t *testing.T) {
	for name, change := range map[string]func(tree *ti.Tree, n *ti.Node){
		"Morton": func(_ *ti.Tree, n *ti.Node) { n.Morton() },
		"Origin": func(tree *ti.Tree, _ *ti.Node) { tree.Origin(ti.I, -2) },
		"Dense":  func(tree *ti.Tree, _ *ti.Node) { tree.Dense(ti.I, 4) },
		"Place":  func(_ *ti.Tree, n *ti.Node) { n.Place(new(ti.Field[float32])) },
	} {
		t.Run(name, func(t *testing.T) {
			rt := titest.New(t, ti.Config{})
			var h struct{ X ti.Field[float32] }
			tree := rt.NewTree()
			n := tree.Dense(ti.I, 4).Place(&h.X)
			h.X.Set(1, 2)
			change(tree, n)
			if err := rt.Load("package p\n\nvar X field[f32, D1]\n\nfunc K() {\n\tX[1] = 2\n}", &h); err == nil || !strings.Contains(err.Error(), "TI0806") {
				t.Errorf("Load: %v", err)
			}
		})
	}
}

// TestNilPlaced places nothing: no tree that a program sees has the mistake, and Load does.
func TestNilPlaced(t *testing.T) {
	rt := titest.New(t, ti.Config{})
	rt.Place(ti.Shape{4}, nil)
	if err := rt.Load("package p\n\nfunc K() {}", nil); err == nil || !strings.Contains(err.Error(), "a nil field cannot be placed") {
		t.Errorf("Load: %v", err)
	}
}

// TestInactiveMembers has the first member of a field in a sparse node of each kind, and another one somewhere else. Once an
// element is inactive both are zero, and they still are when it is active again.
func TestInactiveMembers(t *testing.T) {
	type cell struct {
		Grains, Mark int32
	}
	others := map[string]func(tree *ti.Tree) *ti.Node{
		"dense":     func(tree *ti.Tree) *ti.Node { return tree.Dense(ti.I, 16) },
		"pointer":   func(tree *ti.Tree) *ti.Node { return tree.Pointer(ti.I, 4).Dense(ti.I, 4) },
		"bitmasked": func(tree *ti.Tree) *ti.Node { return tree.Bitmasked(ti.I, 16) },
		"hash":      func(tree *ti.Tree) *ti.Node { return tree.Hash(ti.I, 2).Pointer(ti.I, 8) },
	}
	firsts := map[string]func(tree *ti.Tree) (block, leaf *ti.Node){"pointer": func(tree *ti.Tree) (block, leaf *ti.Node) {
		block = tree.Pointer(ti.I, 4)
		return block, block.Dense(ti.I, 4)
	}, "bitmasked": func(tree *ti.Tree) (block, leaf *ti.Node) {
		block = tree.Bitmasked(ti.I, 16)
		return block, block
	}, "hash": func(tree *ti.Tree) (block, leaf *ti.Node) {
		block = tree.Hash(ti.I, 8)
		return block, block.Bitmasked(ti.I, 2)
	}}
	for first, grow := range firsts {
		for other, beside := range others {
			for _, packed := range []bool{false, true} {
				if !randtest.Share(fmt.Sprint(first, other, packed)) {
					continue
				}
				onBoth(t, func(t *testing.T, rt *ti.Runtime) string {
					var h struct {
						S     ti.Field[cell]
						Block *ti.Node
						Put   func()
						Drop  func()
						Again func()
						Count func() int32
					}
					block, leaf := grow(rt.NewTree())
					h.Block = block
					leaf.Place(ti.Member[int32](&h.S, "Grains"))
					if at := beside(rt.NewTree()); packed {
						at.BitStruct(32).Place(ti.Member[int32](&h.S, "Mark"), ti.QuantInt(10))
					} else {
						at.Place(ti.Member[int32](&h.S, "Mark"))
					}
					if err := rt.Load(`package p

type cell struct {
	Grains, Mark i32
}

var (
	S     field[cell, D1]
	Block node
)

func Put() {
	for i := range 16 {
		S[i].Mark = 7
	}
}

func Drop() {
	for b := range Block {
		deactivate(Block, b)
	}
}

func Again() {
	S[5].Grains = 1
}

func Count() (n i32) {
	for i := range S {
		n += S[i].Mark
	}
	return
}`, &h); err != nil {
						t.Fatal(err)
					}
					name := first + " and " + other
					h.Put()
					if n := h.Count(); n != 16*7 || h.S.At(5) != (cell{0, 7}) {
						t.Errorf("%s: what was written is %d, and %v", name, n, h.S.At(5))
					}
					for _, drop := range []func(){h.Drop, h.Block.Clear} {
						drop()
						if n := h.Count(); n != 0 || h.S.At(5) != (cell{}) {
							t.Errorf("%s: inactive elements are %d, and %v", name, n, h.S.At(5))
						}
						h.Again()
						if got := h.S.At(5); got != (cell{1, 0}) || h.Count() != 0 {
							t.Errorf("%s: an element that is active again is %v", name, got)
						}
						h.Put()
					}
					return ""
				})
			}
		}
	}
}
