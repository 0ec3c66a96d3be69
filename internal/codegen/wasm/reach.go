package wasm

import (
	"fmt"

	"github.com/gotaichi/ti/internal/ir"
)

// An engine tests each address before it is accessed, but not one that it has tested for as far already. So the first of several accesses from the same address
// tests the end of what all of them reach, by a load that nobody uses: the test is all that engines leave of it.

// reach finds these ends in a block. Between the accesses no op may leave the block, so that all of them happen.
func (p *plan) reach(b *ir.Block) {
	if b == nil {
		return
	}
	type accesses struct {
		first    *ir.Op
		one, all int64 // how far the first reaches before it takes several instructions, and how far all reach
	}
	known := map[*ir.Value]*accesses{}
	for _, o := range b.Ops {
		for _, r := range o.Regions {
			p.reach(r)
		}
		code := o.Code
		if code != ir.OpLoad && code != ir.OpStore {
			if !code.Is(ir.Pure) || len(o.Regions) > 0 {
				clear(known)
			}
			continue
		}
		from, begin, bytes, ok := p.extent(o)
		if !ok {
			continue
		}
		if a := known[from]; a == nil {
			known[from] = &accesses{o, begin + min(bytes, 16), begin + bytes}
		} else {
			a.all = max(a.all, begin+bytes)
		}
		if a := known[from]; a.all > a.one {
			p.ends[a.first] = a.all
		}
	}
}

// extent returns from which address an access is made, as it is kept, at which offset, and to how many bytes. It leaves out what does not access all of these bytes by
// offsets in instructions.
func (p *plan) extent(o *ir.Op) (from *ir.Value, begin, bytes int64, ok bool) {
	var v *ir.Value
	masked := false
	if o.Code == ir.OpStore {
		v, masked = o.Args[1], len(o.Args) > 2
	} else {
		v, masked = o.Results[0], len(o.Args) > 1
	}
	if masked || o.Order != ir.Plain || o.Args[0].Type.Lanes > 1 {
		return nil, 0, 0, false
	}
	from, begin = p.peel(o.Args[0])
	if d := from.Def; d != nil && d.Code == ir.OpAlloc {
		return nil, 0, 0, false
	}
	begin += p.lessBy(from)
	if begin < 0 || begin >= nearOffset && !p.isPlace(from) {
		return nil, 0, 0, false
	}
	return from, begin, int64(max(1, v.Type.Lanes)) * int64(v.Type.Kind.Size()), true
}

// broadcasts finds the loads of numbers that are wanted in all lanes of a vector alone.
func (p *plan) broadcasts(b *ir.Block) {
	if b == nil {
		return
	}
	loads := map[*ir.Op]bool{} // of the block
	for _, o := range b.Ops {
		for _, r := range o.Regions {
			p.broadcasts(r)
		}
		if o.Code == ir.OpLoad && o.Order == ir.Plain {
			loads[o] = true
		}
		if o.Code != ir.OpSplat || p.uses[o.Results[0]] == 0 {
			continue
		}
		v := o.Args[0]
		d := v.Def
		if d == nil || !loads[d] || p.uses[v] != 1 {
			continue
		}
		if size := p.laneBytes(o.Results[0]); v.Type.Lanes <= 1 && size >= 4 && v.Type.Kind.Size() == size {
			p.lone[d] = o.Results[0]
		}
	}
}

// reachTo tests how far accesses from an address reach, of which o is the first.
func (f *function) reachTo(o *ir.Op, at operand) {
	if end, ok := f.ends[o]; ok {
		f.put(at)
		f.access("i32.load8_u", uint64(end-1))
		f.do("drop")
	}
}

// reachOn is reachTo for the address on the stack.
func (f *function) reachOn(o *ir.Op) {
	if _, ok := f.ends[o]; ok {
		at := f.keep(i32)
		f.reachTo(o, at)
		f.put(at)
	}
}

// broadcast loads a number into all lanes of a vector. The instructions that do so are sequences that begin with what a register had before, which would have to
// wait for it: so this one loads it into a register of zeros, and copies its bytes.
func (f *function) broadcast(o *ir.Op, r *ir.Value) {
	size := f.laneBytes(r)
	offset := f.address(o.Args[0])
	f.reachOn(o)
	f.access(fmt.Sprintf("v128.load%d_zero", 8*size), offset)
	f.bytes(firstLanes(size))
	f.do("i8x16.swizzle")
	l := f.take(v128)
	f.set(l)
	f.at(r, l)
}
