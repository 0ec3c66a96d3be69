package layout

const (
	// wordBytes is the size of a pointer, of a length and of a word of a mask.
	wordBytes = 8

	// inlineChunks is how many pointers to chunks a list has beside its length. One of
	// more chunks has nearChunks there, so that a short list, which most are, needs no
	// other memory than its chunks, and directories of at most directorySize pointers for
	// the rest. With one directory, length and pointers are half a line of the cache.
	inlineChunks  = 8
	nearChunks    = 2
	directorySize = 512

	lineBytes = 64 // of the cache
	slotAlign = 16 // of blocks of less than 512 bytes

	// TableBytes is the size of what a hash node has in the root block: the header
	// of its table.
	TableBytes = 64
)

// Block is a kind of memory that a tree is made of: the root, of which there is
// one, a cell of a pointer or hash node, or a chunk or directory of a list.
type Block struct {
	ID    int   // among the blocks of the tree; 0 is the root
	Node  *Node // whose cell or part it is; the tree's root for the root block
	Bytes int64 // of its content; see [Block.Stride]
	Rank  int   // number of coordinates that stand in front, as int32, in blocks of a hash node

	// Containers are the arrays of cells of sparse nodes in the block.
	Containers []*Container

	header int64
}

// Stride returns how many bytes lie between the starts of two blocks. Lists grow side by
// side, so that what is written next lies at about the same offset in the chunks of all.
// If chunks were an even number of lines of the cache, that would be in few sets of it.
func (b *Block) Stride() int64 {
	if b.Node.kind != Dynamic || b.Bytes%(2*lineBytes) != 0 {
		return b.Bytes
	}
	return slotBytes(b.Bytes + slotAlign)
}

// Container is where a node that is not dense keeps its cells, or what leads to
// them. There is one for each cell of the node above; Repeat says where in the block
// they are.
type Container struct {
	Node  *Node
	Block *Block // that it lies in
	Const int64  // offset in the block of the first one
	// Repeat has the levels between the block and the container, Cells those of the
	// node's own cells, with strides of 8 for pointers. Div counts cells of the node.
	Repeat, Cells []Level

	// First is the offset of the cells of a bitmasked node from its container, and
	// CellBytes the size of one.
	First, CellBytes int64

	// Into is the kind of block that pointers or the table lead to. A list has one for
	// each number of Fan: Fan[0] pointers stand behind its length, and lead to
	// directories of Fan[1] pointers, and so on to the chunks of Chunk cells. Between
	// length and pointers to directories stand Near pointers to the first chunks, whose
	// places in the directories are not used.
	Into  []*Block
	Fan   []int64
	Near  int64
	Chunk int64
}

// ListBytes returns what a list has beside its chunks and directories.
func (c *Container) ListBytes() int64 { return wordBytes * (1 + c.Near + c.Fan[0]) }

// Level is a dimension of an array in a block.
type Level struct {
	Axis              int // number of the letter
	Size, Div, Stride int64
}

// Containers returns those of all nodes that are not dense, outermost first, by
// [Node.Number].
func (t *Tree) Containers() []*Container { return t.containers }

// Blocks returns the kinds of blocks of a frozen tree, the root first.
func (t *Tree) Blocks() []*Block { return t.blocks }

// Number is the number of a node that is not dense among those of its tree.
func (n *Node) Number() int { return n.number }

// Axes returns the numbers of the node's own axes, in the order of memory, and
// Sizes how many cells there are along each. A hash node without sizes has 2^32
// cells along an axis.
func (n *Node) Axes() []int    { return n.axes }
func (n *Node) Sizes() []int64 { return n.sizes }

// PathAxes returns the numbers of the axes on the way to n, alphabetically: the
// order of indices.
func (n *Node) PathAxes() []int { return n.pathAxes() }

// Extent returns the number of cells of n along an axis, 1 for one that it lacks.
func (n *Node) Extent(axis int) int64 { return n.extent(axis) }

// Unbounded reports whether the index along an axis has no limit but that of its type.
func (n *Node) Unbounded(axis int) bool { return n.unboundedAlong(axis) }

// CellBytes returns the bytes of a cell of a node in a frozen tree.
func (n *Node) CellBytes() int64 { return n.cell }

// IsMorton reports whether the cells lie along a Z-order curve.
func (n *Node) IsMorton() bool { return n.morton }

