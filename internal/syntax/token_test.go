package syntax

import (
	"strings"
	"testing"
)

// Tokens give back each character of a source that is not white space, at its place.
func TestTokens(t *testing.T) {
	for _, text := range []string{
		"", "package p\n", "package p // one", "x := `raw\r\ntext` + \"q\\\"\" // end\r\n", "/* a\r\nb */ 1.5e3 'c' &^= # é \xff 0x1p-2",
		"func F[T any](x T) T {\n\treturn x\n}\n",
	} {
		at := 0
		for _, tok := range Tokens("a.ti", text) {
			gap, rest := text[at:tok.Pos.Offset], text[tok.Pos.Offset:]
			if strings.TrimSpace(gap) != "" || !strings.HasPrefix(rest, tok.Text) || tok.Text == "" {
				t.Errorf("%q: at %d, %q before %s %q", text, tok.Pos.Offset, gap, tok.Kind, tok.Text)
			}
			at = tok.Pos.Offset + len(tok.Text)
		}
		if strings.TrimSpace(text[at:]) != "" {
			t.Errorf("%q: nothing says what %q is", text, text[at:])
		}
	}
}
