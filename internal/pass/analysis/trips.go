package analysis

import "github.com/gotaichi/ti/internal/ir"

// Endless stands for the number of iterations of a loop with unknown bounds, and for any larger one.
const Endless = 1 << 60

// TripsBetween is the trip count of a for from lo to hi, numbers of kind k, but at most
// [Endless].
func TripsBetween(k ir.Kind, lo, hi int64) int64 {
	if k == ir.U64 && uint64(hi) <= uint64(lo) || k != ir.U64 && hi <= lo {
		return 0
	}
	return int64(min(uint64(hi)-uint64(lo), Endless))
}

// Weighted visits ops with an estimate of how many times an iteration runs them.
func Weighted(b *ir.Block, times int64, f func(o *ir.Op, times int64)) {
	const guessed, most = 8, 1 << 20 // iterations of a loop of unknown length; the largest number that matters
	for _, o := range b.Ops {
		f(o, times)
		n := int64(1)
		switch o.Code {
		case ir.OpLoop:
			n = guessed
		case ir.OpFor:
			n = guessed
			lo, ok := ir.IntOf(o.Args[0])
			hi, ok2 := ir.IntOf(o.Args[1])
			if ok && ok2 {
				n = max(0, min(hi-lo, most))
			}
		}
		for _, r := range o.Regions {
			Weighted(r, min(times*n, most), f)
		}
	}
}

// WorthCopies reports whether private copies of elems elements pay for this number of iterations and updates in each: an atomic costs
// several times as much as merging an element. If the number of iterations is unknown, one iteration must be enough.
func WorthCopies(trips int64, known bool, updates, elems int64) bool {
	if !known {
		trips = 1
	}
	all, ok := MulExact(max(1, trips), 2*updates)
	return trips > 0 && (!ok || all >= elems)
}
