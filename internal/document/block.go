package document

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// A Block is a fenced block of a document.
type Block struct {
	File  string
	Line  int    // of its first line of text
	Lang  string // what stands after the fence
	Text  string
	Note  string // the comment directly above, without its brackets
	Below *Block // the text block directly below; nil if there is none
}

// String is where the block stands.
func (b *Block) String() string { return fmt.Sprintf("%s:%d", b.File, b.Line) }

// Read returns the blocks of a file. A text block that belongs to the block
// above it is found there only.
func Read(file string) ([]*Block, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return Parse(file, string(data))
}

// Parse returns the blocks of a text, as Read does.
func Parse(file, text string) ([]*Block, error) {
	var blocks []*Block
	var open *Block
	var note, indent, fence string
	adjacent := false // nothing but space since the last block
	for i, line := range strings.Split(text, "\n") {
		trimmed := strings.TrimSpace(line)
		switch {
		case open != nil && strings.HasPrefix(trimmed, fence) && strings.Trim(trimmed, "`") == "":
			if last := lastOf(blocks); open.Lang == "text" && adjacent && open.Note == "" && last.Below == nil && last.Lang == "go" {
				last.Below = open
			} else {
				blocks = append(blocks, open)
			}
			open, adjacent = nil, true
		case open != nil:
			open.Text += strings.TrimPrefix(line, indent) + "\n"
		case strings.HasPrefix(trimmed, "```"):
			lang := strings.TrimLeft(trimmed, "`")
			fence = trimmed[:len(trimmed)-len(lang)]
			indent = line[:strings.Index(line, "`")]
			open = &Block{File: file, Line: i + 2, Lang: lang, Note: note}
			note = ""
		case trimmed == "":
		default:
			adjacent, note = false, ""
			if inner, ok := strings.CutPrefix(trimmed, "<!--"); ok {
				if inner, ok = strings.CutSuffix(inner, "-->"); ok {
					note = strings.TrimSpace(inner)
				}
			}
		}
	}
	if open != nil {
		return nil, fmt.Errorf("%v: the block does not end", open)
	}
	return blocks, nil
}

func lastOf(blocks []*Block) *Block {
	if len(blocks) == 0 {
		return &Block{}
	}
	return blocks[len(blocks)-1]
}

// Directive splits the comment above a block into its first word and the rest. A
// comment that is none of ours gives nothing.
func (b *Block) Directive() (word, rest string) {
	word, rest, _ = strings.Cut(b.Note, " ")
	switch word {
	case "bind", "host", "wrong", "from":
		return word, strings.TrimSpace(rest)
	}
	return "", ""
}

// TreeWord begins a description of a tree in the comment above a block.
const TreeWord = "tree:"

// Bound is what the comment above a block of the kind [Kernel] binds.
type Bound struct {
	Binds []Bind   // in their order
	Trees []string // as package treetext has them
	Words []string // debug, nan, wide and strict
}

// A Bind binds a name of the source, or a part of it, to a text: extents, a constant as JSON, or a field with a colon.
type Bind struct{ Path, What string }

// Bound reads the comment above a block.
func (b *Block) Bound() (d Bound, err error) {
	_, rest := b.Directive()
	for _, item := range strings.Fields(rest) {
		if text, ok := strings.CutPrefix(item, TreeWord); ok {
			d.Trees = append(d.Trees, text)
		} else if path, what, ok := strings.Cut(item, "="); ok {
			d.Binds = append(d.Binds, Bind{path, what})
		} else if slices.Contains([]string{"debug", "nan", "wide", "strict"}, item) {
			d.Words = append(d.Words, item)
		} else {
			return d, fmt.Errorf("the comment above says %q, which is not NAME=VALUE, tree:TREE, debug, nan, wide or strict", item)
		}
	}
	return d, nil
}

// A Kind is what a block is.
type Kind int

const (
	Other   Kind = iota // a figure, a transcript, code of another language
	Kernel              // a kernel source, or a part of one
	Host                // Go that uses package ti
	Excerpt             // a part of a file, which the comment above names
)

// Kind returns what a block is; an error if it is nothing known.
func (b *Block) Kind() (Kind, error) {
	switch b.Lang {
	case "", "sh", "python", "c":
		return Other, nil
	case "text":
		return 0, fmt.Errorf("%v: a text block below no code; a figure or transcript is a block without a language", b)
	case "go":
	default:
		return 0, fmt.Errorf("%v: a block of the language %q, which is not tested here", b, b.Lang)
	}
	word, _ := b.Directive()
	if word == "from" {
		return Excerpt, nil
	}
	if word == "host" || word == "wrong" || IsHost(b.Text) {
		return Host, nil
	}
	return Kernel, nil
}
