package main

import (
	"github.com/gotaichi/ti/internal/script"

	"fmt"
	"strings"

	"github.com/gotaichi/ti/internal/treetext"
)

// mostWords is how many words are printed for people; -json has all.
const mostWords = 100

// wordNodeOf returns the bit struct or bit array that a tree packs a field in.
func wordNodeOf(s *script.Session, name string) (n *treetext.Node, words func() ([]uint64, error), err error) {
	for _, b := range s.Trees {
		if n := b.Text.Word(name); n != nil {
			return n, func() ([]uint64, error) { return b.Words(n) }, nil
		}
	}
	if s.VarNamed(name) < 0 {
		return nil, nil, fmt.Errorf("the source has no var %s; it has %s", name, s.VarNames())
	}
	return nil, nil, fmt.Errorf("no -tree packs it in words; write -tree 'dense(i,64).bitstruct(32).place(%s,fixed(16,1))'", name)
}

// printWords prints the words that fields are packed in, in hexadecimal.
func (c *runCmd) printWords(std *stdio, s *script.Session, out *report) error {
	for _, name := range c.Words {
		n, read, err := wordNodeOf(s, name)
		if err != nil {
			return fmt.Errorf("-words %s: %w", name, err)
		}
		words, err := read()
		if err != nil {
			return fmt.Errorf("-words %s: %w", name, err)
		}
		if c.JSON {
			if out.Words == nil {
				out.Words = map[string][]string{}
			}
			out.Words[name] = hex(words, n.Bits)
			continue
		}
		shown := words[:min(len(words), mostWords)]
		fmt.Fprintf(std.out, "%s: %d words of %d bits: %s", name, len(words), n.Bits, strings.Join(hex(shown, n.Bits), " "))
		if more := len(words) - len(shown); more > 0 {
			fmt.Fprintf(std.out, " … and %d more, which -json shows", more)
		}
		fmt.Fprintln(std.out)
	}
	return nil
}

// hex writes words with all their digits.
func hex(words []uint64, bits int) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = fmt.Sprintf("0x%0*x", bits/4, w)
	}
	return out
}
