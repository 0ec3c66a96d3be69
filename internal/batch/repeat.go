package batch

import "github.com/gotaichi/ti/internal/variant"

// A sequence is the variants of the launches of a full batch, and how many of them are whole rounds. Most full batches are like the one before.
type sequence struct {
	variants []*variant.Variant
	whole    int
}

// rounds is [rounds], remembered from one call to the next.
func (s *sequence) rounds(all []entry) int {
	if len(s.variants) == len(all) {
		same := true
		for i := range all {
			same = same && all[i].variant == s.variants[i]
		}
		if same {
			return s.whole
		}
	}
	s.variants = s.variants[:0]
	for i := range all {
		s.variants = append(s.variants, all[i].variant)
	}
	s.whole = rounds(all)
	return s.whole
}

// rounds returns how many launches of a full batch are whole rounds of what the program repeats, and all of them if it repeats nothing.
//
// The smallest period of the sequence of variants follows from its longest border, the longest proper prefix that is also a suffix (Knuth, Morris,
// Pratt, 1977). A sequence that has not been seen twice has no period.
func rounds(all []entry) int {
	n := len(all)
	border := make([]int, n)
	for i := 1; i < n; i++ {
		k := border[i-1]
		for k > 0 && all[i].variant != all[k].variant {
			k = border[k-1]
		}
		if all[i].variant == all[k].variant {
			k++
		}
		border[i] = k
	}
	period := n - border[n-1]
	if 2*period > n {
		return n
	}
	return n / period * period
}
