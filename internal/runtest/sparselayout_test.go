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
func sparseVariants() []variant {
	layouts := []string{pointers: "pointers", bitmasked: "bitmasked", nestedPointers: "nested", hashed: "hashed"}
	var all []variant
	for i, k := range []layoutKind{pointers, bitmasked, nestedPointers, hashed} {
		name := layouts[k]
		if i >= 2 {
			all = append(all, variant{name: "oracle/" + name, arch: ti.Oracle, threads: 1, layout: k})
		}
		for o, opt := range []string{"0", "3"} {
			v := variant{arch: ti.LLVM, opt: opt, threads: 1 + 2*((i+o)%2), unchecked: (i/2+o)%2 == 0, layout: k}
			v.name = fmt.Sprintf("llvm-O%s/%d/%s", opt, v.threads, name)
			if v.unchecked {
				v.name += "/unchecked"
			}
			all = append(all, v)
		}
	}
	return all
}

// fewSparse are those of sparseVariants that cover each layout and each level.
func fewSparse() []variant {
	return slices.DeleteFunc(sparseVariants(), func(v variant) bool {
		even := (v.layout-pointers)%2 == 0
		return v.layout != hashed && v.arch == ti.Oracle || v.opt == "0" && even || v.opt == "3" && !even
	})
}

// takeTurns leaves case i a third of the variants with sparse layouts, those that come
// after the ones of the case before; all with -variants.
func takeTurns(all []variant, i int) []variant {
	if allVariants() {
		return all
	}
	k := 0
	return slices.DeleteFunc(slices.Clone(all), func(v variant) bool {
		if !v.layout.sparse() {
			return false
		}
		k++
		return (k+i)%3 != 0
	})
}

// placeSparse places fields of one shape in trees with nodes that are not dense. When a
// source is loaded that uses them, all elements are made active, so that they behave as
// dense ones.
func (r *run) placeSparse(tree func() *ti.Tree, origin []int, shape ti.Shape, fields []ti.AnyField) {
	r.Helper()
	if len(shape) == 0 {
		for _, f := range fields {
			tree().Place(f)
		}
		return
	}
	ax := axes(len(shape))
	outer, inner := make([]int, len(shape)), make([]int, len(shape))
	for i, n := range shape {
		inner[i] = block(n)
		if origin != nil && origin[i]%inner[i] != 0 {
			inner[i] = 1 // cells have indices only if the lowest is one of theirs
		}
		outer[i] = n / inner[i]
	}
	switch r.layout {
	case pointers:
		tree().Pointer(ax, outer...).Dense(ax, inner...).Place(fields...)
	case bitmasked:
		t := tree()
		for _, f := range fields {
			t.Bitmasked(ax, shape...).Place(f)
		}
	case nestedPointers:
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
	case hashed:
		tree().Hash(ax, outer...).Dense(ax, inner...).Place(fields...)
	}
	r.asleep = append(r.asleep, fields...)
}

// wake makes all elements of a field active, and zero: what is written there first is
// not zero.
func (r *run) wake(f ti.AnyField) {
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
