package doctest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A block is a fenced block of a document.
type block struct {
	file  string
	line  int    // of its first line of text
	lang  string // what stands after the fence
	text  string
	note  string // the comment directly above, without its brackets
	below *block // the text block directly below; nil if there is none
}

// String is where the block stands.
func (b *block) String() string { return fmt.Sprintf("%s:%d", b.file, b.line) }

// readBlocks returns the blocks of a file. A text block that belongs to the block
// above it is found there only.
func readBlocks(file string) ([]*block, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return parseBlocks(file, string(data))
}

func parseBlocks(file, text string) ([]*block, error) {
	var blocks []*block
	var open *block
	var note, indent, fence string
	adjacent := false // nothing but space since the last block
	for i, line := range strings.Split(text, "\n") {
		trimmed := strings.TrimSpace(line)
		switch {
		case open != nil && strings.HasPrefix(trimmed, fence) && strings.Trim(trimmed, "`") == "":
			if last := lastOf(blocks); open.lang == "text" && adjacent && open.note == "" && last.below == nil && last.lang == "go" {
				last.below = open
			} else {
				blocks = append(blocks, open)
			}
			open, adjacent = nil, true
		case open != nil:
			open.text += strings.TrimPrefix(line, indent) + "\n"
		case strings.HasPrefix(trimmed, "```"):
			lang := strings.TrimLeft(trimmed, "`")
			fence = trimmed[:len(trimmed)-len(lang)]
			indent = line[:strings.Index(line, "`")]
			open = &block{file: file, line: i + 2, lang: lang, note: note}
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

func lastOf(blocks []*block) *block {
	if len(blocks) == 0 {
		return &block{}
	}
	return blocks[len(blocks)-1]
}

// directive splits the comment above a block into its first word and the rest. A
// comment that is none of ours gives nothing.
func (b *block) directive() (word, rest string) {
	word, rest, _ = strings.Cut(b.note, " ")
	switch word {
	case "bind", "host", "wrong", "from":
		return word, strings.TrimSpace(rest)
	}
	return "", ""
}

// A kind is what is done with a block.
type kind int

const (
	untested kind = iota
	kernelCode
	hostCode
	excerpt
)

// kind returns what a block is; an error if it is nothing known.
func (b *block) kind() (kind, error) {
	switch b.lang {
	case "", "sh", "python", "c":
		return untested, nil
	case "text":
		return 0, fmt.Errorf("%v: a text block below no code; a figure or transcript is a block without a language", b)
	case "go":
	default:
		return 0, fmt.Errorf("%v: a block of the language %q, which is not tested here", b, b.lang)
	}
	word, _ := b.directive()
	if word == "from" {
		return excerpt, nil
	}
	if word == "host" || word == "wrong" || isHost(b.text) {
		return hostCode, nil
	}
	return kernelCode, nil
}

// testExcerpt compares a block with the file that it is from, beside the document:
// each of its paragraphs has to be there, at whatever indentation.
func testExcerpt(b *block) error {
	_, name := b.directive()
	data, err := os.ReadFile(filepath.Join(filepath.Dir(b.file), name))
	if err != nil {
		return fmt.Errorf("%v: %w", b, err)
	}
	all := "\n" + outdent(string(data)) + "\n"
	for _, p := range strings.Split(strings.TrimSpace(outdent(b.text)), "\n\n") {
		if !strings.Contains(all, "\n"+strings.Trim(p, "\n")+"\n") {
			return fmt.Errorf("%v: this is not in %s:\n%s", b, name, p)
		}
	}
	return nil
}

// outdent returns the lines of text without the space around them.
func outdent(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimSpace(l)
	}
	return strings.Join(lines, "\n")
}
