package doctest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gotaichi/ti/internal/document"
)

// testExcerpt compares a block with the file that it is from, beside the document:
// each of its paragraphs has to be there, at whatever indentation.
func testExcerpt(b *document.Block) error {
	_, name := b.Directive()
	data, err := os.ReadFile(filepath.Join(filepath.Dir(b.File), name))
	if err != nil {
		return fmt.Errorf("%v: %w", b, err)
	}
	all := "\n" + outdent(string(data)) + "\n"
	for _, p := range strings.Split(strings.TrimSpace(outdent(b.Text)), "\n\n") {
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
