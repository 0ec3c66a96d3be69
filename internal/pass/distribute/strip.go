package distribute

import (
	"math"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/versioning"
)

// This file is the part of distribute that says how long strips are.

// longStrip is the length of strips that add vectors up seldom, 0 where they would be too few: up to stripOfSums, and such that
// those of a row are of about one length.
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
