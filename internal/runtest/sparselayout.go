//go:build !ti_ahead

package runtest

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"

	"github.com/gotaichi/ti"
)

// sparseVariants lists the ways to run a case with its fields in sparse trees: each
// layout optimised and not, and the choices of threads and checks spread over them.
func sparseVariants() []Variant {
	layouts := []string{Pointers: "pointers", Bitmasked: "bitmasked", NestedPointers: "nested", Hashed: "hashed"}
	var all []Variant
	for i, k := range []Layout{Pointers, Bitmasked, NestedPointers, Hashed} {
		name := layouts[k]
		if i >= 2 {
			all = append(all, Variant{Label: "oracle/" + name, Arch: ti.Oracle, Threads: 1, Layout: k})
		}
		for o, opt := range []string{"0", "3"} {
			v := Variant{Arch: ti.LLVM, Opt: opt, Threads: 1 + 2*((i+o)%2), Unchecked: (i/2+o)%2 == 0, Layout: k}
			v.Label = fmt.Sprintf("llvm-O%s/%d/%s", opt, v.Threads, name)
			if v.Unchecked {
				v.Label += "/unchecked"
			}
			all = append(all, v)
		}
	}
	return all
}

// fewSparse are those of sparseVariants that cover each layout and each level.
func fewSparse() []Variant {
	return slices.DeleteFunc(sparseVariants(), func(v Variant) bool {
		even := (v.Layout-Pointers)%2 == 0
		return v.Layout != Hashed && v.Arch == ti.Oracle || v.Opt == "0" && even || v.Opt == "3" && !even
	})
}

// placeSparse places fields of one shape in trees with nodes that are not dense. When a
// source is loaded that uses them, all elements are made active, so that they behave as
// dense ones.
func (r *Run) placeSparse(tree func() *ti.Tree, origin []int, shape ti.Shape, fields []ti.AnyField) {
	r.Helper()
	if len(shape) == 0 {
		for _, f := range fields {
			tree().Place(f)
		}
		return
	}
	ax := Axes(len(shape))
	outer, inner := make([]int, len(shape)), make([]int, len(shape))
	for i, n := range shape {
		inner[i] = block(n)
		if origin != nil && origin[i]%inner[i] != 0 {
			inner[i] = 1 // cells have indices only if the lowest is one of theirs
		}
		outer[i] = n / inner[i]
	}
	switch r.Layout {
	case Pointers:
		tree().Pointer(ax, outer...).Dense(ax, inner...).Place(fields...)
	case Bitmasked:
		t := tree()
		for _, f := range fields {
			t.Bitmasked(ax, shape...).Place(f)
		}
	case NestedPointers:
		for _, f := range fields {
			parts := []ti.AnyField{f}
			if k := f.Elem().Kind(); k == reflect.Array || k == reflect.Struct {
				parts = ti.Members(f)
			}
			middle := make([]int, len(shape))
			for i, n := range outer {
				middle[i] = block(n)
				if origin != nil && origin[i] != 0 {
					middle[i] = 1
				}
				outer[i] = n / middle[i]
			}
			for _, m := range parts {
				tree().Pointer(ax, outer...).Pointer(ax, middle...).Dense(ax, inner...).Place(m)
			}
			for i := range outer {
				outer[i] *= middle[i]
			}
		}
	case Hashed:
		tree().Hash(ax, outer...).Dense(ax, inner...).Place(fields...)
	}
	r.Asleep = append(r.Asleep, fields...)
}

// wake makes all elements of a field active, and zero: what is written there first is
// not zero.
func (r *Run) wake(f ti.AnyField) {
	r.Helper()
	var all bytes.Buffer
	n, err := f.WriteTo(&all)
	if err == nil {
		_, err = f.ReadFrom(bytes.NewReader(bytes.Repeat([]byte{1}, int(n))))
	}
	if err == nil {
		_, err = f.ReadFrom(&all)
	}
	if err != nil {
		r.Fatal(err)
	}
}
