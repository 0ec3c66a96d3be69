package devicelist

import (
	"slices"

	"github.com/gotaichi/ti/internal/layout"
)

// A Level says how the blocks of a node follow from those of the node above.
type Level struct {
	Node, Above *layout.Node // Above is that of the root block for the outermost one
	As          *layout.Node // whose axes the coordinates in entries are along: the node's own, or those of a dense node below
	Total       int64        // candidates in a block above
	Chain       []int        // numbers of the nodes on the way, the node itself included

	first  int64 // offset of the first candidate in a block
	levels []dim // of the candidates in a block, outermost first
	from   []coordinate
}

// A dim is one of the levels between a block and a candidate. It adds to word place of an entry mul for each step.
type dim struct{ size, stride, mul, place int64 }

// A coordinate of the block above, its word, adds to word place of an entry factor for each step.
type coordinate struct{ word, factor, place int64 }

// Width is how many words an entry has: the block, and its coordinates.
func (l *Level) Width() int64 { return Width(l.As) }

// Width is how many words the entries of lists for loops over a node have.
func Width(n *layout.Node) int64 { return int64(1 + len(n.PathAxes())) }

// Levels returns how the list for loops over n is made, outermost first: none if the only entry is the root block. It is not ok if some node on the way is no pointer node.
func Levels(n *layout.Node) (all []*Level, ok bool) {
	node := n.Visit().Node
	var way []*layout.Node
	for p := node; p != nil; p = p.Parent() {
		if p.Kind().Allocates() {
			if p.Kind() != layout.Pointer {
				return nil, false
			}
			way = append(way, p)
		}
	}
	slices.Reverse(way)
	var chain []int
	for i, p := range way {
		chain = append(chain, p.Number())
		as := p
		if i == len(way)-1 && !slices.Equal(n.PathAxes(), p.PathAxes()) {
			as = n
		}
		all = append(all, newLevel(p, as, slices.Clone(chain)))
	}
	return all, true
}

func newLevel(n, as *layout.Node, chain []int) *Level {
	c := n.Tree().Containers()[n.Number()]
	l := &Level{Node: n, Above: c.Block.Node, As: as, Total: 1, Chain: chain, first: c.Const}
	place := func(axis int) int64 { return int64(1 + slices.Index(as.PathAxes(), axis)) }
	for _, d := range slices.Concat(c.Repeat, c.Cells) {
		l.Total *= d.Size
		l.levels = append(l.levels, dim{d.Size, d.Stride, d.Div, place(d.Axis)})
	}
	for k, a := range l.Above.PathAxes() {
		l.from = append(l.from, coordinate{int64(1 + k), n.Extent(a) / l.Above.Extent(a), place(a)})
	}
	return l
}

// An Address is one of the device.
type Address = uint64

// Places are where the device finds what a list is made of.
type Places struct {
	Head, Above Address // of the list, and of that of the node above: words [HeadLength] and so on
	From, To    Address // the entries of the one above, and of the list
	FromWidth   int64   // words of an entry above
	Room        int64   // entries that there is room for
	Counts      Address // for [CountWords] words
	Threads     int64   // that count and write
	Root        Address // of the root block
}

// CountWords is how many words so many threads need for their counts.
func CountWords(threads int64) int64 { return threads + groups(threads) }

func groups(threads int64) int64 { return (threads + Group - 1) / Group }

// Words of the head of a list.
const (
	HeadLength = iota // entries, also if there was no room for them
	HeadStamp         // the sum of the versions of the nodes on the way plus 1, for which the list is complete
	HeadWork          // candidates; 0 if there is nothing to do
	HeadMaking        // not 0 while the list is made
	HeadNext          // its stamp when it is complete
	HeadWords
)

// Words of a description. Behind them stand the dims, the coordinates, and the control words of the nodes on the way.
const (
	wordHead = iota
	wordAbove
	wordFrom
	wordFromWidth
	wordTo
	wordWidth
	wordRoom
	wordCounts
	wordSums
	wordThreads
	wordFirst
	wordTotal
	wordDims
	wordCoordinates
	wordChain
	wordDimsAt // addresses
	wordCoordinatesAt
	wordChainAt
	wordRest

	dimWords, coordinateWords = 4, 3
)

// DescriptionWords is how many words [Level.Describe] writes.
func (l *Level) DescriptionWords() int64 {
	return int64(wordRest + dimWords*len(l.levels) + coordinateWords*len(l.from) + len(l.Chain))
}

// Describe writes the words that the tasks read, which lie at an address of the device.
func (l *Level) Describe(to []uint64, at Address, p Places) {
	dims := at + 8*wordRest
	coordinates := dims + uint64(8*dimWords*len(l.levels))
	chain := coordinates + uint64(8*coordinateWords*len(l.from))
	head := [wordRest]uint64{
		wordHead: p.Head, wordAbove: p.Above, wordFrom: p.From, wordFromWidth: uint64(p.FromWidth), wordTo: p.To, wordWidth: uint64(l.Width()), wordRoom: uint64(p.Room),
		wordCounts: p.Counts, wordSums: p.Counts + uint64(8*p.Threads), wordThreads: uint64(p.Threads), wordFirst: uint64(l.first), wordTotal: uint64(l.Total),
		wordDims: uint64(len(l.levels)), wordCoordinates: uint64(len(l.from)), wordChain: uint64(len(l.Chain)), wordDimsAt: dims, wordCoordinatesAt: coordinates, wordChainAt: chain,
	}
	rest := to[copy(to, head[:]):]
	for _, d := range l.levels {
		rest = rest[copy(rest, []uint64{uint64(d.size), uint64(d.stride), uint64(d.mul), uint64(d.place)}):]
	}
	for _, c := range l.from {
		rest = rest[copy(rest, []uint64{uint64(c.word), uint64(c.factor), uint64(c.place)}):]
	}
	for i, n := range l.Chain {
		rest[i] = p.Root + uint64(l.Node.Tree().NodeControl(n))
	}
}

// threadLeast is how many candidates a thread has at least, if there are enough.
const threadLeast = 32

// Threads and Group bound the threads that make a list, and how many of them are added up by one.
const (
	Threads = Group * Group
	Group   = 128
)

// ThreadsFor is how many threads make a list that is made from one with room for so many entries.
func (l *Level) ThreadsFor(above int64) int64 {
	candidates := int64(Threads * threadLeast)
	if above < candidates/l.Total {
		candidates = above * l.Total
	}
	return max(1, min(Threads, (candidates+threadLeast-1)/threadLeast))
}
