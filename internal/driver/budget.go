package driver

import (
	"cmp"
	"errors"
	"fmt"
	"go/token"
	"maps"
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/target"
	"github.com/gotaichi/ti/internal/typed"
)

// Limits of one kernel. The largest of our programs and tests, which unroll matrices and
// run loops in packets, reach a tenth of them.
const (
	maxOps  = 500_000  // ops after lowering, and after the passes
	maxText = 20 << 20 // bytes of text in the target's language
)

// A share is the part of a kernel's ops that comes from one line of the source.
type share struct {
	pos ir.Pos // the leftmost position in the line
	ops int
	// copies is the largest number of ops with the same code at one position. It tells how
	// often the line was inlined or unrolled, or how many components its values have.
	copies int
}

// largestShare finds the line that most ops of a kernel come from.
func largestShare(k *ir.Kernel) share {
	type line struct {
		file uint16
		line uint32
	}
	type place struct {
		pos  ir.Pos
		code ir.Code
	}
	ops, copies := map[line]*share{}, map[place]int{}
	for _, b := range k.Blocks() {
		ir.Visit(b, func(o *ir.Op) bool {
			if o.Pos.Line == 0 {
				return true
			}
			l := line{o.Pos.File, o.Pos.Line}
			s := ops[l]
			if s == nil {
				s = &share{pos: o.Pos}
				ops[l] = s
			}
			s.ops++
			s.pos.Col = min(s.pos.Col, o.Pos.Col)
			copies[place{o.Pos, o.Code}]++
			s.copies = max(s.copies, copies[place{o.Pos, o.Code}])
			return true
		})
	}
	all := slices.SortedFunc(maps.Values(ops), func(a, b *share) int {
		return cmp.Or(cmp.Compare(b.ops, a.ops), cmp.Compare(a.pos.File, b.pos.File), cmp.Compare(a.pos.Line, b.pos.Line))
	})
	if len(all) == 0 {
		return share{}
	}
	return *all[0]
}

// tooLarge is the error of a kernel that exceeds limit, given in words. Its position is
// the line that most ops come from.
func tooLarge(p *typed.Program, k *ir.Kernel, limit string) error {
	s := largestShare(k)
	msg := fmt.Sprintf("kernel %s comes to more than %s", k.Name, limit)
	if s.ops > 0 {
		msg += fmt.Sprintf(", most of them for this line: %d operations, with up to %d copies of each", s.ops, s.copies)
	}
	return p.ErrorAt(syntax.KernelTooLarge, place(k, s.pos), "use ordinary loops in place of static ones, put //ti:noinline before functions that are called often, or divide the kernel", msg)
}

// place is a position in the source.
func place(k *ir.Kernel, pos ir.Pos) token.Position {
	p := token.Position{Line: int(pos.Line), Column: int(pos.Col)}
	if int(pos.File) < len(k.Files) {
		p.Filename = k.Files[pos.File]
	}
	return p
}

// size is the number of ops of a kernel.
func size(k *ir.Kernel) int {
	n := 0
	for _, b := range k.Blocks() {
		n += b.Size()
	}
	return n
}

// checkSize reports a kernel that is too large after the passes.
func (u *build) checkSize() error {
	if size(u.k) > maxOps {
		return tooLarge(u.p, u.k, fmt.Sprintf("%d operations", maxOps))
	}
	return u.checkLocals()
}

// checkLocals reports a loop or function whose local arrays do not fit onto a
// thread's stack.
func (u *build) checkLocals() error {
	for _, f := range u.k.Funcs {
		if err := u.localsOf("function "+f.Name, f.Body); err != nil {
			return err
		}
	}
	for _, t := range u.k.Tasks {
		if err := u.localsOf(t.Name+" of kernel "+u.k.Name, t.Blocks()...); err != nil {
			return err
		}
	}
	return nil
}

// localsOf checks the local arrays of blocks that run in one frame.
func (u *build) localsOf(what string, blocks ...*ir.Block) error {
	total, most := int64(0), int64(-1)
	var largest *ir.Op
	for _, b := range blocks {
		ir.Visit(b, func(o *ir.Op) bool {
			if o.Code == ir.OpAlloc {
				bytes := max(1, o.Aux) * int64(o.Kind.Size())
				if total += bytes; bytes > most {
					largest, most = o, bytes
				}
			}
			return true
		})
	}
	limit := int64(u.o.Compiler.Traits().Locals)
	if total <= limit {
		return nil
	}
	name := "an array"
	if n := largest.Results[0].Name; n != "" {
		name = n
	}
	return u.p.ErrorAt(syntax.LocalsTooLarge, place(u.k, largest.Pos), "keep large data in a field, or divide the loop so that fewer arrays are needed at once",
		fmt.Sprintf("the local arrays of the %s need %d bytes, and a thread has %d for them; the largest is %s, of %d", what, total, limit, name, most))
}

// stackTooLarge turns a target's report of a task that needs too much stack into an error
// with the task's position; other errors stay as they are. A task may get here though
// its arrays fit: what its values need besides shows only once they have registers.
func (u *build) stackTooLarge(err error) error {
	e, ok := errors.AsType[*target.StackError](err)
	if !ok {
		return err
	}
	return u.p.ErrorAt(syntax.LocalsTooLarge, place(u.k, e.Task.Pos), "use fewer or smaller local arrays and matrices, or divide the loop",
		fmt.Sprintf("the local values of the %s of kernel %s need %d bytes of stack, and a thread has %d for them", e.Task.Name, u.k.Name, e.Bytes, e.Max))
}
