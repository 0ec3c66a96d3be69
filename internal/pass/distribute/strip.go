package distribute

import (
	"math"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/versioning"
)

// This file chooses the length of strips.

// longStrip returns a length of strips for which the lanes of vectors are rarely added up. The length is at most stripOfSums, and such that
// all strips along the innermost dim have about the same length. It is 0 if there would be too few strips.
func longStrip(t *ir.Task) int64 {
	strips := int64(1)
	for _, d := range t.Dims {
		if d.Lo.From != ir.FromConst || d.Hi.From != ir.FromConst {
			return 0
		}
		strips *= max(d.Hi.Const-d.Lo.Const, 0)
		if strips > math.MaxInt32 {
			return 0
		}
	}
	last := t.Dims[len(t.Dims)-1]
	row := max(last.Hi.Const-last.Lo.Const, 1)
	ofRow := (row + stripOfSums - 1) / stripOfSums
	trips := ((row+ofRow-1)/ofRow + bucketLanes - 1) / bucketLanes * bucketLanes
	if strips/row*ofRow < versioning.ManyStrips {
		return 0
	}
	return trips
}
