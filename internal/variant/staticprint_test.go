package variant_test

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
)

// TestStaticPrint prints when a source is loaded, when a template is first launched with
// other arguments, and again for other values of constants.
func TestStaticPrint(t *testing.T) {
	var out bytes.Buffer
	rt, err := ti.New(ti.Config{Arch: ti.Oracle, Stdout: &out})
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close()
	var h struct {
		N    int32
		X    ti.Field[float32]
		Run  func() error
		Copy func(dst, src ti.AnyField) error
	}
	h.N = 3
	rt.Place(ti.Shape{4}, &h.X)
	if err := rt.Load(`package p
var N i32
var X field[f32]
func Run() {
	staticPrint("N is", N)
	staticPrint(X, X.dtype == f32)
	for i := range X { X[i] = f32(N) }
}
func Copy(dst, src template) {
	staticPrint("copy", dst.dtype, src.dtype)
	for i := range dst { dst[i] = dst.dtype(src[i]) }
}`, &h); err != nil {
		t.Fatal(err)
	}
	place := regexp.MustCompile(`(?m)^\S*staticprint_test.go:\d+:\d+: `)
	expect := func(want string) {
		t.Helper()
		if got := place.ReplaceAllString(out.String(), "at "); got != strings.ReplaceAll(want, "|", "\n") {
			t.Errorf("printed %q, want %q", got, want)
		}
		out.Reset()
	}
	expect("at N is 3|at field[f32, D1] true|")
	ints := ti.NewField[int32](rt, 4)
	for range 2 {
		if err := h.Copy(&h.X, ints); err != nil {
			t.Fatal(err)
		}
	}
	expect("at copy f32 i32|")
	if err := h.Run(); err != nil {
		t.Fatal(err)
	}
	expect("")
	h.N = 5
	if err := h.Run(); err != nil {
		t.Fatal(err)
	}
	expect("at N is 5|")
}
