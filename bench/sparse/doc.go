// Command sparse measures sparse trees at several activities, alone or beside other systems.
//
//	go run ./bench/sparse [-quick] [-run RE] [-beside taichi,quadrants,openvdb,nanovdb,handc] [-threads N] [-json FILE] [-regress FILE] [-docs DIR]
//	go run ./bench/sparse -from FILE -docs DIR
//	go run ./bench/sparse -apps|-ablation [-docs DIR]
//
// The domain has 256 cells along each axis, in blocks of 8×8×8; the outer blocks stay empty. A case is named for what
// it does and for how many thousandths of the 240³ cells within are active: those of a ball, or of a shell.
//
//	iterate     y = 2x + y over the active cells
//	stencil     seven points over the active cells, whose neighbours may be inactive
//	band        a shell of cells with a bit each grows by a cell, is smoothed by seven points, and is cut back
//	random      2²⁰ reads anywhere in the domain
//	coherent    2²⁰ reads along rows
//	iterate3    iterate on three levels, two of pointers; iterate5 on five; random3 and random5 likewise
//	inner       four sums over the active cells, with a weight each, by serial loops inside a parallel one
//	append      2²⁰ numbers, of which those in the ball go to lists in 32³ cells; the lists are emptied before
//	reactivate  all is deactivated, and written again
//	copy        the topology of one tree is copied to another tree, which has active cells already
//
// Each case is checked against plain Go (reference.go) and, where that makes sense, also measured on arrays (column
// dense). The peers' programs (peers/) have the same cases, with the same data and checks; the C sources share them in
// peers/domain.h. With -docs the table is written to DIR/benchmarks.md, and time against activity is drawn in
// DIR/sparse-activity.svg: from the results of this run, or with -from from those that -json wrote. With -apps the
// examples on sparse trees are measured by their own benchmarks; with -ablation one of them is measured without
// parts of the compiler.
package main
