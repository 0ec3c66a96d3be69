package store

// Shape is the extent of the elements along each axis, or of a node's cells; Index is the
// index of one of them, of which the first rank entries count.
type (
	Shape = []int
	Index = [8]int
)

// indexOf copies indices, as many as any field has.
func indexOf(idx []int) (to Index) {
	copy(to[:], idx)
	return to
}

// Ints narrows numbers that fit.
func Ints(s []int64) []int {
	out := make([]int, len(s))
	for k, v := range s {
		out[k] = int(v)
	}
	return out
}
