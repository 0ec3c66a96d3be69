package driver

import (
	"errors"
	"fmt"
	"go/token"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/check"
	codegen "github.com/gotaichi/ti/internal/codegen/llvm"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/target"
)

// prepare lowers kernel F of a source.
func prepare(t *testing.T, text string) (*Unit, error) {
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
	return Prepare(&prog.Program, "F", nil, Options{Options: option.Options{Level: 3}, Compiler: codegen.New(nil)})
}

// generate compiles kernel F of a source to text for LLVM.
func generate(t *testing.T, text string) error {
	t.Helper()
	u, err := prepare(t, text)
	if err != nil {
		return err
	}
	_, err = u.begin().translate()
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
		{"arrays that fit", locals(47), 0, 0, ""},
		{"arrays", locals(49), syntax.LocalsTooLarge, 3, "need 25690912 bytes, and a thread has 25165824 for them; the largest is a0, of 524288"},
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
			wantError(t, err, c.code, c.line, c.says)
		})
	}
}

// TestLateBudget meets the limits that show only once there is code: the bytes of LLVM
// IR, and the stack of a task.
func TestLateBudget(t *testing.T) {
	const text = "func F(n i32) (s i32) {\n\tfor i := range n {\n\t\ts += i * i\n\t}\n\treturn s\n}"
	u, err := prepare(t, text)
	if err != nil {
		t.Fatal(err)
	}
	u.maxText = 1000
	b := u.begin()
	_, err = b.translate()
	wantError(t, err, syntax.KernelTooLarge, 4, "kernel F comes to more than 1000 bytes of code for LLVM, most of them for this line: ")

	stack := &target.StackError{Task: b.k.Tasks[1], Bytes: 9 << 20, Max: 6 << 20}
	wantError(t, b.stackTooLarge(stack), syntax.LocalsTooLarge, 3, "of kernel F need 9437184 bytes of stack, and a thread has 6291456 for them")
	other := errors.New("another")
	if err := b.stackTooLarge(other); err != other {
		t.Errorf("%v, want the same error", err)
	}
}

// wantError checks that err has a code, a line and a help, and says a text.
func wantError(t *testing.T, err error, code syntax.Code, line int, says string) {
	t.Helper()
	e, ok := errors.AsType[*syntax.Error](err)
	if !ok || e.Code != code || e.Pos.Line != line || e.Line == "" || e.Help == "" || !strings.Contains(e.Msg, says) {
		t.Errorf("error %v, want %s in line %d with %q", err, code, line, says)
	}
}
