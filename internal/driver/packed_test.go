package driver_test

import (
	"go/token"
	"reflect"
	"testing"

	"github.com/gotaichi/ti/internal/check"
	"github.com/gotaichi/ti/internal/driver"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/quant"
	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

// packedSource has kernels that the two switches of packed numbers change: X, Y and Z lie in one
// word of each cell, W in words of 4 elements, V in a word of its own.
const packedSource = `package p

var X, Y, Z, W, V field[i32]

func Own() {
	for i := range X {
		X[i] += 1
	}
}

func Whole() {
	for i := range X {
		X[i], Y[i], Z[i] = i, 2*i, 3*i
	}
}

func Two() {
	for i := range X {
		X[i], Y[i] = i, 2*i
	}
}

func Shared() {
	for i := range 256 {
		X[i/4] += 1
	}
}

func Apart() {
	for i := range 256 {
		V[i*i%256] += 1
	}
}

func Unique() {
	for i := range 256 {
		X[loopUnique(i*7%256)] += 1
	}
}

func Elements() {
	for i := range W {
		W[i] = i
	}
}

func Drawn() {
	for i := range W {
		W[i] = random(i32) & 7
	}
}

func Bits() {
	for i := range 256 {
		W[i*i%256] = i
	}
}
`

// packedProgram binds packedSource.
func packedProgram(t *testing.T) (*check.Program, driver.Layout) {
	t.Helper()
	elem, err := layout.ElemOf(reflect.TypeFor[int32]())
	if err != nil {
		t.Fatal(err)
	}
	host, lay := &check.Host{Fields: map[string]check.HostField{}}, driver.Layout{}
	fields := map[string]*layout.Field{}
	for _, name := range []string{"X", "Y", "Z", "W", "V"} {
		fields[name] = layout.NewField(elem)
	}
	cells, err := layout.NewTree(0).Root().Dense("i", 256)
	if err != nil {
		t.Fatal(err)
	}
	word, err := cells.BitStruct(32)
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"X", "Y", "Z"} {
		if err := word.Place(fields[name], 0, 1, quant.Format{Class: quant.Int, Bits: 10 + i%2}); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := layout.NewTree(1).Root().Dense("i", 64)
	if err != nil {
		t.Fatal(err)
	}
	array, err := rows.BitArray(32, "i", 4)
	if err != nil {
		t.Fatal(err)
	}
	if err := array.Place(fields["W"], 0, 1, quant.Format{Class: quant.Int, Bits: 8}); err != nil {
		t.Fatal(err)
	}
	alone, err := layout.NewTree(2).Root().Dense("i", 256)
	if err != nil {
		t.Fatal(err)
	}
	single, err := alone.BitStruct(16)
	if err != nil {
		t.Fatal(err)
	}
	if err := single.Place(fields["V"], 0, 1, quant.Format{Class: quant.Int, Bits: 12}); err != nil {
		t.Fatal(err)
	}
	for name, f := range fields {
		if err := f.Ready(); err != nil {
			t.Fatal(err)
		}
		host.Fields[name] = check.HostField{Elem: typed.I32, Shape: []int{256}, Origin: []int{0}}
		lay[name] = driver.Place{Field: f}
	}
	return checked(t, "p.ti", packedSource, host), lay
}

// checked checks a source without mistakes, in a file of that name.
func checked(t *testing.T, name, source string, host *check.Host) *check.Program {
	t.Helper()
	file, errs := syntax.Parse(name, source, token.Position{})
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	pkg, errs := check.Declare([]*syntax.File{file})
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	p, errs := pkg.Check(host)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	return p
}
