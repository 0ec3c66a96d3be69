//go:build !ti_ahead

package runtest

import (
	"reflect"

	"github.com/gotaichi/ti"
)

// Axes returns the first n axes.
func Axes(n int) ti.Axes { return ti.Axes("ijklmnop"[:n]) }

// Place lays out fields of one shape as the variant says.
func (r *Run) Place(shape ti.Shape, fields ...ti.AnyField) {
	r.PlaceAt(nil, shape, fields...)
}

// PlaceAt is [Run.Place] with the lowest index along each axis.
func (r *Run) PlaceAt(origin []int, shape ti.Shape, fields ...ti.AnyField) {
	r.Helper()
	tree := func() *ti.Tree {
		t := r.RT.NewTree()
		if len(shape) > 0 && origin != nil {
			t.Origin(Axes(len(shape)), origin...)
		}
		r.Trees = append(r.Trees, t)
		return t
	}
	dense := func(n *ti.Node, sizes []int) *ti.Node {
		if len(sizes) == 0 {
			return n
		}
		return n.Dense(Axes(len(sizes)), sizes...)
	}
	if r.Layout.Sparse() {
		r.placeSparse(tree, origin, shape, fields)
		return
	}
	switch r.Layout {
	case Flat:
		for _, f := range fields {
			dense(&tree().Node, shape).Place(f)
		}
	case Blocked, BlockedAtLaunch:
		outer, inner := make([]int, len(shape)), make([]int, len(shape))
		for i, n := range shape {
			inner[i] = block(n)
			outer[i] = n / inner[i]
		}
		dense(dense(&tree().Node, outer), inner).Place(fields...)
	case SOA, AtLaunch, Packed:
		t := tree()
		for _, f := range fields {
			parts := []ti.AnyField{f}
			if k := f.Elem().Kind(); k == reflect.Array || k == reflect.Struct {
				parts = ti.Members(f)
			}
			for _, m := range parts {
				place(dense(&t.Node, shape), m, r.Layout == Packed)
			}
		}
	}
}

// place places a component, in a word if it is to be packed and has a form that keeps it.
func place(n *ti.Node, f ti.AnyField, packed bool) {
	k := f.Elem().Kind()
	var format ti.Quant
	bits := 0
	switch {
	case !packed:
	case k == reflect.Float32:
		bits, format = 32, ti.QuantFloat(8, 24)
	case k >= reflect.Int8 && k <= reflect.Int64:
		bits = f.Elem().Bits()
		format = ti.QuantInt(bits).Wrap()
	case k >= reflect.Uint8 && k <= reflect.Uint64:
		bits = f.Elem().Bits()
		format = ti.QuantInt(bits).Unsigned().Wrap()
	}
	if bits == 0 || f.Elem().Name() == "Float16" {
		n.Place(f)
		return
	}
	n.BitStruct(bits).Place(f, format)
}

// block returns the size of blocks along an axis of extent n.
func block(n int) int {
	for _, b := range []int{4, 3, 2, 5} {
		if n%b == 0 && n > b {
			return b
		}
	}
	return 1
}
