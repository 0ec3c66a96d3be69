package doctest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/token"
	"strings"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/check"
	"github.com/gotaichi/ti/internal/document"
	"github.com/gotaichi/ti/internal/syntax"
)

// sourceName is what sources are called in messages.
const sourceName = "doc.ti"

// testKernel compiles and runs a block, and says where what it does differs from
// what the document says.
func testKernel(b *document.Block) error {
	want := ""
	if b.Below != nil {
		want = b.Below.Text
	}
	for _, arch := range []ti.Arch{ti.Oracle, ti.LLVM} {
		got, err := runKernel(b, arch, wants(want))
		if err != nil {
			return fmt.Errorf("%v: %w", b, err)
		}
		if got != want {
			return fmt.Errorf("%v: on %v it gives\n%s\nthe document says\n%s", b, arch, got, want)
		}
	}
	return nil
}

// A form is how errors of the compiler are written in a document.
type errorText struct{ whole, help bool }

// wants finds out in which form a document shows errors.
func wants(text string) errorText {
	return errorText{
		whole: strings.HasPrefix(text, sourceName+":"),
		help:  strings.Contains(text, "\nhelp: "),
	}
}

// errors writes errors of the compiler as a document shows them.
func (f errorText) errors(list ti.SourceErrors) string {
	if f.whole {
		return list.Error() + "\n"
	}
	var b strings.Builder
	for _, e := range list {
		fmt.Fprintf(&b, "error %v: %s\n", e.Code, e.Msg)
		if f.help && e.Help != "" {
			fmt.Fprintf(&b, "help: %s\n", e.Help)
		}
	}
	return b.String()
}

// runKernel returns what a block prints, or the errors in it. Its own error is of
// the block's directive, or of the machine.
func runKernel(b *document.Block, arch ti.Arch, f errorText) (string, error) {
	var out bytes.Buffer
	cfg := ti.Config{Arch: arch, Threads: 3, Stdout: &out}
	binds, trees, err := configure(b, &cfg)
	if err != nil {
		return "", err
	}
	text := b.Source()
	parsed, errs := syntax.Parse(sourceName, text, token.Position{})
	if len(errs) > 0 {
		return f.errors(errs), nil
	}
	rt, err := ti.New(cfg)
	if err != nil {
		return "", err
	}
	defer rt.Close()
	pkg, errs := check.Declare([]*syntax.File{parsed})
	host := ti.Bindings{}
	if len(errs) == 0 {
		if host, err = bindAll(rt, pkg, binds, trees); err != nil {
			return "", err
		}
	}
	prog, err := rt.Compile(ti.Text(sourceName, text), host)
	if list := (ti.SourceErrors)(nil); errors.As(err, &list) {
		return f.errors(list), nil
	} else if err != nil {
		return "", err
	}
	return launch(prog, pkg, &out, f)
}

// launch runs the kernel that a document means.
func launch(prog *ti.Program, pkg *check.Package, out *bytes.Buffer, f errorText) (string, error) {
	name := ""
	for _, k := range pkg.Kernels {
		if k.Name == "Main" || len(pkg.Kernels) == 1 && len(k.Params) == 0 {
			name = k.Name
		}
	}
	if name == "" {
		return out.String(), nil
	}
	results, err := prog.Kernel(name).Launch(context.Background())
	for _, r := range results {
		fmt.Fprintln(out, r)
	}
	var list ti.SourceErrors
	var fail *ti.RuntimeError
	switch {
	case errors.As(err, &list):
		out.WriteString(f.errors(list))
	case errors.As(err, &fail) && f.whole:
		fmt.Fprintln(out, fail)
	case errors.As(err, &fail):
		fmt.Fprintln(out, "error:", fail.Msg)
	case err != nil:
		fmt.Fprintln(out, "error:", err)
	}
	return out.String(), nil
}
