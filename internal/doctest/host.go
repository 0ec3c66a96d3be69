package doctest

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/gotaichi/ti/internal/check"
	"github.com/gotaichi/ti/internal/document"
	"github.com/gotaichi/ti/internal/syntax"
)

// prelude is what a part of a host program may use undeclared.
const prelude = `
var (
	rt     *ti.Runtime
	err    error
	ctx    = context.Background()
	source string
)
`

// packages may be used by parts without import.
var packages = map[string]string{
	"bytes": "bytes", "context": "context", "embed": "embed", "errors": "errors", "fmt": "fmt", "image": "image",
	"io": "io", "log": "log", "math": "math", "os": "os", "png": "image/png", "rand": "math/rand", "reflect": "reflect",
	"runtime": "runtime", "slices": "slices", "strings": "strings", "testing": "testing", "time": "time",
	"dist": "github.com/gotaichi/ti/dist", "gradcheck": "github.com/gotaichi/ti/gradcheck", "gui": "github.com/gotaichi/ti/gui", "picture": "github.com/gotaichi/ti/picture",
	"optim": "github.com/gotaichi/ti/optim", "quantsearch": "github.com/gotaichi/ti/quantsearch", "ti": "github.com/gotaichi/ti",
}

// testHost writes the host blocks into a module beside this one at dir, vets them, and
// runs those whose output the documents show. It returns all that is wrong.
func testHost(dir, root string, blocks []*document.Block) error {
	if err := writeModule(dir, root); err != nil {
		return err
	}
	var wrong []error
	for i, b := range blocks {
		text, err := hostSource(b)
		if err == nil {
			err = checkSources(text)
		}
		if err != nil {
			wrong = append(wrong, fmt.Errorf("%v: %w", b, err))
			continue
		}
		sub := filepath.Join(dir, folder(b, i))
		if err := os.Mkdir(sub, 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(sub, "block.go"), []byte(text), 0o644); err != nil {
			return err
		}
	}
	if len(wrong) > 0 {
		return errors.Join(wrong...)
	}
	// What follows a return in a part, and the like, is for the reader to judge.
	if out, err := goTool(dir, "vet", "-unreachable=false", "./block..."); err != nil && !strings.Contains(out, "matched no packages") {
		return fmt.Errorf("host code does not pass go vet: %w\n%s", err, out)
	}
	if slices.ContainsFunc(blocks, isWrong) {
		if out, err := goTool(dir, "vet", "-unreachable=false", "-copylocks=false", "./wrong..."); err != nil {
			return fmt.Errorf("host code does not compile: %w\n%s", err, out)
		}
	}
	return runBlocks(dir, blocks)
}

// runBlocks builds the blocks whose output the documents show, all at once, and runs them. Without
// symbols for debuggers they link in half the time.
func runBlocks(dir string, blocks []*document.Block) error {
	bin := filepath.Join(dir, "bin")
	args := []string{"build", "-ldflags=-s -w", "-o", bin + string(filepath.Separator)}
	for i, b := range blocks {
		if b.Below != nil {
			args = append(args, "./"+folder(b, i))
		}
	}
	if !slices.ContainsFunc(blocks, func(b *document.Block) bool { return b.Below != nil }) {
		return nil
	}
	if out, err := goTool(dir, args...); err != nil {
		return fmt.Errorf("host code does not build: %w\n%s", err, out)
	}
	var wrong []error
	for i, b := range blocks {
		if b.Below == nil {
			continue
		}
		program := exec.Command(filepath.Join(bin, folder(b, i)))
		program.Dir = dir
		out, err := program.CombinedOutput()
		if err != nil {
			out = fmt.Append(out, "error: ", err, "\n")
		}
		if string(out) != b.Below.Text {
			wrong = append(wrong, fmt.Errorf("%v: it prints\n%s\nthe document says\n%s", b, out, b.Below.Text))
		}
	}
	return errors.Join(wrong...)
}

// folder is the package of the block with number i.
func folder(b *document.Block, i int) string {
	if isWrong(b) {
		return "wrong" + strconv.Itoa(i)
	}
	return "block" + strconv.Itoa(i)
}

// isWrong reports whether a block is to show a mistake.
func isWrong(b *document.Block) bool {
	word, _ := b.Directive()
	return word == "wrong"
}

// goTool runs the go command without network.
func goTool(dir string, args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// writeModule writes a module that requires what the module at root requires, and
// that itself.
func writeModule(dir, root string) error {
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return err
	}
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		return err
	}
	_, rest, _ := strings.Cut(string(mod), "\n")
	rest, _, _ = strings.Cut(rest, "\ntool ")
	text := fmt.Sprintf("module doctest\n%s\nrequire github.com/gotaichi/ti v0.0.0\nreplace github.com/gotaichi/ti => %q\n", rest, root)
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(text), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "go.sum"), sum, 0o644)
}

