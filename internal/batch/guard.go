package batch

import (
	"slices"
	"time"
)

// A guard measures whether launches take less time if they are linked. Code that does more in one loop can be slower: it needs more
// registers, or a loop loses its vectors. The medians decide: the least time of a loop over many arrays can be far below what it usually takes.
type guard struct {
	row         int // how often launches run in the same way in a row
	runs        int
	apart, both []time.Duration // so far
	together    bool            // what has been chosen
}

// guardRuns is how often launches run in each of the two ways before one is chosen, or so many rows of runs.
const guardRuns = 5

// awakeRow is the row of launches that run concurrently: but for the first of a row, they find threads awake, as they do when nothing is measured any
// more. They are short, and it takes more measurements to meet no other program on any processor.
const awakeRow = 8

// choose says how the launches are run next, and whether that is measured.
func (g *guard) choose() (together, measured bool) {
	if row := max(1, g.row); g.runs < 2*guardRuns*row {
		return g.runs/row%2 == 0, true
	}
	return g.together, false
}

// note takes a measurement.
func (g *guard) note(together bool, took time.Duration) {
	to := &g.apart
	if together {
		to = &g.both
	}
	*to = append(*to, took)
	if g.runs++; g.runs == 2*guardRuns*max(1, g.row) {
		g.together = median(g.both) <= median(g.apart)
		g.apart, g.both = nil, nil
	}
}

// median is that of some times; the least possible time where there are none.
func median(times []time.Duration) time.Duration {
	if len(times) == 0 {
		return 0
	}
	slices.Sort(times)
	return times[len(times)/2]
}
