// Package bits runs loops over arrays of single bits on whole words: each iteration of the loop that it makes stands for
// as many iterations of the source as a word has elements, its lanes (Hu, Taichi, chapter 5, section 6.3).
//
// In: a parallel loop of the lowered kernel whose iterations load and store elements of bit arrays at their own index or at
// constant distances from it. Out: a loop over words, in which
//
//	plane    a bool of each lane is a word
//	number   a small integer is several, a plane for each of its bits: sums are adders, a comparison is some logic
//	memory   a load at a distance takes its bits from two neighbouring words; stores change the word of the lanes
//	evaluate the ops of the body, with masks of lanes in the place of conditions
//	loop     rows of words: those at a border apart from the interior, which asks nothing
//
// A loop that has something else in it stays as it is, and an [Obstacle] tells what. [Cut] then makes one over words whose iterations go
// through the elements of a word, or of a tile (tile.go), so that no two iterations store to one word.
//
// Tests: internal/driver has the IR of loops on words (TestBitsGolden), internal/pass what keeps a loop from it
// (TestObstacles), internal/quanttest runs such loops (TestRandomBits).
package bits
