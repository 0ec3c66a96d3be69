package treetext

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Tree is a description of a tree.
type Tree struct {
	Text   string
	Origin *Origin // nil: all indices begin at 0
	Root   *Node   // without kind and axes
}

// An Origin gives the lowest indices along axes.
type Origin struct {
	Axes   string
	Lowest []int
	at     int
}

// A Node is a level of a tree.
type Node struct {
	Kind   string // dense, pointer, bitmasked, dynamic or hash; bitstruct or bitarray; "" for the root
	Name   string // "" if it has none
	Axes   string
	Sizes  []int
	Open   []string // by number of the size: its name, where it has one instead of a number; see [Tree.Give]
	Chunk  int      // 0 if nothing is said
	Morton bool
	Fields []Place
	Bits   int    // of a bit struct or bit array
	Packs  []Pack // likewise: how its fields are packed
	Nodes  []*Node
	Parent *Node

	at, nameAt, chunkAt, mortonAt int
}

// A Place is a field, or a member of one, that is placed in a node.
type Place struct {
	Path string // "X", "P.Pos"
	at   int
}

// Field is the name of the field.
func (p Place) Field() string {
	name, _, _ := strings.Cut(strings.ReplaceAll(p.Path, "[", "."), ".")
	return name
}

// An Error says what is wrong with a description, and where.
type Error struct {
	Text   string // of the whole description
	Column int    // of the rune, from 1
	Offset int    // bytes before it
	Msg    string
	Help   string // "" if there is none
	Cause  error  // what the runtime said, if it did
}

func (e *Error) Error() string {
	s := fmt.Sprintf("column %d: %s", e.Column, e.Msg)
	if e.Help != "" {
		s += "; " + e.Help
	}
	return s
}

func (e *Error) Unwrap() error { return e.Cause }

// Kinds are the words for nodes.
func Kinds() []string { return []string{"dense", "pointer", "bitmasked", "dynamic", "hash"} }

// Parse reads a description.
func Parse(text string) (t *Tree, err error) {
	p := &parser{text: text}
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *Error:
			t, err = nil, e
		default:
			panic(e)
		}
	}()
	t = &Tree{Text: text, Root: &Node{}}
	p.chain(t, t.Root, true)
	if p.space(); p.pos < len(text) {
		p.fail(p.pos, "", "%q follows the end of the tree", text[p.pos:])
	}
	return t, nil
}

// A parser reads text from pos on. It panics with an *Error.
type parser struct {
	text string
	pos  int
}

func (p *parser) fail(at int, help, format string, args ...any) {
	panic(newError(p.text, at, help, format, args...))
}

func newError(text string, at int, help, format string, args ...any) *Error {
	return &Error{Text: text, Column: 1 + utf8.RuneCountInString(text[:at]), Offset: at, Msg: fmt.Sprintf(format, args...), Help: help}
}

func (p *parser) space() {
	for p.pos < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.pos]) >= 0 {
		p.pos++
	}
}

// accept reads a character if it comes next.
func (p *parser) accept(c byte) bool {
	if p.space(); p.pos < len(p.text) && p.text[p.pos] == c {
		p.pos++
		return true
	}
	return false
}

// need reads a character that has to come next.
func (p *parser) need(c byte, after string) {
	if !p.accept(c) {
		p.fail(p.pos, "", "%q is missing after %s", string(c), after)
	}
}

// while reads the longest run of characters that ok holds for.
func (p *parser) while(ok func(c byte) bool) (text string, at int) {
	p.space()
	at = p.pos
	for p.pos < len(p.text) && ok(p.text[p.pos]) {
		p.pos++
	}
	return p.text[at:p.pos], at
}

func isLetter(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80 }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }

// word reads a name or keyword.
func (p *parser) word(what string) (string, int) {
	w, at := p.while(func(c byte) bool { return isLetter(c) || isDigit(c) })
	if w == "" || isDigit(w[0]) {
		p.fail(at, "", "%s is missing", what)
	}
	return w, at
}

const words = "dense, pointer, bitmasked, dynamic, hash, bitstruct, bitarray, place, placeshared, chunk, morton and origin"