// newBlock adds a kind of block to the tree.
func (t *Tree) newBlock(n *Node, bytes int64) *Block {
	b := &Block{ID: len(t.blocks), Node: n, Bytes: bytes}
	t.blocks = append(t.blocks, b)
	return b
}

// slotBytes rounds the size of a block so that vectors in large ones are aligned.
func slotBytes(n int64) int64 {
	if n >= 512 {
		return roundUp(n, lineBytes)
	}
	return roundUp(max(n, wordBytes), slotAlign)
}

// container computes alignment and size of what n has in a cell of its parent, and
// makes the blocks that its cells lie in.
func (n *Node) container() (align, size int64) {
	n.number = len(n.tree.containers)
	if n.kind != Dense {
		c := &Container{Node: n}
		n.tree.containers = append(n.tree.containers, c)
	}
	count := int64(1)
	for _, s := range n.sizes {
		count = mulClamp(count, s)
	}
	if n.kind == Hash {
		n.into = n.tree.newBlock(n, 0)
		n.into.Rank = len(n.axes)
		n.into.header = roundUp(4*int64(len(n.axes)), 16)
	} else if n.kind == Pointer {
		n.into = n.tree.newBlock(n, 0)
	}
	n.content()
	if n.word != nil { // its cells lie in it
		return n.word.Kind.Bytes(), n.word.Kind.Bytes()
	}
	switch n.kind {
	case Dense:
		return n.align, mulClamp(n.cell, count)
	case Bitmasked:
		align = max(n.align, wordBytes)
		n.mask = roundUp(mulClamp(roundUp(count, 64)/64, wordBytes), align)
		return align, min(n.mask+mulClamp(n.cell, count), maxBytes)
	case Pointer:
		n.into.Bytes = slotBytes(n.cell)
		return wordBytes, mulClamp(count, wordBytes)
	case Hash:
		n.into.Bytes = slotBytes(n.cell + n.into.header)
		return 64, TableBytes
	}
	chunks := (count + n.chunkCells() - 1) / n.chunkCells()
	for chunks > inlineChunks {
		f := min(directorySize, chunks)
		n.fan = append([]int64{f}, n.fan...)
		chunks = (chunks + f - 1) / f
	}
	n.fan = append([]int64{chunks}, n.fan...)
	for _, f := range n.fan[1:] {
		n.directories = append(n.directories, n.tree.newBlock(n, slotBytes(f*wordBytes)))
	}
	n.directories = append(n.directories, n.tree.newBlock(n, slotBytes(mulClamp(n.chunkCells(), n.cell))))
	return wordBytes, wordBytes * (1 + n.near() + n.fan[0])
}

// near is how many chunks a list reaches without a directory, if it has any.
func (n *Node) near() int64 {
	if len(n.fan) > 1 {
		return nearChunks
	}
	return 0
}

// describe fills in the containers below n, for the runtime.
func (n *Node) describe(b *Block, off int64, levels []Level) {
	for _, it := range n.items {
		c := it.node
		if c == nil {
			continue
		}
		own := func(stride int64) []Level {
			ls := c.ownLevels()
			out := make([]Level, len(ls))
			for k := len(ls) - 1; k >= 0; k-- {
				out[k] = Level{Axis: ls[k].axis, Size: ls[k].size, Div: ls[k].div, Stride: stride}
				stride = mulClamp(stride, ls[k].size)
			}
			return out
		}
		// The levels above, counted in cells of c.
		above := make([]Level, len(levels))
		for k, l := range levels {
			l.Div *= c.extent(l.Axis) / n.extent(l.Axis)
			above[k] = l
		}
		if c.kind == Dense {
			c.describe(b, off+c.offset, append(above, own(c.cell)...))
			continue
		}
		k := n.tree.containers[c.number]
		k.Block, k.Const, k.Repeat = b, off+c.offset, above
		b.Containers = append(b.Containers, k)
		switch c.kind {
		case Bitmasked:
			k.First, k.CellBytes, k.Cells = c.mask, c.cell, own(c.cell)
			c.describe(b, off+c.offset+c.mask, append(append([]Level{}, above...), k.Cells...))
		case Pointer:
			k.Cells, k.Into = own(wordBytes), []*Block{c.into}
			c.describe(c.into, 0, nil)
		case Hash:
			k.Into = []*Block{c.into}
			c.describe(c.into, c.into.header, nil)
		case Dynamic:
			k.Into, k.Fan, k.Near, k.Chunk, k.CellBytes = c.directories, c.fan, c.near(), c.chunkCells(), c.cell
		}
	}
}
