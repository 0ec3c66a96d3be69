package store_test

import (
	"fmt"
	"testing"

	"github.com/gotaichi/ti"
)

// A drop is an element of which the first member lies in a list, and the others lie elsewhere.
type drop struct {
	A int32
	B float32
	C bool
	D int64
	E ti.Float16
	F int32 // packed
}

const dropSource = `
package drops

var L field[i32, D2]

func Empty() {
	for i := range 4 {
		clear(L[i])
	}
}

func Append() {
	for i := range 4 {
		append(L[i], 1)
	}
}

func Again() {
	for i := range 4 {
		clear(L[i])
		append(L[i], 1)
	}
}

func EmptyAny(x field[i32]) {
	for i := range 4 {
		clear(x[i])
	}
}
`

const knownSource = `
var B field[f32, D2]

// Known has a member of what becomes zero, and reads it again.
func Known() (sum f32) {
	for i := range serial(4) {
		B[i][0] += 3
		clear(L[i])
		append(L[i], 1)
		sum += B[i][0]
	}
	return
}
`

// A list that a kernel empties by one field is empty for another one, whose members lie elsewhere, though the kernel does
// not know it. That field may be used for the first time after the kernel was made, and its trees may be closed.
func TestListEmptiedByAnotherField(t *testing.T) {
	cache := t.TempDir()
	for _, arch := range []ti.Arch{ti.Oracle, ti.LLVM, ti.LLVM} { // the third time code comes from the cache
		for _, used := range []bool{true, false} {
			t.Run(fmt.Sprint(arch, used), func(t *testing.T) { emptyLists(t, arch, used, cache) })
		}
	}
}

func emptyLists(t *testing.T, arch ti.Arch, used bool, cache string) {
	rt, err := ti.New(ti.Config{Arch: arch, Cache: ti.Cache{Dir: cache}})
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close()
	var s ti.Field[drop]
	var l ti.Field[int32]
	m := ti.Members(&s)
	rt.NewTree().Pointer(ti.I, 4).Dynamic(ti.J, 8).Place(m[0], &l)
	dense := rt.NewTree()
	dense.Dense(ti.IJ, 4, 8).Place(m[1], m[2])
	sparse := rt.NewTree()
	sparse.Pointer(ti.I, 4).Dense(ti.J, 8).Place(m[3], m[4]).BitStruct(16).Place(m[5], ti.QuantInt(9))
	full := drop{1, 2, true, 3, ti.ToFloat16(4), 5}
	fill := func() {
		for i := range 4 {
			for j := range 3 {
				s.Set(full, i, j)
			}
		}
	}
	source, bindings := dropSource, ti.Bindings{"L": &l}
	if used {
		fill()
		source += knownSource
		bindings["B"] = ti.Member[float32](&s, "B")
	}
	p, err := rt.Compile(ti.Text("drops.ti", source), bindings)
	if err != nil {
		t.Fatal(err)
	}
	launch := func(name string, args ...any) any {
		t.Helper()
		r, err := p.Kernel(name).Launch(t.Context(), args...)
		if err != nil {
			t.Fatal(err)
		}
		if len(r) > 0 {
			return r[0]
		}
		return nil
	}
	want := func(name string, j int, want drop) {
		t.Helper()
		for i := range 4 {
			if got := s.At(i, j); got != want {
				t.Errorf("after %s, element %d of list %d is %v, not %v", name, j, i, got, want)
			}
		}
	}
	launch("Empty")
	launch("EmptyAny", &l)
	fill()
	launch("Empty")
	launch("Append")
	want("Empty", 0, drop{})
	want("Empty", 1, drop{})
	fill()
	launch("EmptyAny", &l)
	launch("Append")
	want("EmptyAny", 0, drop{})
	fill()
	launch("Again")
	launch("Append")
	want("Again", 0, drop{})
	want("Again", 1, drop{})
	if used {
		fill()
		if sum := launch("Known"); sum != float32(0) {
			t.Errorf("members are still there, their sum is %v", sum)
		}
		want("Known", 0, drop{})
	}
	if err := sparse.Close(); err != nil {
		t.Fatal(err)
	}
	launch("Append")
	b := ti.Member[float32](&s, "B")
	b.Set(7, 0, 0)
	launch("Again")
	if got := b.At(0, 0); got != 0 {
		t.Errorf("without one of the trees, it is %v", got)
	}
	if err := dense.Close(); err != nil {
		t.Fatal(err)
	}
	launch("EmptyAny", &l)
	if _, err := p.Kernel("Empty").Launch(t.Context()); err != nil {
		t.Error(err)
	}
}
