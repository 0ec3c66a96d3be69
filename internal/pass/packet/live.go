package packet

import "github.com/gotaichi/ti/internal/ir"

// mostLive returns how many vectors a body without loops has at once, at most, of those that it computes. Values from outside of it are not counted, since vectors
// side by side share them.
func (a *packetInfo) mostLive(body *ir.Block) int {
	at, last := 0, map[*ir.Value]int{} // the op that uses a value last
	ir.Visit(body, func(o *ir.Op) bool {
		at++
		for _, v := range o.Args {
			if a.varying[v] && a.needed[v] {
				last[v] = at
			}
		}
		return true
	})
	ends := map[int]int{} // how many values an op is the last to use
	for _, n := range last {
		ends[n]++
	}
	live, most := 0, 0
	begin := func(vs []*ir.Value) {
		for _, v := range vs {
			if last[v] > 0 {
				live++
			}
		}
		most = max(most, live)
	}
	begin(body.Params)
	at = 0
	ir.Visit(body, func(o *ir.Op) bool {
		at++
		live -= ends[at]
		begin(o.Results)
		return true
	})
	return most
}
