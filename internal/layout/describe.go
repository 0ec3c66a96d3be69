package layout

import (
	"fmt"
	"io"
	"slices"
)

// Describe writes all that code can depend on of n components of a field that is Ready, from the first
// on, but for which tree they lie in. Of a field that is open the extents are read at launch, and
// left out as far as they are. Words are those that fields before it are packed in; it returns them with
// its own.
func (f *Field) Describe(w io.Writer, first, n int, open bool, words []*Word) []*Word {
	for c := first; c < first+n; c++ {
		a := f.Access(c)
		words = DescribePacked(w, a, words)
		fmt.Fprintf(w, "%d of kind %v from %v: ", c-first, a.Kind, a.Origin)
		if !open {
			f.describeClosed(w, c)
			continue
		}
		if p, ok := f.Plain(c); ok {
			fmt.Fprintf(w, "plain %d %d %v\n", p.Within, p.Cell, p.Order)
			continue
		}
		o, ok := f.Outer(c)
		fmt.Fprintf(w, "outer %v %d %+v %v %+v\n", ok, o.Const, o.Terms, o.Span, o.Nest)
	}
	node := f.CellsOf()
	if node != nil {
		fmt.Fprintf(w, "cells %v from %v loops %+v\n", f.shape, f.origin, f.Loops(0))
	}
	if node == nil && n > 0 {
		node = f.LeadNode(first)
	}
	if node != nil && node.tree.Sparse() {
		node.describeWay(w)
	}
	return words
}

// describeClosed describes a component whose address formula has numbers alone.
func (f *Field) describeClosed(w io.Writer, c int) {
	a := f.Access(c)
	fmt.Fprintf(w, "%d %+v shape %v span %v loops %+v\n", a.Const, a.Terms, a.Shape, a.Span, f.Loops(c))
	DescribeSteps(w, a.Steps)
	p, plain := f.Plain(c)
	kind, alone := f.Alone(c)
	all, bytes, uniform := f.Tree(c).Uniform()
	fmt.Fprintf(w, "plain %v %d %d %v, alone %v %d, uniform %v %d %d\n", plain, p.Within, p.Cell, p.Order, alone, kind, uniform, all, bytes)
	if n := f.NodeOf(c); n.tree.Sparse() {
		n.describeWay(w)
	}
}

// describeWay describes the nodes down to n, and its tree.
func (n *Node) describeWay(w io.Writer) {
	for _, p := range n.path() {
		fmt.Fprintf(w, "node %d kind %d axes %v sizes %v cell %d morton %v chunk %d\n", p.number, p.kind, p.axes, p.sizes, p.cell, p.morton, p.chunk)
	}
	DescribeSteps(w, n.Steps())
	v := n.Visit()
	fmt.Fprintf(w, "visit %d in block %d of %d, chunks of %d\n", v.Node.number, v.Block.ID, v.Block.Stride(), v.Chunk)
	for _, in := range v.Inside {
		fmt.Fprintf(w, "inside %d %+v %v\n", in.Node.number, in.Dims, in.Mask != nil)
	}
	t := n.tree
	fmt.Fprintf(w, "control %d\n", t.Control())
	for _, b := range t.Blocks() {
		fmt.Fprintf(w, "block %d of %d bytes, %d coordinates\n", b.ID, b.Stride(), b.Rank)
	}
	for _, c := range t.Containers() {
		fmt.Fprintf(w, "container of %d in %d at %d %+v %+v %d %d %v %d %d\n", c.Node.number, c.Block.ID, c.Const, c.Repeat, c.Cells, c.First, c.CellBytes, c.Fan, c.Near, c.Chunk)
	}
}

// DescribePacked writes what code depends on of a word, and which of the words seen so far it is.
func DescribePacked(w io.Writer, at *Access, words []*Word) []*Word {
	p := at.Packed
	if p == nil {
		return words
	}
	i := slices.Index(words, p.Word)
	if i < 0 {
		i, words = len(words), append(words, p.Word)
		o := p.Word.Access()
		fmt.Fprintf(w, "word %d %v %v %d %+v\n", i, p.Word.Kind, p.Word.Cells(), o.Const, o.Terms)
		for _, m := range p.Word.Members {
			fmt.Fprintf(w, "member %v at %d of %d, shared %v\n", m.Coder.Format, m.Shift, m.Bits, m.Group != nil)
		}
		for _, g := range p.Word.Groups {
			fmt.Fprintf(w, "group %v at %d\n", g.Members, g.Shift)
		}
	}
	fmt.Fprintf(w, "packed in %d as %d %+v\n", i, p.Member, p.Terms)
	return words
}

// DescribeSteps writes what code depends on of the way to a cell.
func DescribeSteps(w io.Writer, steps []Step) {
	for _, s := range steps {
		t := s.Node.Tree()
		fmt.Fprintf(w, "step %d node %d of %d, %v %d %+v %+v", s.Kind, s.Node.Number(), t.NodeControl(0), s.Node.Sizes(), s.Const, s.Terms, s.Cells)
		if s.From > 0 {
			fmt.Fprintf(w, " from %d", s.From)
		}
		if s.Near != nil {
			fmt.Fprintf(w, " near %+v", *s.Near)
		}
		if s.Into != nil {
			fmt.Fprintf(w, " into %d of %d bytes", s.Into.ID, s.Into.Stride())
		}
		fmt.Fprintln(w)
	}
}
