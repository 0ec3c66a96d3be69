package ir

import (
	"fmt"

	"github.com/gotaichi/ti/internal/launch"
)

// MaxIterations is the largest number of iterations of a parallel loop, that of
// [launch.MaxIterations]. A longer loop would not end in any practical time.
const MaxIterations = launch.MaxIterations

// TooManyIterations is the error of a parallel loop, at Pos, of more than [MaxIterations]
// iterations.
type TooManyIterations struct{ Pos Pos }

// Error describes the failure; the position is not part of the text.
func (e *TooManyIterations) Error() string {
	return fmt.Sprintf("the range of this parallel loop has more than %d iterations (1<<62)", int64(MaxIterations))
}
