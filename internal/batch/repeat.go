package batch

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
