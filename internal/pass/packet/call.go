package packet

import "github.com/gotaichi/ti/internal/ir"

// isStraight reports whether a function is only arithmetic on numbers of at most 32 bits, as the one for random numbers is. Packets
// inline such functions.
func isStraight(f *ir.Func) bool {
	for _, o := range f.Body.Ops {
		if o.Code == ir.OpReturn {
			continue
		}
		if !o.Code.Is(ir.Pure) || len(o.Regions) > 0 || o.Code == ir.OpCall || o.Code == ir.OpLookup {
			return false
		}
		for _, r := range o.Results {
			if r.Type.Lanes != 1 || r.Type.Kind.Size() > 4 {
				return false
			}
		}
	}
	return true
}

// call inlines a call of a straight function, in vectors if an operand is one.
func (p *packer) call(o *ir.Op) {
	to := map[*ir.Value]*ir.Value{}
	for i, v := range o.Func.Body.Params {
		to[v] = p.value(o.Args[i])
	}
	for _, q := range o.Func.Body.Ops {
		if q.Code == ir.OpReturn {
			for i, r := range o.Results {
				p.to[r] = p.splat(to[q.Args[i]])
			}
			return
		}
		args, wide := make([]*ir.Value, len(q.Args)), false
		for i, v := range q.Args {
			args[i] = to[v]
			wide = wide || args[i].Type.Lanes > 1
		}
		for i, w := range p.copy(q, args, wide) {
			to[q.Results[i]] = w
		}
	}
}
