package driver

import (
	"errors"
	"fmt"
	"go/token"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/check"
	"github.com/gotaichi/ti/internal/syntax"
)

// generate compiles kernel F of a source up to LLVM's door.
func generate(t *testing.T, text string) error {
	t.Helper()
	f, errs := syntax.Parse("x.ti", "package p\n"+text, token.Position{})
	if errs != nil {
		t.Fatal(errs)
	}
	p, errs := check.Declare([]*syntax.File{f})
	if errs != nil {
		t.Fatal(errs)
	}
	prog, errs := p.Check(&check.Host{})
	if errs != nil {
		t.Fatal(errs)
	}
	u, err := Prepare(prog, "F", nil, Options{Level: 3})
	if err != nil {
		return err
	}
	_, err = u.modules()
	return err
}

// TestBudget goes to the limits of a kernel and beyond.
func TestBudget(t *testing.T) {
	locals := func(n int) string {
		var b strings.Builder
		b.WriteString("func F(k i32) (r f64) {\n")
		for i := range n {
			fmt.Fprintf(&b, "var a%[1]d [65536]f64\na%[1]d[k] = f64(k)\n", i)
		}
		b.WriteString("var small [100]f64\nsmall[k] = 1\n")
		for i := range n {
			fmt.Fprintf(&b, "r += a%d[k/2]\n", i)
		}
		return b.String() + "return r + small[k/3]\n}"
	}
	products := "func F(a f32) f32 {\n\tx := a\n\tfor i := range static(%d) {\n\t\tm := [12][12]f32{}\n\t\tm[i%%12][3] = x\n\t\tx += (m * m * m)[2][i%%12] + a\n\t}\n\treturn x\n}"
	for _, c := range []struct {
		name, text string
		code       syntax.Code
		line       int
		says       string
	}{
		{"one array", locals(1), 0, 0, ""},
		{"arrays that fit", locals(7), 0, 0, ""},
		{"arrays", locals(9), syntax.LocalsTooLarge, 3, "need 4719392 bytes, and a thread has 4194304 for them; the largest is a0, of 524288"},
		{"a product", fmt.Sprintf(products, 1), 0, 0, ""},
		{"products", fmt.Sprintf(products, 100), syntax.KernelTooLarge, 7, "kernel F comes to more than 500000 operations, most of them for this line: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := generate(t, c.text)
			if c.code == 0 {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			e, ok := errors.AsType[*syntax.Error](err)
			if !ok || e.Code != c.code || e.Pos.Line != c.line || e.Line == "" || e.Help == "" || !strings.Contains(e.Msg, c.says) {
				t.Errorf("error %v, want %s in line %d with %q", err, c.code, c.line, c.says)
			}
		})
	}
}