// hostSource makes a file of a block. Messages about it have the document's lines.
func hostSource(b *document.Block) (string, error) {
	line := fmt.Sprintf("//line %s:%d\n", b.File, b.Line)
	if f, err := document.ParseGo(b.Text); err == nil && (f.Name.Name == "main" || len(f.Imports) > 0) {
		return line + b.Text, nil
	}
	decls, stmts := document.Split(b.Text)
	body := strings.Join(stmts, "\n")
	f, err := document.ParseGo("package p\nfunc _() {\n" + body + "\n}")
	if err != nil {
		return "", fmt.Errorf("it is neither declarations nor statements of Go: %w", err)
	}
	fn := f.Decls[0].(*ast.FuncDecl)
	head := "package part\n\n"
	for _, path := range imports(b, prelude, strings.Join(decls, "\n"), body) {
		head += fmt.Sprintf("import %q\n", path)
	}
	head += declared(b)
	text := head + line + strings.Join(decls, "\n")
	if body == "" {
		return text, nil
	}
	result, end := "", ""
	if returnsError(fn.Body) {
		result, end = "error ", "return nil\n"
	}
	return text + "\nfunc _() " + result + "{\n" + line + body + "\n" + uses(fn.Body) + end + "}\n", nil
}

// declared is the prelude and the variables of the block's comment.
func declared(b *document.Block) string {
	text := prelude
	word, rest := b.Directive()
	if word == "bind" {
		return text
	}
	rest, types, _ := strings.Cut(rest, "type ")
	for v := range strings.SplitSeq(rest, ";") {
		if v = strings.TrimSpace(v); v != "" {
			text += "var " + v + "\n"
		}
	}
	if name, _, _ := strings.Cut(types, " "); name != "" && !strings.Contains(b.Text, "type "+name) {
		text += "type " + types + "\n"
	}
	return text
}

// imports returns the packages that texts name, sorted.
func imports(b *document.Block, texts ...string) []string {
	var paths []string
	_, vars := b.Directive()
	f, err := document.ParseGo("package p\n" + declared(b) + texts[1] + "\nfunc _() {\n" + texts[2] + "\n}")
	if err != nil {
		return nil // reported by the compiler
	}
	ast.Inspect(f, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if x, ok := s.X.(*ast.Ident); ok && packages[x.Name] != "" && !strings.HasPrefix(vars, x.Name+" ") {
			paths = append(paths, packages[x.Name])
		}
		return true
	})
	slices.Sort(paths)
	return slices.Compact(paths)
}

// returnsError reports whether the body returns a value.
func returnsError(body *ast.BlockStmt) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		if r, ok := n.(*ast.ReturnStmt); ok && len(r.Results) > 0 {
			found = true
		}
		_, inner := n.(*ast.FuncLit)
		return !inner
	})
	return found
}

// uses is a statement that uses each variable of the outermost scope, since a part
// need not.
func uses(body *ast.BlockStmt) string {
	text := ""
	use := func(e ast.Expr) {
		if id, ok := e.(*ast.Ident); ok && id.Name != "_" {
			text += "_ = &" + id.Name + "\n"
		}
	}
	for _, s := range body.List {
		switch s := s.(type) {
		case *ast.AssignStmt:
			if s.Tok == token.DEFINE {
				for _, e := range s.Lhs {
					use(e)
				}
			}
		case *ast.DeclStmt:
			g := s.Decl.(*ast.GenDecl)
			for _, spec := range g.Specs {
				if v, ok := spec.(*ast.ValueSpec); ok && g.Tok == token.VAR {
					for _, name := range v.Names {
						use(name)
					}
				}
			}
		}
	}
	return text
}

// checkSources looks at the declarations of the kernel sources in host code.
func checkSources(text string) (err error) {
	f, err := document.ParseGo(text)
	if err != nil {
		return err
	}
	ast.Inspect(f, func(n ast.Node) bool {
		lit, ok := n.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING || lit.Value[0] != '`' {
			return true
		}
		src := strings.Trim(lit.Value, "`")
		if !strings.HasPrefix(strings.TrimSpace(src), "package ") {
			return true
		}
		parsed, errs := syntax.Parse(sourceName, src, token.Position{})
		if len(errs) == 0 {
			_, errs = check.Declare([]*syntax.File{parsed})
		}
		if len(errs) > 0 {
			err = fmt.Errorf("the kernel source in it has errors:\n%w", errs)
		}
		return true
	})
	return err
}
