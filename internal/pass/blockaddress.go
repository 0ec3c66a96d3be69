package pass

import "github.com/gotaichi/ti/internal/ir"

// blockAddresses names the blocks of sparse trees by their addresses.
//
// Input: a task in which look-ups yield values of kind block, and blockptr gives the address of a block's memory. Output:
// the same with addresses in the place of blocks, so that neither is left. A target without addresses that machine and
// host share names blocks in another way, and this pass does not run for it.
func blockAddresses(t *ir.Task) {
	addresses := map[*ir.Value]*ir.Value{} // of roots and blockptrs
	for _, b := range t.Blocks() {
		nameBlocks(b, addresses)
	}
}

func nameBlocks(b *ir.Block, addresses map[*ir.Value]*ir.Value) {
	named := func(vs []*ir.Value) {
		for _, v := range vs {
			if v.Type.Kind == ir.BlockRef {
				v.Type = v.Type.With(ir.Ptr)
			}
		}
	}
	named(b.Params)
	rest := b.Ops[:0]
	for _, o := range b.Ops {
		for i, v := range o.Args {
			o.Args[i] = ir.Resolve(addresses, v)
		}
		for _, r := range o.Regions {
			nameBlocks(r, addresses)
		}
		named(o.Results)
		if o.Code == ir.OpRoot || o.Code == ir.OpBlockPtr {
			addresses[o.Results[0]] = o.Args[0]
			continue
		}
		rest = append(rest, o)
	}
	clear(b.Ops[len(rest):])
	b.Ops = rest
}
