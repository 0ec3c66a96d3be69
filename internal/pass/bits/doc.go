// Package bits vectorises loops over arrays of single bits by words: each iteration of the new loop does the work of as many iterations
// of the source as a word has elements, its lanes (Hu, Taichi, chapter 5, section 6.3).
//
// In: a parallel loop of the lowered kernel whose iterations load and store elements of bit arrays at their own index or at
// constant distances from it. Out: a loop over words, in which
//
//	plane    the bools of all lanes are a word
//	number   a small integer of each lane is a plane for each of its bits: addition is an adder, a comparison is logic
//	memory   a load at a distance takes its bits from two neighbouring words; stores change the word of the lanes
//	evaluate the ops of the body, with masks of lanes instead of conditions
//	loop     rows of words; words at a border have a separate loop, so that the interior needs no checks
//
// A loop with anything else stays as it is, with an [Obstacle] as the reason. [Cut] can strip-mine such a loop by words, or by tiles
// (tile.go), so that no two iterations store to one word.
//
// Tests: internal/driver has the IR of loops on words (TestBitsGolden), internal/pass the reasons against them (TestObstacles),
// internal/quanttest runs such loops (TestRandomBits).
package bits
