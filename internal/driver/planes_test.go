package driver_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/check"
	"github.com/gotaichi/ti/internal/driver"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/typed"
)

// planeSource has loops over fields of short integers, of which even a vector of 128 bits holds more than a row of a
// block: Near goes by planes, and the others do not, each for another reason.
var planeSource = `package p

var U, V, D field[i16, D3]

func Near() {
	for p := range ndrange(span(1, 15), span(1, 15), span(1, 15)) {
		i, j, k := p
		D[p] = U[i-1][j][k] + U[i][j][k+1]
	}
}

func Others() {
	for p := range ndrange(16, 16, 16) {
		D[p] = U[p] + V[p]
	}
}

func Across() {
	for p := range ndrange(16, 16, 16) {
		i, j, k := p
		D[p] = U[j][i][k]
	}
}

func Edge() {
	for p := range ndrange(16, 16, 16) {
		i, j, k := p
		D[p] = U[i][j][k-1]
	}
}

func Written() {
	for p := range ndrange(span(1, 15), 16, 16) {
		i, j, k := p
		D[p] = D[i-1][j][k]
	}
}

func Large() {
	for p := range ndrange(16, 16, 16) {
		D[p] = ` + strings.Repeat("(U[p] + ", 300) + "U[p]" + strings.Repeat(") * U[p]", 300) + `
	}
}

func Branch() {
	for p := range ndrange(16, 16, 16) {
		if U[p] > 3 {
			D[p] = 1
		}
	}
}
`

// planeProgram places U and D in blocks of 4×4×4, and V in blocks of another shape.
func planeProgram(t *testing.T) (*check.Program, driver.Layout) {
	t.Helper()
	host, lay := &check.Host{Fields: map[string]check.HostField{}}, driver.Layout{}
	elem, err := layout.ElemOf(reflect.TypeFor[int16]())
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range []struct {
		name  string
		block int
	}{{"U", 4}, {"V", 2}, {"D", 4}} {
		field := layout.NewField(elem)
		n, err := layout.NewTree(i).Root().Dense("ijk", 16/f.block)
		if err == nil {
			n, err = n.Dense("ijk", f.block)
		}
		if err == nil {
			err = n.Place(field, 0, 1)
		}
		if err == nil {
			err = field.Ready()
		}
		if err != nil {
			t.Fatal(err)
		}
		host.Fields[f.name] = check.HostField{Elem: typed.I16, Shape: []int{16, 16, 16}, Origin: []int{0, 0, 0}}
		lay[f.name] = driver.Place{Field: field}
	}
	return plotProgram(t, planeSource, host), lay
}
