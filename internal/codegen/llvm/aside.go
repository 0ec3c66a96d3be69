package llvm

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/llvm"
)

// This file is about code that is hardly ever run: the first region of an if with the flag
// Seldom. One of some length becomes a function, of which LLVM makes machine code as it stands
// (optnone): that takes little time, and leaves registers and optimisations to what is run.

// fewestAside is how many ops are worth a function. Its name is that of the task, asideMark and a number.
const (
	fewestAside = 40
	asideMark   = ".seldom."
)

// aside reports whether region is to be a function, and what it uses from outside. It may not
// be one in a function, which would have to be known to have its effects, nor if it leaves by
// anything but its end, or has the address of a local array: that would have to stay in memory.
func (f *function) aside(region *ir.Block) (uses []*ir.Value, ok bool) {
	t := region.Terminator()
	if f.task == nil || region.Size() < fewestAside || t == nil || t.Code != ir.OpYield {
		return nil, false
	}
	ok = true
	inside, known := map[*ir.Value]bool{}, map[*ir.Value]bool{}
	targets := map[*ir.Op]bool{}
	ir.Visit(region, func(o *ir.Op) bool {
		targets[o] = true
		switch {
		case o.Code == ir.OpReturn, (o.Code == ir.OpBreak || o.Code == ir.OpContinue) && !targets[o.Target]:
			ok = false
		}
		for _, v := range o.Args {
			if inside[v] || known[v] {
				continue
			}
			known[v] = true
			ok = ok && (v.Def == nil || v.Def.Code != ir.OpAlloc)
			uses = append(uses, v)
		}
		for _, v := range o.Results {
			inside[v] = true
		}
		for _, r := range o.Regions {
			for _, v := range r.Params {
				inside[v] = true
			}
		}
		return ok
	})
	return uses, ok
}

// callAside writes a function of region and the call of it, and returns the results.
func (f *function) callAside(region *ir.Block, uses []*ir.Value) []string {
	results := region.Terminator().Args
	types := make([]ir.Type, len(results))
	for i, v := range results {
		types[i] = v.Type
	}
	f.m.asides++
	name, result := fmt.Sprintf("%s%s%d", llvm.EntryName, asideMark, f.m.asides), resultType(types)

	g := f.m.newFunction()
	g.task, g.signature, g.private = f.task, f.signature, f.private
	g.stop = func() {
		if len(types) == 0 {
			g.do("ret void")
		} else {
			g.do("ret %s zeroinitializer", result)
		}
	}
	params, args := []string{"ptr noundef nonnull align 8 %ctx"}, []string{"ptr %ctx"}
	for i, v := range uses {
		if v.Def != nil && v.Def.Code == ir.OpConst {
			g.op(v.Def)
			continue
		}
		g.values[v] = fmt.Sprintf("%%p%d", i)
		params, args = append(params, typ(v.Type)+" "+g.values[v]), append(args, typ(v.Type)+" "+f.use(v))
	}
	last := len(region.Ops) - 1
	g.ops(&ir.Block{Ops: region.Ops[:last:last]})
	if g.cur != nil {
		g.returnValues(types, results)
	}
	if g.err != nil {
		f.err = g.err
		return slices.Repeat([]string{"poison"}, len(types))
	}
	g.write(&f.m.functions, fmt.Sprintf("define internal %s @%s(%s) #0 cold noinline optnone", result, name, strings.Join(params, ", ")))

	call := fmt.Sprintf("call %s @%s(%s)", result, name, strings.Join(args, ", "))
	switch len(types) {
	case 0:
		f.do("%s", call)
		return nil
	case 1:
		return []string{f.inst("%s", call)}
	}
	all := f.inst("%s", call)
	out := make([]string, len(types))
	for i := range types {
		out[i] = f.inst("extractvalue %s %s, %d", result, all, i)
	}
	return out
}
