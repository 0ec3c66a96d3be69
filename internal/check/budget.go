package check

import (
	"fmt"
	"go/token"

	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

// This file bounds the work of the checker. Static loops, inlining and instances can each
// make a short source expand without limit.

// Limits for one source. They are at least ten times what the largest of our programs
// needs, and the checker reaches each within seconds.
const (
	maxSize      = 500_000   // nodes that a function expands to
	maxWork      = 5_000_000 // nodes checked, counting each instance of a function once
	maxInstances = 10_000    // instances of generic functions and types, and of functions with compile-time parameters
	maxTypeName  = 4096      // bytes of the name of an instance of a generic type
	maxDepth     = 20_000    // nesting of expressions and statements, across calls
	maxErrors    = 2000      // errors reported
	maxConsts    = 4_000_000 // components of all constants
)

// A usage is the part of these limits that a source has used so far.
type usage struct {
	work      int  // nodes checked
	depth     int  // current nesting of expressions and statements
	consts    int  // components of constants
	instances int  // of functions and types
	spent     bool // a limit is exceeded and reported: nothing more is checked
}

// A portion is the nodes of a function that come from one static loop or one callee.
type portion struct {
	pos   token.Pos // of the static loop, or of the first call
	name  string    // of the function called; "" for a loop
	count int       // iterations, or calls
	of    int       // the trip count of the loop; more than count if unrolling stopped
	nodes int
}

// text describes the portion for an error message.
func (p *portion) text() string {
	switch {
	case p.name != "" && p.count == 1:
		return fmt.Sprintf("%d are those of a call of %s", p.nodes, p.name)
	case p.name != "":
		return fmt.Sprintf("%d are those of %d calls of %s", p.nodes, p.count, p.name)
	}
	return fmt.Sprintf("%d are %d copies of the body of this static loop, which has %d iterations", p.nodes, p.count, p.of)
}

// grow counts n more nodes, and gives up on a source that unrolls or inlines without end.
func (c *checker) grow(n int) {
	c.used.work += n
	if f := c.fn; f != nil && f.inst != nil {
		c.expand(f, n)
	}
	if c.used.work > maxWork {
		c.giveUp(func() {
			c.errorf(syntax.TooManyUnrolled, c.startOf(c.fn), "use ordinary loops for large counts, and fewer compile-time arguments",
				"with all instances and copies, the functions of this source come to more than %d operations", maxWork)
		})
	}
}

// expand adds n nodes to the size of f, and reports it once it is too large.
func (c *checker) expand(f *fn, n int) {
	if f.size += n; f.size > maxSize && !f.over {
		f.over = true
		if !c.inPrelude() {
			c.reportSize(f)
		}
	}
}

// growBy counts an operation on operands that gives n components. If all operands are
// constants the checker folds each component, and each counts; otherwise large values
// become loops.
func (c *checker) growBy(n int, operands ...typed.Expr) {
	for _, x := range operands {
		if _, ok := x.(*typed.Const); !ok {
			c.grow(opsFor(n))
			return
		}
	}
	if len(operands) == 0 { // random numbers, which are not folded
		n = opsFor(n)
	}
	c.grow(n)
}

// opsFor returns how many nodes an operation on n components counts for: beyond
// MaxUnrolled components it is a loop.
func opsFor(n int) int { return min(n, typed.MaxUnrolled+n/64) }

// expandCall adds the nodes of an instance that the current function calls at a position.
func (c *checker) expandCall(in *instance, at token.Pos) {
	f := c.fn
	if f == nil || f.inst == nil {
		return
	}
	if in.over {
		if in.f.Pos.Line == 0 && !f.over && !c.inPrelude() { // nothing in the prelude is reported
			c.errorf(syntax.TooManyUnrolled, at, "use smaller matrices", "%s of matrices of this size expands to more than %d operations", in.f.Name, maxSize)
		}
		f.over = true
		return
	}
	p := f.calls[in.f.Name]
	if p == nil {
		if f.calls == nil {
			f.calls = map[string]*portion{}
		}
		p = &portion{pos: at, name: in.f.Name}
		f.calls[in.f.Name] = p
	}
	p.count++
	p.nodes += in.size
	c.expand(f, in.size)
}

// reportSize reports a function that expands to too many nodes, at the loop or call that
// most of them come from.
func (c *checker) reportSize(f *fn) {
	most := f.largest
	for _, name := range sortedNames(f.calls) {
		if p := f.calls[name]; p.nodes > most.nodes {
			most = *p
		}
	}
	if len(f.loops) > 0 { // the outermost of the loops being unrolled
		if l := f.loops[0]; f.size-l.nodes > most.nodes {
			most = *l
			most.nodes = f.size - l.nodes
		}
	}
	at, part := f.obj.pos, ""
	if most.nodes > maxSize/4 && most.pos.IsValid() {
		at, part = most.pos, "; of them "+most.text()
	}
	c.errorf(syntax.TooManyUnrolled, at, "use ordinary loops for large counts, or //ti:noinline before a function that is called often",
		"function %s expands to more than %d operations by static loops and inlining%s", f.obj.name, maxSize, part)
}

// openLoop notes that a static loop of n iterations is being unrolled.
func (f *fn) openLoop(at token.Pos, n int) *portion {
	p := &portion{pos: at, of: n, nodes: f.size} // until closeLoop, nodes is the size of f before the loop
	f.loops = append(f.loops, p)
	return p
}

// closeLoop ends the last loop opened.
func (f *fn) closeLoop(p *portion) {
	f.loops = f.loops[:len(f.loops)-1]
	if p.nodes = f.size - p.nodes; p.nodes > f.largest.nodes {
		f.largest = *p
	}
}

// giveUp calls report for the first limit that the source exceeds, and ends the check.
func (c *checker) giveUp(report func()) {
	if !c.used.spent {
		c.used.spent = true
		report()
	}
}

// stopped reports whether the check of the current function has been given up.
func (c *checker) stopped() bool { return c.fn.over || c.fn.failed || c.used.spent }

// startOf returns the position of a function's declaration.
func (c *checker) startOf(f *fn) token.Pos {
	if f == nil || f.obj == nil {
		return token.NoPos
	}
	return f.obj.pos
}

// enter increments the nesting depth. It returns false, and reports the node at the given
// position, if the nesting is too deep for the Go stack. If it returns true, the caller
// must call leave.
func (c *checker) enter(at token.Pos) bool {
	if c.used.depth >= maxDepth {
		c.giveUp(func() {
			c.errorf(syntax.TooDeep, at, "name parts of long expressions in variables, and call fewer functions inside one another",
				"with the calls around it, this is more than %d expressions and statements deep", maxDepth)
		})
		return false
	}
	c.used.depth++
	return true
}

func (c *checker) leave() { c.used.depth-- }

// instantiate counts an instance, described by text, and reports whether it may be made.
// The first one beyond the limit is an error.
func (c *checker) instantiate(text func() string, use token.Pos) bool {
	if c.used.spent {
		return false
	}
	if c.used.instances++; c.used.instances <= maxInstances {
		return true
	}
	c.giveUp(func() {
		c.errorf(syntax.TooManyInstances, use, "pass what differs from call to call as a run-time parameter",
			"this source needs more than %d instances%s; the last of them is %s", maxInstances, c.mostInstances(), text())
	})
	return false
}

// mostInstances names the function with the most instances, for an error message.
func (c *checker) mostInstances() string {
	count := map[string]int{}
	for key, in := range c.funcs {
		if in != nil && key.bind != "" {
			count[key.obj.name]++
		}
	}
	most := ""
	for _, name := range sortedNames(count) {
		if count[name] > count[most] {
			most = name
		}
	}
	if most == "" {
		return ""
	}
	return fmt.Sprintf(", of them %d of function %s", count[most], most)
}
