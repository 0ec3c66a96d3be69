package ir

import "fmt"

// MaxIterations bounds the iterations of a parallel loop. Their numbers then fit an
// int64, with room for the sums that divide them among threads. None of the loops that
// this forbids could come to an end.
const MaxIterations = 1 << 62

// TooManyIterations is the failure of a parallel loop that has more than that.
type TooManyIterations struct{ Pos Pos }

// Error returns what is wrong.
func (e *TooManyIterations) Error() string {
	return fmt.Sprintf("the range of this parallel loop has more than %d iterations (1<<62)", int64(MaxIterations))
}