// chain reads steps with dots between them, below n.
func (p *parser) chain(t *Tree, n *Node, first bool) {
	for {
		if p.accept('{') {
			for {
				p.chain(t, n, false)
				if !p.accept(';') {
					break
				}
			}
			p.need('}', "the chains below a node")
			return
		}
		n = p.step(t, n, first)
		first = false
		if !p.accept('.') {
			if n.IsWord() && len(n.Packs) == 0 { // also where nothing makes the runtime look at the tree
				p.fail(n.at, "place fields in it, or leave it out", "a %s is empty", n.Kind)
			}
			return
		}
	}
}

// step reads one step, and returns the node that the next is about.
func (p *parser) step(t *Tree, n *Node, first bool) *Node {
	w, at := p.word("a node, or what is to be done with one,")
	name, nameAt := "", 0
	if p.accept('=') {
		name, nameAt = w, at
		if w, at = p.word("a node"); !slices.Contains(Kinds(), w) {
			p.fail(at, "nodes are "+strings.Join(Kinds(), ", "), "%q is no node, and only nodes have names", w)
		}
	}
	p.need('(', w)
	switch {
	case n.IsWord() && (w == "place" || w == "placeshared"):
		p.pack(n, w == "placeshared", at)
	case n.IsWord():
		p.fail(at, "put it into a chain of its own: {bitstruct(32).place(X,fixed(16,1)); place(Y)}", "%s follows a %s, in which fields are placed", w, n.Kind)
	case slices.Contains(wordKinds(), w):
		n = p.wordNode(n, w, at)
	case w == "placeshared":
		p.fail(at, "put bitstruct(32) before it", "placeshared is about the bit struct before it, and there is none")
	case slices.Contains(Kinds(), w):
		c := &Node{Kind: w, Name: name, at: at, nameAt: nameAt, Parent: n}
		c.Axes, _ = p.word("the axes of the node, such as ij,")
		p.sizes(c)
		n.Nodes = append(n.Nodes, c)
		n = c
	case w == "place":
		for {
			n.Fields = append(n.Fields, p.place())
			if !p.accept(',') {
				break
			}
		}
	case w == "origin":
		if !first {
			p.fail(at, "write it first", "origin is about the tree as a whole")
		}
		t.Origin = &Origin{at: at}
		t.Origin.Axes, _ = p.word("the axes of the origin, such as ij,")
		t.Origin.Lowest = p.numbers()
	case n.Kind == "" && (w == "chunk" || w == "morton"):
		p.fail(at, "", "%s is about the node before it, and there is none", w)
	case w == "chunk":
		n.Chunk, n.chunkAt = p.number(), at
	case w == "morton":
		n.Morton, n.mortonAt = true, at
	default:
		p.fail(at, "there are "+words, "%q is nothing that a tree can have", w)
	}
	p.need(')', "what "+w+" is given")
	return n
}

// sizes reads the sizes of a node, each after a comma: numbers, or names for them.
func (p *parser) sizes(n *Node) {
	for p.accept(',') {
		name, size := "", 0
		if p.space(); p.pos < len(p.text) && isLetter(p.text[p.pos]) {
			name, _ = p.word("a size")
		} else {
			size = p.number()
		}
		n.Sizes, n.Open = append(n.Sizes, size), append(n.Open, name)
	}
}

// numbers reads numbers, each after a comma.
func (p *parser) numbers() (out []int) {
	for p.accept(',') {
		out = append(out, p.number())
	}
	return out
}

func (p *parser) number() int {
	text, at := p.while(func(c byte) bool { return isDigit(c) || c == '-' || c == '+' })
	n, err := strconv.Atoi(text)
	switch {
	case text == "":
		p.fail(at, "", "a number is missing")
	case err != nil:
		p.fail(at, "", "%s is no whole number of 64 bits", text)
	}
	return n
}

// place reads a field, or the way to a member of one.
func (p *parser) place() Place {
	text, at := p.while(func(c byte) bool { return isLetter(c) || isDigit(c) || c == '.' || c == '[' || c == ']' })
	if text == "" || !isLetter(text[0]) {
		p.fail(at, "", "the name of a field is missing")
	}
	return Place{text, at}
}
