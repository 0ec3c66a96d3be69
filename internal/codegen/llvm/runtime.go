package llvm

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/llvm"
	"github.com/gotaichi/ti/internal/loader"
	"github.com/gotaichi/ti/internal/sparsert"
)

// Callees lists the functions of the sparse runtime that a task calls, in the order of first
// calls. They are no part of its text: each has a text of its own, see [RuntimeText].
func Callees(t *ir.Task) (all []sparsert.Function) {
	for _, b := range t.Blocks() {
		ir.Visit(b, func(o *ir.Op) bool {
			if f, ok := calleeOf(o); ok && !slices.Contains(all, f) {
				all = append(all, f)
			}
			return true
		})
	}
	return all
}

// calleeOf returns the function that an op calls, and whether it calls one.
func calleeOf(o *ir.Op) (f sparsert.Function, ok bool) {
	switch o.Code {
	case ir.OpGrow:
		return sparsert.Function{Does: sparsert.Grow}, true
	case ir.OpFind: // of a block, by coordinates, or the zero block
		return sparsert.Function{Does: sparsert.Find, Rank: len(o.Args) - 2}, true
	case ir.OpEnter:
		return sparsert.Function{Does: sparsert.Enter, Rank: len(o.Args) - 1}, true
	}
	return f, false
}

// callRuntime calls the function that belongs to an op, and returns its result.
func (f *function) callRuntime(o *ir.Op, operands ...string) string {
	callee, _ := calleeOf(o)
	fn := f.m.runtime[callee]
	if fn == nil {
		parts := callee.IR()
		fn = parts[len(parts)-1]
		f.m.runtime[callee] = fn
		f.m.declareFunction(fn)
	}
	return f.inst("%s", f.callText(fn, operands...))
}

// declareFunction notes that a function of another text is called.
func (m *module) declareFunction(fn *ir.Func) {
	params := make([]string, len(fn.Params), len(fn.Params)+1)
	for i, t := range fn.Params {
		params[i] = typ(t)
	}
	if m.takesContext(fn) {
		params = append(params, "ptr")
	}
	name := m.functionName(fn)
	m.declared[name] = fmt.Sprintf("declare %s @%s(%s) #2\n", resultType(fn.Results), name, strings.Join(params, ", "))
}

// RuntimeText translates a function of the sparse runtime, which is then called
// [llvm.EntryName]. It is not inlined, and depends on no other text.
func RuntimeText(f sparsert.Function, opts Options) (string, error) {
	m := newModule(&ir.Kernel{Name: f.Name()}, opts)
	parts := f.IR()
	last := len(parts) - 1
	for i, fn := range parts {
		name, linkage := m.functionName(fn), "internal "
		if i == last {
			name, linkage = llvm.EntryName, ""
		}
		text, params := m.beginFunction(fn)
		if text.err != nil {
			return "", fmt.Errorf("function %s of the sparse runtime: %w", fn.Name, text.err)
		}
		text.write(&m.functions, fmt.Sprintf("define %s%s @%s(%s) #2", linkage, resultType(fn.Results), name, params))
	}
	return m.text(), m.err
}

// A runtimeCode is the code of the sparse runtime that a compiler has made so far. Kernels
// share it: each would have to wait for the same code again.
type runtimeCode struct {
	mu    sync.Mutex
	texts map[runtimeKey]*runtimePiece
}

// A runtimeKey is what the code depends on beside the compiler.
type runtimeKey struct {
	level int
	text  string
}

// A runtimePiece is the code of one text. Whoever makes it has the lock, so that kernels
// that need it at the same time wait for the one that came first.
type runtimePiece struct {
	mu    sync.Mutex
	piece *loader.Piece // nil as long as there is none
}

// of returns what is kept of a text.
func (c *runtimeCode) of(level int, text string) *runtimePiece {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := runtimeKey{level, text}
	p := c.texts[key]
	if p == nil {
		if c.texts == nil {
			c.texts = map[runtimeKey]*runtimePiece{}
		}
		p = &runtimePiece{}
		c.texts[key] = p
	}
	return p
}

// get returns the piece, made by compile if there is none.
func (p *runtimePiece) get(compile func() (*loader.Piece, error)) (*loader.Piece, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.piece == nil {
		made, err := compile()
		if err != nil {
			return nil, err
		}
		p.piece = made
	}
	return p.piece, nil
}
